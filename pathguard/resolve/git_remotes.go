package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
)

// gitRemotes reads the settings that a command of git has; nil where it is not known which they
// are: options or variables name others, or a file is included on a condition that decides about
// remotes.
func (r *resolver) gitRemotes(c *shellparse.Command) *gitRemotes {
	dir := c.Dir
	if dir == "" {
		dir = r.plan.Caller.Dir
	}
	for name := range r.plan.Caller.Env {
		if strings.HasPrefix(name, "GIT_") && (strings.HasPrefix(name, "GIT_CONFIG") ||
			slices.Contains(gitPlaces, name)) {
			return nil
		}
	}
	for _, a := range c.Assign {
		if strings.HasPrefix(a.Name, "GIT_") || a.Name == "HOME" || a.Name == "XDG_CONFIG_HOME" {
			return nil
		}
	}
	for i, arg := range c.Args {
		switch {
		case i > 0 && !strings.HasPrefix(arg.Text, "-") && c.Args[i-1].Text != "-C":
			return r.remotesIn(dir)
		case arg.Text == "-C" && i+1 < len(c.Args) && c.Args[i+1].Static:
			if dir = c.Args[i+1].Text; !strings.HasPrefix(dir, "/") {
				dir = pathname.Join(r.plan.Caller.Dir, dir)
				if c.Dir != "" {
					dir = path.Join(c.Dir, c.Args[i+1].Text)
				}
			}
		case arg.Text == "-c", arg.Text == "-C", strings.HasPrefix(arg.Text, "--git-dir"),
			strings.HasPrefix(arg.Text, "--work-tree"), strings.HasPrefix(arg.Text, "--config-env"):
			return nil
		}
	}
	return r.remotesIn(dir)
}

// gitPlaces are variables by which git finds a repository.
var gitPlaces = []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
	"GIT_CEILING_DIRECTORIES"}

// remotesIn reads the remotes of the repository that a directory is in; nil if it is in none, or if
// git might find another one.
func (r *resolver) remotesIn(dir string) *gitRemotes {
	if g, known := r.repositories[dir]; known {
		return g
	}
	folders, sure := r.gitFolders(r.real(dir))
	var g *gitRemotes
	if folders.top != "" && sure {
		g = r.readRemotes(folders)
	}
	if r.repositories == nil {
		r.repositories = map[string]*gitRemotes{}
	}
	r.repositories[dir] = g
	return g
}

func (r *resolver) readRemotes(folders gitFolders) *gitRemotes {
	g := &gitRemotes{gitFolders: folders}
	g.isFolder = func(name string) bool { return r.isFolder(pathname.Join(g.top, name)) }
	g.isFile = func(name string) bool { return r.smallFile(name) != "" }
	if to, ok := strings.CutPrefix(r.smallFile(g.place+"/HEAD"), "ref: refs/heads/"); ok {
		g.branch = strings.TrimSpace(to)
	}
	user := r.home() + "/.config"
	if xdg := r.plan.Caller.Env["XDG_CONFIG_HOME"]; strings.HasPrefix(xdg, "/") {
		user = xdg
	}
	for _, name := range []string{"/etc/gitconfig", user + "/git/config", r.home() + "/.gitconfig",
		g.common + "/config", g.place + "/config.worktree"} {
		if !r.takeSettings(g, name, 0) {
			return nil
		}
	}
	return g
}

// maxGitIncludes bounds files of settings that include others.
const maxGitIncludes = 8

// takeSettings reads a file and the files that it includes. It returns false if what they say about
// remotes cannot be determined.
func (r *resolver) takeSettings(g *gitRemotes, name string, depth int) bool {
	text, ok := r.settingsFile(name)
	if !ok {
		return false
	}
	settings, ok := gitSettings(text)
	if !ok || strings.ContainsRune(text, 0) {
		return false
	}
	for _, s := range settings {
		if s.section != "include" && s.section != "includeif" || s.key != "path" {
			g.settings = append(g.settings, s)
			continue
		}
		file := s.value
		g.includes = true
		switch rest, home := strings.CutPrefix(file, "~/"); {
		case home:
			file = r.home() + "/" + rest
		case !strings.HasPrefix(file, "/"):
			file = path.Join(path.Dir(name), file)
		}
		had := len(g.settings)
		if depth == maxGitIncludes || !r.takeSettings(g, file, depth+1) {
			return false
		}
		if s.section == "includeif" {
			for _, one := range g.settings[had:] {
				if slices.Contains([]string{"remote", "url", "branch"}, one.section) {
					return false
				}
			}
			g.settings = g.settings[:had]
		}
	}
	return true
}
