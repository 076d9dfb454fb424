package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A ground is the workspace during the search for names that can be at any depth.
type ground struct {
	j   *judgement
	git bool // the plan changes something by git, which may write its folder, not the hooks
	ownNames
	hide, keep []string
	covered    map[string]bool // what is hidden as a whole: nothing in it needs a look
	// of what is hidden: a file in the workspace may be a hard link of it
	inodes   map[uint64]string
	looked   int
	partial  bool     // there was more than the bounds let be looked at
	plain    []string // the last components of the built-in names ...
	patterns []string // ... and those of them that are patterns
	// the first bytes of both, and the last bytes of patterns that start with "*"
	starts [256]bool
	ends   [256]bool
}

// ownNames are the names of the configuration that can be at any depth.
type ownNames struct {
	own    bool // there are some ...
	closed bool // ... and some of them may not be read at all
	sealed bool // ... or not be written
	long   bool // ... or have several parts
}

func (g *ground) learn(name string) {
	if name[0] != '*' {
		return
	}
	name = name[strings.LastIndexByte(name, '/')+1:]
	if name[0] == '*' {
		g.ends[name[len(name)-1]] = true
	} else {
		g.starts[name[0]] = true
	}
	if strings.Contains(name, "*") {
		g.patterns = append(g.patterns, name)
		return
	}
	g.plain = append(g.plain, name)
}

// search looks through the directories, and when deep also below them, breadth first: the
// nearer a file is to where work happens, the sooner it is found.
func (g *ground) search(dirs []string, deep bool) {
	loose := &g.j.p.tree.loose
	g.own = loose.below != nil || loose.patterns != nil
	g.plain = make([]string, 0, 128)
	g.learn("**/.tada")
	for _, name := range builtins().named(markSecret) {
		g.learn(name)
	}
	for _, n := range builtins().protected {
		g.learn(n.name)
	}
	g.close()
	most, names := walk.MaxSearched, walk.MaxLooked
	if g.sealed {
		most, names = maxSearchedOwn, maxLookedOwn
	}
	n := 0
	defer func() {
		if g.partial = n < len(dirs); g.partial && g.sealed {
			g.shut(dirs[n:]...)
		}
	}()
	for ; n < len(dirs) && n < most && g.looked < names; n++ {
		dir := dirs[n]
		if slices.Contains(dirs[:min(n, 2)], dir) {
			continue // the working directory, met again below the workspace
		}
		l := g.j.disk.List(dir)
		if g.sealed && n > 0 && len(l.Entries) >= walk.MaxListed {
			g.shut(dir) // there is more in it than was read
			continue
		}
		for _, e := range l.Entries {
			g.looked++
			if secret, ok := g.inodes[e.Ino]; ok && !e.IsDir() &&
				walk.SameFile(pathname.Join(dir, e.Name), secret) {
				g.hide = append(g.hide, pathname.Join(dir, e.Name))
				continue
			}
			if g.could(e.Name) && g.take(dir, e.Name) {
				if folder := apartIn(pathname.Join(dir, e.Name)); deep && folder != "" {
					dirs = append(dirs, folder)
				}
				continue
			}
			if !deep || !e.IsDir() {
				continue
			}
			if g.covered[pathname.Join(dir, e.Name)] ||
				!g.sealed && (e.Name == ".git" || g.j.isRegenerable(e.Name)) {
				continue
			}
			dirs = append(dirs, pathname.Join(dir, e.Name))
		}
	}
}

// close finds out whether the configuration has names at any depth that may not be read or written.
func (g *ground) close() {
	deep := func(name string) bool {
		rest, is := strings.CutPrefix(name, "**/")
		g.long = g.long || is && strings.Contains(rest, "/")
		return is
	}
	for _, name := range g.j.p.set.ReadOnlyPaths {
		deep(name)
	}
	g.closed = slices.ContainsFunc(g.j.p.set.RestrictedPaths, deep)
	g.sealed = g.closed
	for i := range g.j.p.set.Paths {
		if r := &g.j.p.set.Paths[i]; r.Verdict == Deny && deep(r.Path) {
			g.closed = g.closed || r.covers(command.Read)
			g.sealed = g.sealed || r.covers(command.Read) || r.covers(command.Write)
		}
	}
}

// shut puts directories out of reach in which nobody has looked for such names.
func (g *ground) shut(dirs ...string) {
	if g.closed {
		g.hide = append(g.hide, dirs...)
		return
	}
	g.keep = append(g.keep, dirs...)
}

// could reports whether a name may be one of those that are searched for, or of a copy of one:
// nearly none is.
func (g *ground) could(name string) bool {
	if g.own {
		return true
	}
	if original, is := pathname.CopyOf(name); is && g.could(original) {
		return true
	}
	if !g.starts[name[0]] && !g.ends[name[len(name)-1]] {
		return false
	}
	if slices.Contains(g.plain, name) {
		return true
	}
	return slices.ContainsFunc(g.patterns, func(p string) bool { return pathname.Covers(p, name) })
}

// marks are those of a name: with a name of several parts in the configuration ("**/a/b"), of the
// whole path.
func (g *ground) marks(full, name string, visit func(mark)) {
	if g.long {
		g.j.p.tree.at(full, visit)
		return
	}
	g.j.p.tree.loose.walk(name, visit)
}

// take puts one name where it belongs, and reports whether nothing below it needs a look.
func (g *ground) take(dir, name string) bool {
	full := pathname.Join(dir, name)
	inGit := strings.Contains(dir+"/", "/.git/") // only names of the configuration are meant there
	secrets := builtins().named(markSecret)
	original, _ := pathname.CopyOf(name)
	if !inGit &&
		(pathname.AnyDeep(secrets, dir, name) || pathname.AnyDeep(secrets, dir, original)) &&
		!builtinPublic(full, g.j.p.homes) {
		g.hide = append(g.hide, full)
		return true
	}
	restricted, readonly := false, false
	g.marks(full, name, func(m mark) {
		restricted = restricted || m.kind == markRestricted || m.denies(command.Read)
		readonly = readonly || m.kind == markReadOnly || m.denies(command.Write)
	})
	switch {
	case restricted:
		g.hide = append(g.hide, full)
		return true
	case readonly, name == ".tada":
		g.keep = append(g.keep, full)
		return !g.closed // in there may be what is not to be read
	}
	for _, n := range builtins().protected {
		switch {
		case !pathname.IsDeep(n.name, dir, name), !g.j.plan.Caller.HasAgent(n.only):
		case name == ".git" && g.git:
			g.keep = g.j.disk.Below(g.keep, full, "hooks")
		case !g.j.anyUses(n.tools):
			g.keep = append(g.keep, full)
			return !g.closed
		}
	}
	return false
}

// Restricted names that the configuration has at any depth ("**/vault") are worth a search of the
// whole workspace. What is behind these bounds is hidden as a whole.
const (
	maxSearchedOwn = 1 << 14 // directories
	maxLookedOwn   = 1 << 19 // names in them
)
