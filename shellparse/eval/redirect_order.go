package eval

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// A shell expands the words of a simple command before its redirections (POSIX, Simple
// Commands), which are evaluated here first, because they decide what the command reads and
// where it writes. What the words assign is therefore not known in the redirections:
//
//	: ${f:=/home/dev/.bashrc} >"$f"

// beforeRedirects makes such names unknown, and returns what gives them their values back.
func (w *redirections) beforeRedirects(s *state, st *syntax.Stmt) func() {
	names := w.assignedByWords(s, st.Cmd)
	if len(names) == 0 || !expandsIn(st.Redirs) {
		return func() {}
	}
	old := make([]variable, len(names))
	hidden := unknown("the same command gives it a value", Unknown)
	for i, name := range names {
		old[i] = w.standing(s, name)
		w.put(s, name, holding(hidden))
	}
	return func() {
		for i, name := range names {
			if v, ok := s.env.get(name); ok && v.val.word() == hidden.word() {
				// no redirection has assigned it
				w.restore(s, name, old[i])
			}
		}
	}
}

// assignedByWords are the names that the words of a simple command assign while they are
// expanded. Where there are assignments alone, as when no word is left of a command, bash
// makes them first, and other shells last.
func (w *redirections) assignedByWords(s *state, c syntax.Command) (names []string) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		if !slices.ContainsFunc(c.Args, staysWord) {
			for _, a := range c.Assigns {
				if a.Name != nil {
					names = append(names, a.Name.Value)
				}
			}
		}
	case *syntax.DeclClause:
	default:
		return nil
	}
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false // a shell of its own
		case *syntax.ParamExp:
			if n.Exp == nil || n.Exp.Op != syntax.AssignUnset &&
				n.Exp.Op != syntax.AssignUnsetOrNull || n.Param == nil {
				return true
			}
			name := n.Param.Value
			if v, ok := w.lookup(s, name); ok && n.Excl {
				name, _ = v.val.text()
			}
			names = append(names, name)
		case *syntax.BinaryArithm:
			if name, _ := stored(n.X); n.Op != syntax.Comma {
				names = append(names, name)
			}
		case *syntax.UnaryArithm:
			if name, _ := stored(n.X); n.Op == syntax.Inc || n.Op == syntax.Dec {
				names = append(names, name)
			}
		}
		return true
	})
	var valid []string
	for _, name := range names {
		if syntax.ValidName(name) {
			valid = append(valid, name)
		}
	}
	return valid
}
