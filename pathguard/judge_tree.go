package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// below judges the contents of a target that is taken as a whole: deleting or reading an ancestor
// reaches everything in it.
func (j *judgement) below(f *finding, t *resolve.Target, full string, action Action) {
	whole := t.Flags&command.Recursive != 0 || t.Below() || action == ToWipe ||
		action == ToDelete && t.Mode.IsDir() && t.Exists || action == ToSweep && t.Mode.IsDir()
	if !whole {
		return
	}
	if t.Below() {
		for _, c := range j.findersOf(t.Command) {
			j.aimed(full, action, c, t.Command, j.span(t.Effect))
		}
	} else if action == ToRead {
		j.searched(full, t.Command, j.span(t.Effect))
	}
	inside := j.inside(full)
	held := j.p.tree.holds(full)
	for _, name := range t.Others {
		if more := j.p.tree.holds(name); more != 0 && !j.inside(name) {
			held, full = held|more, name
		}
	}
	for _, k := range []struct {
		mark  markKind
		place Place
	}{{markRestricted, InRestricted}, {markState, InState}, {markReadOnly, InReadOnly}} {
		if !held.has(k.mark) {
			continue
		}
		switch {
		case t.Below() && action >= ToWrite && action <= ToSweep &&
			!(k.mark == markRestricted && mountsTree(t)):
			// only part of it: the sandbox protects the rest
			j.add(Ask, "path.reach", full, j.p.tree.under(full, k.mark), j.span(t.Effect),
				t.Command)
		case action >= ToWrite && action <= ToSweep:
			f.put(k.place, j.p.tree.under(full, k.mark))
		case k.mark != markReadOnly && action == ToRead && !inside:
			j.add(Ask, "path.sweep", full, j.p.tree.under(full, k.mark), j.span(t.Effect),
				t.Command)
		}
	}
	if held.has(markSecret) && action == ToRead && !inside && !systemHeld(full) {
		j.add(Ask, "path.sweep", full, j.p.tree.under(full, markSecret), j.span(t.Effect),
			t.Command)
	}
}

// lists judges names that are listed and then read by something else: find | xargs cat. What
// is read is unknown, but where it was looked for is not.
func (j *judgement) lists() {
	for i := range j.script.Opaque {
		o := &j.script.Opaque[i]
		j.piped(o)
		if o.Place != shellparse.InRead &&
			!(o.Place == shellparse.InOption && j.readsUnknown(o.Command)) ||
			!strings.Contains(o.Why, "standard input") {
			continue
		}
		for k := range j.plan.Targets {
			t := &j.plan.Targets[k]
			full := t.Path()
			if actionOf(t) != ToList || t.Flags&command.Recursive == 0 || t.Real == "" ||
				j.inside(full) || systemHeld(full) {
				continue
			}
			for _, kind := range []markKind{markRestricted, markSecret} {
				if j.p.tree.holds(full).has(kind) {
					j.add(Ask, "path.sweep", full, j.p.tree.under(full, kind), o.Span, o.Command)
					break
				}
			}
		}
	}
}

// readsUnknown reports whether a command reads a name that is not known.
func (j *judgement) readsUnknown(cmd int) bool {
	return slices.ContainsFunc(j.plan.Targets,
		func(t resolve.Target) bool {
			return t.Command == cmd && t.Unknown && t.Right == command.Read
		})
}

// systemHeld reports whether what a directory of the system hides is hidden by its mode
// anyway: grep -r in /etc meets /etc/shadow and is refused.
func systemHeld(full string) bool {
	return full != "/" && pathname.WithinAny(full, pathname.SystemDirs)
}

// mountsTree reports whether a container gets a tree to write in, where no sandbox protects a part
// of it.
func mountsTree(t *resolve.Target) bool {
	return t.Right == command.Write && t.Below() && t.Flags&command.Recursive != 0
}
