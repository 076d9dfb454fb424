package pathguard

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// The bounds of the search below the workspace for names that can stand at any depth. What
// lies behind them is only hidden by the judgement: a plan that names it asks. Restricted names
// that the configuration has at any depth ("**/vault") are worth a search of all that there is,
// and what is behind the bounds of that is hidden as a whole.
const (
	maxSearched    = 256  // directories
	maxLooked      = 4096 // names in them
	maxSearchedOwn = 1 << 14
	maxLookedOwn   = 1 << 19
)

// hides lists what exists of the restricted paths, the secrets and tada-run's own state,
// without what the plan reveals, and what stays as it is below the writable ground: names
// that run later, and readonly paths, unless the plan writes them.
func (j *judgement) hides(f *Fence) {
	d, reals := j.disk, j.p.reals
	hide := slices.Clone(j.p.states)
	for _, real := range d.existing(nil, reals, j.p.set.RestrictedPaths...) {
		needed, all := d.needed(real)
		if !all {
			hide = append(hide, real)
			f.Needed = append(f.Needed, needed...)
		}
	}
	for _, name := range secretNames() {
		from := len(hide)
		hide = d.existing(hide, reals, name)
		for i := from; i < len(hide); i++ { // a link, or a match of a pattern, can be something else
			if !strings.HasSuffix(hide[i], name[1:]) && builtinPublic(hide[i], j.p.homes) {
				hide = slices.Delete(hide, i, i+1)
				i--
			}
		}
	}
	keep := d.existing(nil, reals, j.p.set.ReadOnlyPaths...)
	g := ground{j: j, git: j.uses("git"), hide: hide, keep: keep, covered: j.covered(hide, f.Reveal)}
	if deep := !f.Exact || j.sweeps(); deep {
		g.inodes = d.inodes(hide)
		g.search(j.workDirs(), true)
	} else {
		g.search(j.workDirs(), false)
	}
	f.Partial = g.partial
	for _, real := range g.hide {
		f.Hide = append(f.Hide, j.around(real, f.Reveal)...)
	}
	f.Hide = tidy(aliases(f.Hide))
	f.ReadOnly = tidy(append(aliases(slices.DeleteFunc(g.keep, j.written)), mirrored(f.Write)...))
}

func tidy(paths []string) []string {
	slices.Sort(paths)
	return slices.Compact(paths)
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
	for _, name := range secretNames() {
		g.learn(name)
	}
	for _, n := range protectedNames() {
		g.learn(n.name)
	}
	g.closed = slices.ContainsFunc(g.j.p.set.RestrictedPaths, func(name string) bool { return strings.HasPrefix(name, "**/") })
	most, names := maxSearched, maxLooked
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
		l := g.j.disk.list(dir)
		if g.closed && n > 0 && len(l.entries) >= maxListed {
			g.hide = append(g.hide, dir) // there is more in it than was read
			continue
		}
		for _, e := range l.entries {
			g.looked++
			if secret, ok := g.inodes[e.ino]; ok && !e.isDir() && sameFile(join(dir, e.name), secret) {
				g.hide = append(g.hide, join(dir, e.name))
				continue
			}
			if g.could(e.name) && g.take(dir, e.name) || !deep || !e.isDir() {
				continue
			}
			if g.covered[join(dir, e.name)] || !g.closed && (e.name == ".git" || g.j.isRegenerable(e.name)) {
				continue
			}
			dirs = append(dirs, join(dir, e.name))
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
		if covers(p, name) {
			return true
		}
	}
	return false
}

// take puts one name where it belongs, and reports whether nothing below it needs a look.
func (g *ground) take(dir, name string) bool {
	full := join(dir, name)
	if anyLoose(secretNames(), dir, name) && !builtinPublic(full, g.j.p.homes) {
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
		case !isLoose(n.name, dir, name), !g.j.plan.Caller.hasAgent(n.only):
		case name == ".git" && g.git:
			g.keep = g.j.disk.below(g.keep, full, "hooks")
		case !g.j.anyUses(n.tool):
			g.keep = append(g.keep, full)
			return true
		}
	}
	return false
}

func anyLoose(names []string, dir, name string) bool {
	for _, n := range names {
		if isLoose(n, dir, name) {
			return true
		}
	}
	return false
}

// isLoose reports whether a built-in name of any depth is this name in this directory.
func isLoose(builtin, dir, name string) bool {
	if builtin[0] != '*' {
		return false
	}
	builtin = builtin[len("**/"):]
	if cut := strings.LastIndexByte(builtin, '/'); cut >= 0 {
		return builtin[cut+1:] == name && builtin[:cut] == path.Base(dir)
	}
	return covers(builtin, name)
}

// around lists what to hide so that a path is hidden and what is revealed in it is not:
// the path itself, or its other entries.
func (j *judgement) around(path string, reveal []Grant) []string {
	inside := false
	for _, g := range reveal {
		if within(path, g.Path) {
			return nil
		}
		inside = inside || within(g.Path, path)
	}
	if !inside {
		return []string{path}
	}
	var out []string
	for _, e := range j.disk.list(path).entries {
		out = append(out, j.around(join(path, e.name), reveal)...)
	}
	return out
}

// covered are those of the hidden names in the workspace in which nothing is revealed.
func (j *judgement) covered(hide []string, reveal []Grant) map[string]bool {
	var whole map[string]bool
	for _, name := range hide {
		if j.plan.Workspace == "" || !within(name, j.plan.Workspace) || slices.ContainsFunc(reveal, func(g Grant) bool { return within(g.Path, name) || within(name, g.Path) }) {
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
	if j.plan.Dir != j.plan.Workspace && within(j.plan.Dir, j.plan.Workspace) {
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
		if within(t.Path(), path) || (a == ToDelete || a == ToWipe) && t.Flags&command.Below == 0 && within(path, t.Path()) {
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
