package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse/command"
)

// hides lists what exists of the restricted paths, the secrets and tada-run's own state,
// without what the plan reveals, and what stays as it is below the writable ground: names
// that run later, and readonly paths, unless the plan writes them.
func (j *judgement) hides(f *Fence) {
	d, reals := j.disk, j.p.reals
	hide := slices.Clone(j.p.states)
	for _, real := range d.Existing(nil, reals, j.p.set.RestrictedPaths...) {
		needed, all := needed(d, real)
		if !all {
			hide = append(hide, real)
			f.Needed = append(f.Needed, needed...)
		}
	}
	for _, name := range pathname.Secrets() {
		from := len(hide)
		hide = d.Existing(hide, reals, name)
		for i := from; i < len(hide); i++ { // a link, or a match of a pattern, can be something else
			if !strings.HasSuffix(hide[i], name[1:]) && builtinPublic(hide[i], j.p.homes) {
				hide = slices.Delete(hide, i, i+1)
				i--
			}
		}
	}
	keep := d.Existing(nil, reals, j.p.set.ReadOnlyPaths...)
	g := ground{j: j, git: j.uses("git"), hide: hide, keep: keep, covered: j.covered(hide, f.Reveal)}
	if deep := !f.Exact || j.sweeps(); deep {
		g.inodes = d.Inodes(hide)
		g.search(j.workDirs(), true)
	} else {
		g.search(j.workDirs(), false)
	}
	f.Partial = g.partial
	for _, real := range g.hide {
		f.Hide = append(f.Hide, j.around(real, f.Reveal)...)
	}
	f.Hide = pathname.SortUnique(aliases(f.Hide))
	f.ReadOnly = pathname.SortUnique(append(aliases(slices.DeleteFunc(g.keep, j.written)), mirrored(f.Write)...))
}

// sweeps reports whether the plan takes a tree as a whole, so that what is nested in it is
// met without being named.
func (j *judgement) sweeps() bool {
	for i := range j.plan.Targets {
		if j.plan.Targets[i].Flags&(command.Recursive|command.Below) != 0 {
			return true
		}
	}
	return false
}

// A ground is the workspace being searched for names that can stand at any depth.
type ground struct {
	j          *judgement
	git        bool // the plan runs git, which may write its own folder but not the hooks in it
	own        bool // the configuration has such names too ...
	closed     bool // ... and some of them may not be reached at all
	hide, keep []string
	covered    map[string]bool   // what is hidden as a whole: nothing in it needs a look
	inodes     map[uint64]string // of what is hidden: a file in the workspace may be a hard link of it
	looked     int
	partial    bool      // there was more than the bounds let be looked at
	plain      []string  // the last components of the built-in names ...
	patterns   []string  // ... and those of them that are patterns
	starts     [256]bool // the first bytes of both, and the last bytes of patterns that start with "*"
	ends       [256]bool
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
	for _, name := range pathname.Secrets() {
		g.learn(name)
	}
	for _, n := range protectedNames() {
		g.learn(n.name)
	}
	g.closed = slices.ContainsFunc(g.j.p.set.RestrictedPaths, func(name string) bool { return strings.HasPrefix(name, "**/") })
	most, names := walk.MaxSearched, walk.MaxLooked
	if g.closed {
		most, names = maxSearchedOwn, maxLookedOwn
	}
	n := 0
	defer func() {
		if g.partial = n < len(dirs); g.partial && g.closed {
			g.hide = append(g.hide, dirs[n:]...)
		}
	}()
	for ; n < len(dirs) && n < most && g.looked < names; n++ {
		dir := dirs[n]
		if slices.Contains(dirs[:min(n, 2)], dir) {
			continue // the working directory, met again below the workspace
		}
		l := g.j.disk.List(dir)
		if g.closed && n > 0 && len(l.Entries) >= walk.MaxListed {
			g.hide = append(g.hide, dir) // there is more in it than was read
			continue
		}
		for _, e := range l.Entries {
			g.looked++
			if secret, ok := g.inodes[e.Ino]; ok && !e.IsDir() && walk.SameFile(pathname.Join(dir, e.Name), secret) {
				g.hide = append(g.hide, pathname.Join(dir, e.Name))
				continue
			}
			if g.could(e.Name) && g.take(dir, e.Name) || !deep || !e.IsDir() {
				continue
			}
			if g.covered[pathname.Join(dir, e.Name)] || !g.closed && (e.Name == ".git" || g.j.isRegenerable(e.Name)) {
				continue
			}
			dirs = append(dirs, pathname.Join(dir, e.Name))
		}
	}
}

