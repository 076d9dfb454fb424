package frozen

import (
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

// whole reports whether each index in a plan is of something that it has: a judgement relies on it.
func whole(p *resolve.Plan) bool {
	if p == nil || p.Script == nil {
		return false
	}
	s := p.Script
	command := func(i int) bool { return i >= -1 && i < len(s.Commands) }
	effect := func(i int) bool { return i >= -1 && i < len(s.Effects) }
	return all(s.Effects, func(e *shellparse.Effect) bool { return command(e.Command) }) &&
		all(s.Hazards, func(h *shellparse.Hazard) bool { return command(h.Command) }) &&
		all(s.Codes, func(c *shellparse.Code) bool { return command(c.Command) }) &&
		all(s.Opaque, func(o *shellparse.Opaque) bool { return command(o.Command) }) &&
		all(p.Targets, func(t *resolve.Target) bool {
			return command(t.Command) && effect(t.Effect)
		}) &&
		all(p.Programs, func(g *resolve.Program) bool { return command(g.Command) }) &&
		all(p.Contents, func(c *resolve.Content) bool { return command(c.Command) }) &&
		all(p.Globs, func(g *resolve.Glob) bool { return g.Effect >= 0 && effect(g.Effect) }) &&
		all(p.Limits, func(l *resolve.Limit) bool { return effect(l.Effect) }) &&
		all(p.Remotes, func(r *resolve.Remote) bool { return command(r.Command) }) &&
		all(p.Inner, func(in *resolve.Inner) bool {
			return in.Command >= 0 && command(in.Command) && whole(in.Plan)
		})
}

func all[T any](list []T, is func(*T) bool) bool {
	for i := range list {
		if !is(&list[i]) {
			return false
		}
	}
	return true
}
