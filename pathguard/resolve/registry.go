package resolve

import (
	"io"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
)

// registries finds the package registries that the commands fetch from: those that are built in,
// and those that settings name. What a file of the workspace names is data of the repository, and
// is marked as such.
func (r *resolver) registries() {
	for i := range r.plan.Script.Commands {
		c := &r.plan.Script.Commands[i]
		if c.Builtin || c.Remote || len(c.Args) == 0 {
			continue
		}
		for _, g := range hosts.Asked(c.Name, known(c.Args[1:]), r.isOwn(c.Name)) {
			if r.share.asked[g.Name] == nil {
				if r.share.asked == nil {
					r.share.asked = map[string]*registry{}
				}
				r.share.asked[g.Name] = once(r.plan.Caller.Look, "registry "+g.Name,
					r.plan.Workspace, func() *registry { return r.registry(g) })
			}
			r.plan.Given = append(r.plan.Given, r.share.asked[g.Name].given...)
			for _, found := range r.share.asked[g.Name].hosts {
				found.Tool = path.Base(c.Name)
				if !slices.ContainsFunc(r.plan.Registries, func(o Registry) bool {
					return o.Host == found.Host && (o.Asks == found.Asks || found.Asks)
				}) {
					r.plan.Registries = append(r.plan.Registries, found)
				}
			}
		}
	}
}

// isOwn reports whether the program of a command is a file of the workspace.
func (r *resolver) isOwn(name string) bool {
	for _, p := range r.plan.Programs {
		if p.Name == name && p.Real != "" {
			return r.inWorkspace(p.Real)
		}
	}
	return strings.Contains(name, "/") && r.inWorkspace(name)
}

// known are words as far as they are known.
func known(words []shellparse.Word) []string {
	list := make([]string, len(words))
	for i := range words {
		if words[i].Static {
			list[i] = words[i].Text
		}
	}
	return list
}

// registry returns the hosts of a registry, those that count unasked first, and what the settings
// of its tools say.
func (r *resolver) registry(g *hosts.Registry) *registry {
	found := &registry{}
	add := func(from string, asks bool, names []string) {
		for _, name := range names {
			if !slices.ContainsFunc(found.hosts, func(o Registry) bool { return o.Host == name }) {
				found.hosts = append(found.hosts,
					Registry{Name: g.Name, Host: name, From: from, Asks: asks})
			}
		}
	}
	add("", false, g.Hosts)
	files := r.settings(g)
	for i := range g.Settings {
		if g.Settings[i].File == "" {
			for name, value := range r.plan.Caller.Env {
				add("$"+name, false, g.Settings[i].Named(name+"="+value))
			}
		}
	}
	given := map[string]bool{}
	for _, asks := range []bool{false, true} {
		for _, f := range files {
			if f.inside == asks {
				add(f.short, asks, f.of.Named(f.text))
			}
			for _, variable := range f.of.Given(f.text) {
				// the workspace's own settings count before those of the account
				if name, _, _ := strings.Cut(variable, "="); f.inside == !asks && !given[name] {
					if given[name] = true; !f.inside {
						found.given = append(found.given, Given{f.real, variable})
					}
				}
			}
		}
	}
	list := found.hosts[min(len(g.Hosts), len(found.hosts)):]
	slices.SortStableFunc(list, func(a, b Registry) int {
		if a.Asks != b.Asks {
			return map[bool]int{false: -1, true: 1}[a.Asks]
		}
		return strings.Compare(a.From+a.Host, b.From+b.Host)
	})
	return found
}

// A settingFile is a file of settings, read.
type settingFile struct {
	of                *hosts.Setting
	short, real, text string
	inside            bool // it is one of the workspace
}

// settings reads the files of settings of a registry's tools.
func (r *resolver) settings(g *hosts.Registry) (list []settingFile) {
	for i := range g.Settings {
		for _, name := range r.settingFiles(g.Settings[i].File) {
			if f := r.setting(name); f.text != "" {
				f.of, f.short = &g.Settings[i], r.shortName(name)
				list = append(list, f)
			}
		}
	}
	return list
}

// settingFiles returns the files that a name in the table of registries means here.
func (r *resolver) settingFiles(name string) []string {
	first, rest, _ := strings.Cut(name, "/")
	switch {
	case name == "":
		return nil
	case first == ".":
		first = r.plan.Workspace
	case first == "~":
		first = r.home()
		if xdg := r.plan.Caller.Env["XDG_CONFIG_HOME"]; strings.HasPrefix(rest, ".config/") &&
			strings.HasPrefix(xdg, "/") {
			first, rest = xdg, strings.TrimPrefix(rest, ".config/")
		}
	case strings.HasPrefix(first, "$"):
		first = r.plan.Caller.Env[first[1:]]
	default:
		first = "/" + first
	}
	if name = path.Join(first, rest); !strings.HasPrefix(first, "/") {
		return nil
	}
	if dir, ending, found := strings.Cut(name, "/*"); found {
		return filesIn(dir, ending)
	}
	return []string{name}
}

// home is where programs look for the caller's settings.
func (r *resolver) home() string {
	if home := r.plan.Caller.Env["HOME"]; strings.HasPrefix(home, "/") {
		return home
	}
	return r.plan.Caller.Home
}

// maxSettings bounds the files of one folder of settings.
const maxSettings = 64

func filesIn(dir, ending string) (list []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries[:min(len(entries), maxSettings)] {
		if strings.HasSuffix(e.Name(), ending) {
			list = append(list, pathname.Join(dir, e.Name()))
		}
	}
	return list
}

// setting reads a file of settings, and reports whether it belongs to the workspace. A file counts
// as the user's if it is outside of what commands may write: not in the workspace, not among
// temporary files unless the home is there, and writable by no one else.
func (r *resolver) setting(name string) (f settingFile) {
	end := r.Walk(r.Root, name, true)
	defer end.Close()
	if end.Missing != "" || end.FD < 0 || end.Stat.Mode&unix.S_IFMT != unix.S_IFREG ||
		end.Stat.Size > maxGitConfig {
		return f
	}
	ws := r.plan.Workspace
	f.real, f.inside = end.Real, ws != "" && pathname.Within(end.Real, ws)
	if !f.inside && (end.Stat.Mode&0o002 != 0 ||
		end.Stat.Uid != 0 && int(end.Stat.Uid) != r.plan.Caller.UID ||
		pathname.WithinAny(end.Real, pathname.TempDirs) &&
			!pathname.Within(end.Real, r.real(r.plan.Caller.Home))) {
		return f
	}
	fd, err := walk.Reopen(end.FD)
	if err != nil {
		return f
	}
	defer unix.Close(fd)
	if whole, err := io.ReadAll(io.LimitReader(reader(fd), maxGitConfig)); err == nil {
		f.text = string(whole)
	}
	return f
}

// shortName is a file of settings as a person knows it.
func (r *resolver) shortName(name string) string {
	if rest, ok := strings.CutPrefix(name, r.plan.Workspace+"/"); ok && r.plan.Workspace != "" {
		return rest
	}
	if rest, ok := strings.CutPrefix(name, r.home()+"/"); ok {
		return "~/" + rest
	}
	return name
}
