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

// beforeRedirects asks about such a command, and forgets all names.
func (w *redirections) beforeRedirects(s *state, st *syntax.Stmt) {
	if !expandsIn(st.Redirs) || !assignsFirst(st.Cmd) {
		return
	}
	w.opaque(s, InCode, "the words of a command may assign what its redirections use", w.span(st))
	w.forget(s)
}

// assignsFirst reports whether the words of a simple command assign names while they are expanded.
// Where there are assignments alone, as when no word is left of a command, bash makes them first,
// and other shells last.
func assignsFirst(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.CallExpr:
		if len(c.Assigns) > 0 && !slices.ContainsFunc(c.Args, staysWord) {
			return true
		}
	case *syntax.DeclClause:
	default:
		return false
	}
	assigns := false
	syntax.Walk(c, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			return false // a shell of its own
		case *syntax.ParamExp:
			assigns = assigns || n.Exp != nil && (n.Exp.Op == syntax.AssignUnset ||
				n.Exp.Op == syntax.AssignUnsetOrNull)
		case *syntax.BinaryArithm:
			assigns = assigns || n.Op == syntax.Assgn ||
				n.Op >= syntax.AddAssgn && n.Op <= syntax.PowAssgn
		case *syntax.UnaryArithm:
			assigns = assigns || n.Op == syntax.Inc || n.Op == syntax.Dec
		}
		return !assigns
	})
	return assigns
}
