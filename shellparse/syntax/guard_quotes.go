package syntax

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An around is what is around a node, as far as it decides what a single quote is there.
type around uint8

const (
	bare around = iota // a single quote begins a quotation
	// between double quotes, in a here-document, in arithmetic: a letter, which the parser knows
	doubled
	// in the word of an expansion: a letter where the whole is doubled, in a subscript, behind <<<
	// ...
	inWord
	changed // in "${x/old/new}": a quotation for bash, and a letter for others
	deeper  // in the word of an expansion in such a word: a letter, mostly
)

// within returns what is around the children of n, which itself is within now, and whether n is
// a quotation that could be letters. In POSIX mode, and in all shells but bash, even the end of
// "${x:-'}" is elsewhere than the parser sees it.
func within(n syntax.Node, now around, body bool) (inside around, doubtful bool) {
	switch n := n.(type) {
	case *syntax.CmdSubst, *syntax.ProcSubst:
		return bare, false
	case *syntax.DblQuoted, *syntax.ArithmExp, *syntax.ArithmCmd, *syntax.LetClause:
		return doubled, false
	case *syntax.Word:
		if body {
			return doubled, false
		}
	case *syntax.ParamExp:
		switch {
		case n.Repl != nil:
			return changed, false
		case n.Exp == nil || Trims(n.Exp.Op):
		case now >= inWord:
			return deeper, false
		default:
			return inWord, false
		}
	case *syntax.SglQuoted:
		escapes := n.Dollar || strings.Contains(n.Value, `\`)
		return now, now == deeper || now >= inWord && strings.ContainsAny(n.Value, "$`}\"") ||
			now == inWord && escapes || now == changed && strings.Contains(n.Value, `\'`)
	}
	return now, false
}

// Trims reports whether the word of an expansion is a pattern, in which quotes are quotes
// everywhere.
func Trims(op syntax.ParExpOperator) bool {
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return true
	}
	return false
}
