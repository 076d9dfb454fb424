package pathguard

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/pathguard/walk"
)

// isUncertain reports whether a target may be another file than its path says.
func (p *Policy) isUncertain(t *resolve.Target, action Action) bool {
	switch {
	case strings.HasPrefix(t.Why, "too many"), t.Why == walk.WhyUnnamed:
		return true
	case t.Why != walk.WhyCaseless, action == ToRead, action == ToList:
		return false // where nothing is, nothing can be read
	}
	for part := range strings.SplitSeq(t.Missing, "/") {
		if !inOneCase(part) || p.knows(part) {
			return true
		}
	}
	return false
}

// inOneCase reports whether a name is in lower case, and of letters that have no second spelling.
func inOneCase(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r > '~' || 'A' <= r && r <= 'Z' })
}

// knows reports whether a rule has a component of a path with capitals, which is this one without.
func (p *Policy) knows(part string) bool {
	b := builtins()
	for i := range b.lists {
		for _, name := range b.lists[i].names {
			if isSpelled(part, name) {
				return true
			}
		}
	}
	for i := range b.protected {
		if isSpelled(part, b.protected[i].name) {
			return true
		}
	}
	return p.tree != nil && (p.tree.fixed.knows(part) || p.tree.loose.knows(part))
}

// isSpelled reports whether a component of a path is one of a name that has capitals.
func isSpelled(part, name string) bool {
	for known := range strings.SplitSeq(name, "/") {
		if isInCapitals(part, known) {
			return true
		}
	}
	return false
}

// isInCapitals reports whether a component is, or may be by a pattern, a known one with capitals.
func isInCapitals(part, known string) bool {
	if inOneCase(known) {
		return false
	}
	w, err := pathname.Compile(strings.ToLower(known))
	return err != nil || w.Match(part)
}

// knows reports whether a rule here or below has the component with capitals.
func (n *node) knows(part string) bool {
	for name, next := range n.below {
		if isInCapitals(part, name) || next.knows(part) {
			return true
		}
	}
	return slices.ContainsFunc(n.patterns, func(w patternNode) bool {
		return isInCapitals(part, w.part.Text) || w.node.knows(part)
	})
}
