package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
)

// HandIn returns what a plan's package tools cannot read of their settings, because a sandbox hides
// the files, as variables of the environment: NAME=value. What the caller's environment has counts
// before it.
func (p Policy) HandIn(plan *resolve.Plan) (list []string) {
	var take func(*resolve.Plan)
	take = func(inner *resolve.Plan) {
		for _, g := range inner.Given {
			name, _, _ := strings.Cut(g.Variable, "=")
			if !slices.Contains(list, g.Variable) && !isSet(plan.Caller.Env, name) &&
				p.hides(plan, g.File) {
				list = append(list, g.Variable)
			}
		}
		for i := range inner.Inner {
			take(inner.Inner[i].Plan)
		}
	}
	take(plan)
	return list
}

// isSet reports whether an environment has a variable, in whatever case: to npm it is the same.
func isSet(env map[string]string, name string) bool {
	for other := range env {
		if strings.EqualFold(other, name) {
			return true
		}
	}
	return false
}

// hides reports whether the sandbox of a plan hides a file outside the workspace. Names that are
// secret in any folder are hidden in the workspace alone.
func (p Policy) hides(plan *resolve.Plan, real string) bool {
	hidden := false
	p.tree.at(real, func(m mark) {
		fixed := strings.HasPrefix(m.path, "~") || strings.HasPrefix(m.path, "/")
		hidden = hidden || fixed && (m.kind == markSecret || m.kind == markRestricted)
	})
	return hidden && !slices.ContainsFunc(p.Grants(plan).Reveal,
		func(g Grant) bool { return pathname.Within(real, g.Path) })
}
