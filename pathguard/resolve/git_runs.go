package resolve

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A repository beside the workspace is read like any file, unless its settings name programs: git
// starts those even to show a log, and whoever made the repository chose them.

// gitRuns returns the file of settings by which git would start a program in a directory; "" for
// none, and where there is no repository. One that cannot be read could name anything.
func (r *resolver) gitRuns(dir string) (name string, found bool) {
	g, sure := r.gitFolders(r.real(dir))
	switch {
	case g.top == "":
		return "", false
	case !sure:
		return g.top + "/.git", true
	}
	for _, name := range []string{g.common + "/config", g.place + "/config.worktree"} {
		text, ok := r.settingsFile(name)
		settings, fine := gitSettings(text)
		if !ok || !fine || slices.ContainsFunc(settings, startsProgram) {
			return name, true
		}
	}
	// Git looks into a repository in this one with the settings of that.
	for _, name := range []string{g.top + "/.gitmodules", g.common + "/modules",
		g.place + "/modules"} {
		if r.isThere(name) {
			return name, true
		}
	}
	if text, ok := r.fileUpTo(g.place+"/index", maxIndex); !ok || text != "" && hasGitlinks(text) {
		return g.place + "/index", true
	}
	return "", true
}

// startsProgram reports whether git may start a program by a setting that no command line asks for.
func startsProgram(s gitSetting) bool {
	name := s.section + "." + s.key
	if s.name != "" {
		name = s.section + "." + s.name + "." + s.key
	}
	e := catalog.Git(name)
	switch {
	case slices.Contains(e.Values("safe"), s.value):
		return false
	case s.section == "extensions": // of a partial clone git fetches what a reader lacks
		return !slices.Contains(quietExtensions, s.key)
	case s.section == "alias":
		return strings.HasPrefix(s.value, "!")
	case s.key == "promisor", s.key == "partialclonefilter", s.section == "protocol",
		s.section == "submodule", s.section == "diff" && s.key == "submodule",
		strings.Contains(s.value, "::"), strings.Contains(s.name, "::"), e.Has("includes"):
		return true
	case e.Has("helper"):
		return s.value != "" && !isWord(s.value)
	}
	return e.Has("sh") && !slices.Contains(quietValues, s.value)
}

// quietExtensions change how a repository is stored, and nothing else (git-config(1)).
var quietExtensions = []string{"noop", "preciousobjects", "refstorage", "relativeworktrees",
	"worktreeconfig"}

// quietValues are values of such settings that start nothing, or what only shows text.
var quietValues = []string{"", "cat", "less", "more", "true", "false", "1", "0", "yes", "no",
	"/dev/null"}

// besides adds the settings of repositories beside the workspace by which git would start a
// program: a command that is in such a directory executes them.
func (r *resolver) besides() {
	seen := map[string]bool{}
	for i := range r.plan.Script.Commands {
		c := &r.plan.Script.Commands[i]
		if path.Base(c.Name) != "git" || seen[c.Dir] || !strings.HasPrefix(c.Dir, "/") ||
			r.plan.Workspace == "" || pathname.Within(r.real(c.Dir), r.plan.Workspace) {
			continue
		}
		seen[c.Dir] = true
		if name, _ := r.gitRuns(c.Dir); name != "" {
			t := Target{Right: command.Read, Flags: command.Source, Name: name, Effect: -1,
				Command: i}
			r.bind(&t, r.Walk(r.Root, name, true))
		}
	}
}

// readsSettings reports whether an effect is git's look at the settings of a repository that names
// no program, by a command that changes nothing there.
func (r *resolver) readsSettings(e *shellparse.Effect, name string) bool {
	dir, is := strings.CutSuffix(name, "/.git/config")
	if !is || e.Right != command.Read || e.Flags&command.Source == 0 || e.Command < 0 ||
		path.Base(r.plan.Script.Commands[e.Command].Name) != "git" ||
		!r.plan.Script.Commands[e.Command].ReadOnly || !strings.HasPrefix(dir, "/") {
		return false
	}
	starts, found := r.gitRuns(dir)
	return found && starts == ""
}
