package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/command"
)

// hides lists what exists of the restricted paths, the secrets and tada-run's own state, except
// what the plan reveals, and what stays read-only below the writable paths: names that run later,
// and readonly paths, unless the plan writes them.
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
	for _, real := range j.deniedPaths(command.Read) {
		if needed, all := needed(d, real); !all {
			hide, f.Needed = append(hide, real), append(f.Needed, needed...)
		}
	}
	for _, name := range builtins().named(markSecret) {
		from := len(hide)
		hide = d.Existing(hide, reals, name)
		for i := from; i < len(hide); i++ {
			// a link, or a match of a pattern, can be something else
			if !strings.HasSuffix(hide[i], name[1:]) && builtinPublic(hide[i], j.p.homes) {
				hide = slices.Delete(hide, i, i+1)
				i--
			}
		}
	}
	hide = append(hide, j.copiesOfSecrets()...)
	keep := append(d.Existing(nil, reals, j.p.set.ReadOnlyPaths...),
		j.deniedPaths(command.Write)...)
	g := ground{j: j, git: j.anyUses("git"), hide: hide, keep: keep,
		covered: j.covered(hide, f.Reveal)}
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
	f.ReadOnly = pathname.SortUnique(append(
		aliases(j.besides(slices.DeleteFunc(g.keep, j.written))), mirrored(f.Write)...))
}

// besides is what to keep of protected folders: where the plan writes to the folder apart in one,
// its other entries.
func (j *judgement) besides(keep []string) (list []string) {
	for _, name := range keep {
		folder := apartIn(name)
		if folder == "" || !slices.ContainsFunc(j.plan.Targets, func(t resolve.Target) bool {
			return changes(&t, actionOf(&t)) && !t.Unknown && pathname.Within(t.Path(), folder)
		}) {
			list = append(list, name)
			continue
		}
		for _, e := range j.disk.List(name).Entries {
			if full := pathname.Join(name, e.Name); full != folder {
				list = append(list, full)
			}
		}
	}
	return list
}

// copiesOfSecrets are files of the homes that are by their name copies of built-in secrets there.
func (j *judgement) copiesOfSecrets() (list []string) {
	for _, home := range j.p.reals {
		for _, e := range j.disk.List(home).Entries {
			full := pathname.Join(home, e.Name)
			if _, is := pathname.CopyOf(e.Name); is && j.marked(full, markSecret) {
				list = append(list, full)
			}
		}
	}
	return list
}

// deniedPaths are the existing paths to which rules of the configuration deny a right, but for the
// root: what is above everything is denied by not being granted.
func (j *judgement) deniedPaths(right command.Right) (list []string) {
	for i := range j.p.set.Paths {
		r := &j.p.set.Paths[i]
		if r.Verdict == Deny && r.covers(right) {
			list = j.disk.Existing(list, j.p.reals, r.Path)
		}
	}
	return slices.DeleteFunc(list, func(path string) bool { return path == "/" })
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
		if j.plan.Workspace == "" || !pathname.Within(name, j.plan.Workspace) ||
			slices.ContainsFunc(reveal,
				func(g Grant) bool {
					return pathname.Within(g.Path, name) || pathname.Within(name, g.Path)
				}) {
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
// contains it: such a name has been judged itself. Writing to a folder around it does not count: a
// word such as "touch ." says nothing about the contents.
func (j *judgement) written(name string) bool {
	apart := apartIn(name)
	for i := range j.plan.Targets {
		t := &j.plan.Targets[i]
		a := actionOf(t)
		if !changes(t, a) || t.Unknown {
			continue
		}
		if apart != "" && pathname.Within(t.Path(), apart) {
			continue
		}
		if pathname.Within(t.Path(), name) ||
			(a == ToDelete || a == ToWipe) && t.Flags&command.Below == 0 &&
				pathname.Within(name, t.Path()) {
			return true
		}
	}
	for _, k := range j.files() {
		if k.written(name) {
			return true
		}
	}
	return false
}
