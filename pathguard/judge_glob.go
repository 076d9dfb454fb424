package pathguard

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/command"
)

// meetsNothing reports whether a pattern begins with letters of its own, says the ending, and fits
// nothing that is there: what it will meet is from this line, which moves nothing there.
func (j *judgement) meetsNothing(t *resolve.Target) bool {
	const few, wild = 3, `*?[{\`
	at := slices.IndexFunc(j.plan.Globs,
		func(g resolve.Glob) bool { return g.Effect == t.Effect })
	if at < 0 || j.plan.Globs[at].Count > 0 {
		return false
	}
	dir, stem := path.Split(j.plan.Globs[at].Pattern)
	ending := path.Ext(stem)
	return len(ending) > 1 && !strings.ContainsAny(dir+ending, wild) &&
		strings.IndexAny(stem, wild) >= few &&
		!slices.ContainsFunc(j.plan.Targets, func(w resolve.Target) bool {
			moves := w.Right == command.Delete || w.Unknown && alters(&w)
			return moves && w.Command != t.Command
		})
}

// globs holds every pattern against the rules too: a directory that cannot be listed now
// may be listed by the command.
func (j *judgement) globs() {
	for _, g := range j.plan.Globs {
		e := &j.script.Effects[g.Effect]
		t := resolve.Target{Right: e.Right, Flags: e.Flags, Name: e.Name.Text, Effect: g.Effect,
			Command: e.Command, Glob: true, One: e.Name.One}
		action := actionOf(&t)
		j.p.tree.matches(g.Pattern, func(m mark) {
			switch {
			case m.swept: // what it really met is among the targets, and the rest is hidden
			case m.kind == markRestricted:
				j.add(Deny, "path.restricted", m.path, "", e.Span, e.Command)
			case m.kind == markState:
				j.add(Deny, "path.state", m.path, "", e.Span, e.Command)
			case m.kind == markSecret && g.Count == 0 && (action == ToRead || action == ToExecute):
				j.add(Ask, "read.secret", m.path, "", e.Span, e.Command)
			case m.kind == markReadOnly && action >= ToWrite && action <= ToSweep:
				j.add(Ask, "path.readonly", m.path, "", e.Span, e.Command)
			}
		})
		if name := instanceOf(path.Base(g.Pattern)); g.Count == 0 && name != "" &&
			(action == ToRead || action == ToExecute) &&
			j.marked(pathname.Join(path.Dir(g.Pattern), name), markSecret) {
			j.add(Ask, "read.secret", g.Pattern, "", e.Span, e.Command)
		}
		if g.Count > g.Kept && g.Kept > 0 {
			j.add(Ask, "path.many", g.Pattern, strconv.Itoa(g.Count), e.Span, e.Command)
		}
	}
}
