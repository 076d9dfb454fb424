package eval

import (
	"slices"
	"strings"

	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
	"mvdan.cc/sh/v3/syntax"
)

// Questions about the tree of a text, without evaluation.

// hasSingleQuotes reports whether a word has single quotes. Arithmetic is as in double quotes, so
// they stay; those of let are gone before it sees them.
func hasSingleQuotes(word *syntax.Word) bool {
	return slices.ContainsFunc(word.Parts, func(p syntax.WordPart) bool {
		_, ok := p.(*syntax.SglQuoted)
		return ok
	})
}

// stored are the name and the subscript on the left of an assignment; the name is "" where it is
// none.
func stored(left syntax.ArithmExpr) (name string, index syntax.ArithmExpr) {
	word, isWord := left.(*syntax.Word)
	if !isWord || len(word.Parts) != 1 {
		return "", nil
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		return p.Value, nil
	case *syntax.ParamExp:
		if p.Param != nil {
			return p.Param.Value, p.Index
		}
	}
	return "", nil
}

func lastLit(parts []syntax.WordPart) (*syntax.Lit, bool) {
	if len(parts) == 0 {
		return nil, false
	}
	lit, ok := parts[len(parts)-1].(*syntax.Lit)
	return lit, ok
}

func hasQuotes(p syntax.WordPart) bool {
	param, ok := p.(*syntax.ParamExp)
	return ok && anywhere(param, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.DblQuoted, *syntax.SglQuoted:
			return true
		}
		return false
	})
}

// quotesInQuotes reports whether an expansion has quotes whose own expansions have quotes.
func quotesInQuotes(p *syntax.ParamExp) bool {
	return anywhere(p, func(n syntax.Node) bool {
		q, ok := n.(*syntax.DblQuoted)
		return ok && slices.ContainsFunc(q.Parts, hasQuotes)
	})
}

func bracesInside(p *syntax.ParamExp) bool {
	return anywhere(p, func(n syntax.Node) bool {
		lit, ok := n.(*syntax.Lit)
		return ok && strings.ContainsAny(lit.Value, "{}")
	})
}

// firstLit is the text at the front of a word.
func firstLit(word *syntax.Word) string {
	if len(word.Parts) == 0 {
		return ""
	}
	text, _ := lastLit(word.Parts[:1])
	if text == nil {
		return ""
	}
	return text.Value
}

// isPiece reports whether a word is a piece of $x, as in ${x:0:4}, and nothing else.
func isPiece(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	p, ok := word.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Slice != nil || p.Repl != nil) && p.Exp == nil
}

// isPlainParam reports whether a word is $x or ${x} and nothing else, of one value.
func isPlainParam(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	p, ok := word.Parts[0].(*syntax.ParamExp)
	return ok && p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Param != nil && !isAt(p) &&
		!isStar(p)
}

// expands reports whether an assignment has a value that is no plain text.
func expands(assigns []*syntax.Assign) bool {
	return slices.ContainsFunc(assigns, func(a *syntax.Assign) bool {
		return a.Value != nil &&
			a.Value.Lit() == ""
	})
}

// assignsIn reports whether an expansion in the values of assignments assigns a name.
func assignsIn(list []*syntax.Assign, name string) bool {
	return slices.ContainsFunc(list, func(a *syntax.Assign) bool {
		return a.Value != nil && anywhere(a.Value, func(n syntax.Node) bool {
			p, ok := n.(*syntax.ParamExp)
			return ok && p.Param != nil && p.Param.Value == name && p.Exp != nil &&
				(p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull)
		})
	})
}

// param is the parameter that a word is and nothing else.
func param(x *syntax.Word) (*syntax.ParamExp, bool) {
	if len(x.Parts) != 1 {
		return nil, false
	}
	p, ok := x.Parts[0].(*syntax.ParamExp)
	return p, ok
}

// plainDigits reports whether an expression is a number above zero, as it is written.
func plainDigits(x syntax.ArithmExpr) bool {
	word, ok := x.(*syntax.Word)
	return ok && decimal(word.Lit())
}

// bareOf reports whether a word has one of chars outside of quotes: in ${x-{a}} zsh waits for the
// second end, and ${x-?} is a pattern there.
func bareOf(word *syntax.Word, chars string) bool {
	return slices.ContainsFunc(word.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.ContainsAny(lit.Value, chars)
	})
}

// runsCommand reports whether a command substitution is in a word, however deep.
func runsCommand(word *syntax.Word) bool {
	return anywhere(word, func(n syntax.Node) bool { _, ok := n.(*syntax.CmdSubst); return ok })
}

// anywhere reports whether a node, or one below it, is such a one.
func anywhere(top syntax.Node, is func(syntax.Node) bool) bool {
	found := false
	syntax.Walk(top, func(n syntax.Node) bool {
		found = found || is(n) // of nil, which ends a list, nothing is true
		return !found
	})
	return found
}