// could reports whether a name may be one of those that are searched for: nearly none is.
func (g *ground) could(name string) bool {
	if g.own {
		return true
	}
	if !g.starts[name[0]] && !g.ends[name[len(name)-1]] {
		return false
	}
	if slices.Contains(g.plain, name) {
		return true
	}
	for _, p := range g.patterns {
		if pathname.Covers(p, name) {
			return true
		}
	}
	return false
}

// take puts one name where it belongs, and reports whether nothing below it needs a look.
func (g *ground) take(dir, name string) bool {
	full := pathname.Join(dir, name)
	if pathname.AnyDeep(pathname.Secrets(), dir, name) && !builtinPublic(full, g.j.p.homes) {
		g.hide = append(g.hide, full)
		return true
	}
	restricted, readonly := false, false
	g.j.p.tree.loose.walk(name, func(m mark) {
		restricted = restricted || m.kind == markRestricted
		readonly = readonly || m.kind == markReadOnly
	})
	switch {
	case restricted:
		g.hide = append(g.hide, full)
		return true
	case readonly:
		g.keep = append(g.keep, full)
		return true
	}
	if name == ".tada" {
		g.keep = append(g.keep, full)
		return true
	}
	for _, n := range protectedNames() {
		switch {
		case !pathname.IsDeep(n.name, dir, name), !g.j.plan.Caller.HasAgent(n.only):
		case name == ".git" && g.git:
			g.keep = g.j.disk.Below(g.keep, full, "hooks")
		case !g.j.anyUses(n.tool):
			g.keep = append(g.keep, full)
			return true
		}
	}
	return false
}

// around lists what to hide so that a path is hidden and what is revealed in it is not:
// the path itself, or its other entries.
func (j *judgement) around(path string, reveal []Grant) []string {
	inside := false
	for _, g := range reveal {
		if pathname.Within(path, g.Path) {
			return nil
		}
		inside = inside || pathname.Within(g.Path, path)
	}
	if !inside {
		return []string{path}
	}
	var out []string
	for _, e := range j.disk.List(path).Entries {
		out = append(out, j.around(pathname.Join(path, e.Name), reveal)...)
	}
	return out
}

// covered are those of the hidden names in the workspace in which nothing is revealed.
func (j *judgement) covered(hide []string, reveal []Grant) map[string]bool {
	var whole map[string]bool
	for _, name := range hide {
		if j.plan.Workspace == "" || !pathname.Within(name, j.plan.Workspace) || slices.ContainsFunc(reveal, func(g Grant) bool { return pathname.Within(g.Path, name) || pathname.Within(name, g.Path) }) {
			continue
		}
		if whole == nil {
			whole = map[string]bool{}
		}
		whole[name] = true
	}
	return whole
}

func (j *judgement) workDirs() []string {
	var dirs []string
	if j.plan.Workspace != "" {
		dirs = append(dirs, j.plan.Workspace)
	}
	if j.plan.Dir != j.plan.Workspace && pathname.Within(j.plan.Dir, j.plan.Workspace) {
		dirs = append(dirs, j.plan.Dir)
	}
	return dirs
}

// written reports whether the plan writes a path or something below it, or deletes a tree that
// holds it: those are judged as what they are. Writing to a folder around it is not: a word
// such as "touch ." says nothing about what is in there.
func (j *judgement) written(path string) bool {
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		a := actionOf(t)
		if !changes(t, a) || t.Unknown {
			continue
		}
		if pathname.Within(t.Path(), path) || (a == ToDelete || a == ToWipe) && t.Flags&command.Below == 0 && pathname.Within(path, t.Path()) {
			return true
		}
	}
	for _, k := range j.files() {
		if k.written(path) {
			return true
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
