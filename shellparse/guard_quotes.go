package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An around is what stands around a node, as far as it decides what a single quote is there.
type around uint8

const (
	bare    around = iota // a single quote begins a quotation
	doubled               // between double quotes, in a here-document, in arithmetic: a letter, which the parser knows
	inWord                // in the word of an expansion: a letter where the whole is doubled, in a subscript, behind <<< ...
	changed               // in "${x/old/new}": a quotation for bash, and a letter for others
	deeper                // in the word of an expansion in such a word: a letter, mostly
)

// context returns what stands around the children of n, and refuses a quotation that could be letters. In POSIX
// mode, and in all shells but bash, even the end of "${x:-'}" is elsewhere than the parser sees it.
func (g *guards) context(n syntax.Node) around {
	now := bare
	if len(g.around) > 0 {
		now = g.around[len(g.around)-1]
	}
	switch n := n.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return bare
	case *syntax.DblQuoted, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
		return doubled
	case *syntax.Word:
		if g.bodies[n] {
			return doubled
		}
	case *syntax.ParamExp:
		switch {
		case n.Repl != nil:
			return changed
		case n.Exp == nil || trims(n.Exp.Op):
		case now >= inWord:
			return deeper
		default:
			return inWord
		}
	case *syntax.SglQuoted:
		escapes := n.Dollar || strings.Contains(n.Value, `\`)
		if now == deeper || now >= inWord && strings.ContainsAny(n.Value, "$`}\"") || now == inWord && escapes || now == changed && strings.Contains(n.Value, `\'`) {
			g.refuse(int(n.Pos().Offset()), int(n.End().Offset()), "single quotes in an expansion")
		}
	}
	return now
}

// trims reports whether the word of an expansion is a pattern, in which quotes are quotes everywhere.
func trims(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return true
	}
	return false
}