// lonely reports whether a dollar sign that starts no expansion is in a word beside an
// expansion that would be split: bash 5.2 does not split it then, other versions do.
func lonely(word *syntax.Word) bool {
	dollar, beside := false, false
	for _, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			dollar = dollar || strings.Contains(p.Value, "$")
		case *syntax.SglQuoted:
		default:
			beside = true
		}
	}
	return dollar && beside
}

// hasDefault reports whether an expansion is ${x:-word} or a similar one.
func hasDefault(p syntax.WordPart) bool {
	param, ok := p.(*syntax.ParamExp)
	return ok && param.Exp != nil && !shsyntax.Trims(param.Exp.Op)
}

// substitutes reports whether an expansion has a substitution or arithmetic in it.
func substitutes(p syntax.WordPart) bool {
	param, ok := p.(*syntax.ParamExp)
	return ok && anywhere(param, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ArithmExp:
			return true
		}
		return false
	})
}

func hasBackslash(p syntax.WordPart) bool {
	lit, ok := p.(*syntax.Lit)
	return ok && strings.Contains(lit.Value, `\\`)
}

// isAt reports whether p makes one field of each element: $@, ${a[@]}, ${!x@}.
func isAt(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "@" && !p.Length {
		return true
	}
	sub, ok := subscript(p.Index)
	return ok && sub == "@" && !p.Length
}

// isStar reports whether p joins all elements: $*, ${a[*]}.
func isStar(p *syntax.ParamExp) bool {
	if p.Param != nil && p.Param.Value == "*" && !p.Length {
		return true
	}
	sub, ok := subscript(p.Index)
	return ok && sub == "*" && !p.Length
}

func subscript(x syntax.ArithmExpr) (string, bool) {
	if w, ok := x.(*syntax.Word); ok && len(w.Parts) == 1 {
		if lit, ok := w.Parts[0].(*syntax.Lit); ok {
			return lit.Value, true
		}
	}
	return "", false
}

// followed reports whether p is of a form that bash has and this package follows.
func followed(p *syntax.ParamExp) bool {
	return p.Param != nil && !p.Width && !p.IsSet && p.Flags == nil && p.NestedParam == nil &&
		len(p.Modifiers) == 0 &&
		p.Split == 0 && p.GlobSubst == 0 && p.RcExpand == 0
}

func zshOnly(p *syntax.ParamExp) bool { return p.Excl || p.Names != 0 || p.Index != nil }

func isQuoted(p syntax.WordPart) bool {
	_, ok := p.(*syntax.DblQuoted)
	return ok
}

// makesList reports whether a part is $@ or a whole array, or has one between quotes.
func makesList(p syntax.WordPart) bool {
	quotes, ok := p.(*syntax.DblQuoted)
	return isList(p) || ok && slices.ContainsFunc(quotes.Parts, isList)
}

func paramWords(p *syntax.ParamExp) []*syntax.Word {
	switch {
	case p.Exp != nil:
		return []*syntax.Word{p.Exp.Word}
	case p.Repl != nil:
		return []*syntax.Word{p.Repl.Orig, p.Repl.With}
	}
	return nil
}

// hasTilde reports whether a part has a tilde that the value of an assignment would expand.
func hasTilde(p syntax.WordPart) bool {
	lit, ok := p.(*syntax.Lit)
	return ok && (strings.Contains(lit.Value, ":~") || strings.Contains(lit.Value, "=~"))
}

// hasList reports whether $@ or $* is in a word.
func hasList(word *syntax.Word) bool {
	return anywhere(word, func(n syntax.Node) bool {
		p, ok := n.(*syntax.ParamExp)
		return ok && (isAt(p) || isStar(p))
	})
}

// allQuoted reports whether no expansion of a word is outside quotes.
func allQuoted(word *syntax.Word) bool {
	for _, p := range word.Parts {
		switch p.(type) {
		case *syntax.Lit, *syntax.SglQuoted, *syntax.DblQuoted:
		default:
			return false
		}
	}
	return true
}

// expandsIn reports whether a redirection depends on a variable.
func expandsIn(list []*syntax.Redirect) bool {
	return slices.ContainsFunc(list, func(r *syntax.Redirect) bool {
		return r.Hdoc != nil || r.Word != nil && r.Word.Lit() == ""
	})
}

// staysWord reports whether a word is certainly one when it has been expanded.
func staysWord(word *syntax.Word) bool {
	return slices.ContainsFunc(word.Parts, func(p syntax.WordPart) bool {
		switch p := p.(type) {
		case *syntax.ParamExp, *syntax.CmdSubst:
			return false
		case *syntax.DblQuoted:
			return !slices.ContainsFunc(p.Parts, isList)
		}
		return true
	})
}

// isList reports whether a part of a word is $@ or a whole array, which may have no element.
func isList(p syntax.WordPart) bool {
	param, ok := p.(*syntax.ParamExp)
	return ok && isAt(param)
}
