package shellparse

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What mksh and zsh read as bash does, although the construct has odd sides: an expansion of
// a scalar whose value is known and plain, with operands that are plain too.

// alike reports whether a part of a word is such an expansion.
func (w *walker) alike(s *state, n syntax.Node, quoted bool) bool {
	switch n := n.(type) {
	case *syntax.ParamExp:
		if quoted && w.o.Dialect == Mksh && plainTrim(n) {
			return true // whatever the value is
		}
		return !n.Excl && n.Index == nil && n.Param != nil && w.plainScalar(s, n.Param.Value) && w.alikeParam(n, quoted)
	case *syntax.ArithmExp:
		return w.o.Dialect == Zsh && !n.Bracket && w.plainNumbers(s, n.X)
	}
	return false
}

func (w *walker) alikeParam(p *syntax.ParamExp, quoted bool) bool {
	switch {
	case !quoted && w.o.Dialect == Mksh:
		return false // it splits what an operator gives in a way of its own
	case p.Length:
		return p.Exp == nil && p.Slice == nil && p.Repl == nil
	case p.Slice != nil:
		return plainDigits(p.Slice.Offset) && (p.Slice.Length == nil || plainDigits(p.Slice.Length))
	case p.Repl != nil:
		return p.Repl.Orig != nil && plainLetters(p.Repl.Orig.Lit()) && (p.Repl.With == nil || plainLetters(p.Repl.With.Lit()))
	}
	return false
}

// plainTrim is ${x%PATTERN} and its kin, of a name and a pattern of letters and stars.
func plainTrim(p *syntax.ParamExp) bool {
	return !p.Excl && !p.Length && p.Index == nil && p.Param != nil && syntax.ValidName(p.Param.Value) && p.Exp != nil && p.Exp.Word != nil &&
		trims(p.Exp.Op) && plainLetters(strings.Trim(p.Exp.Word.Lit(), "*"))
}

// plainScalar reports whether a name has one value, of printable ASCII.
func (w *walker) plainScalar(s *state, name string) bool {
	if !syntax.ValidName(name) {
		return false
	}
	v, ok := s.env.get(name)
	if !ok || !v.set || v.isList || v.isHash || v.sparse || v.ref || v.odd || v.integer || v.lower || v.upper {
		return false
	}
	text, ok := v.val.text()
	return ok && v.val.word().Static && ascii(text)
}

// plainNumbers reports whether arithmetic has only operators that all shells share, between
// numbers without a leading zero.
func (w *walker) plainNumbers(s *state, x syntax.ArithmExpr) bool {
	switch x := x.(type) {
	case *syntax.BinaryArithm:
		switch x.Op {
		case syntax.Add, syntax.Sub, syntax.Mul:
			return w.plainNumbers(s, x.X) && w.plainNumbers(s, x.Y)
		case syntax.Quo, syntax.Rem, syntax.Shl, syntax.Shr:
			return w.plainNumbers(s, x.X) && plainDigits(x.Y) // not zero
		}
	case *syntax.ParenArithm:
		return w.plainNumbers(s, x.X)
	case *syntax.Word:
		if plainDigits(x) {
			return true
		}
		name := x.Lit()
		if p, ok := param(x); ok {
			if p.Length {
				return p.Slice == nil && p.Exp == nil && p.Index == nil && p.Param != nil && w.plainScalar(s, p.Param.Value)
			}
			name = ""
			if p.Short && p.Param != nil {
				name = p.Param.Value
			}
		}
		if !w.plainScalar(s, name) {
			return false
		}
		v, _ := s.env.get(name)
		text, _ := v.val.text()
		return decimal(text)
	}
	return false
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

func decimal(text string) bool {
	return text != "" && len(text) < 10 && text[0] != '0' && strings.Trim(text, "0123456789") == ""
}

// plainLetters reports whether a text means itself everywhere.
func plainLetters(text string) bool {
	return text != "" && strings.Trim(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-") == ""
}

// lastCount reports whether n is a $# at the end of a word or of its quotes: before anything
// else zsh may take it for the length of what follows.
func lastCount(word *syntax.Word, part syntax.WordPart, n syntax.Node) bool {
	p, ok := n.(*syntax.ParamExp)
	if !ok || !p.Short || p.Param == nil || p.Param.Value != "#" || p.Exp != nil || p.Index != nil {
		return false
	}
	if quotes, ok := part.(*syntax.DblQuoted); ok {
		return quotes.Parts[len(quotes.Parts)-1] == n
	}
	return word.Parts[len(word.Parts)-1] == n
}

// plainBraces reports whether a word is letters around one pair of braces that holds a list
// of letters, or in zsh two numbers.
func plainBraces(text string, d Dialect) bool {
	front, rest, ok := strings.Cut(text, "{")
	list, tail, closed := strings.Cut(rest, "}")
	if !ok || !closed || front != "" && !plainLetters(front) || tail != "" && !plainLetters(tail) {
		return false
	}
	if from, to, ok := strings.Cut(list, ".."); ok {
		return d == Zsh && decimal(from) && decimal(to)
	}
	choices := strings.Split(list, ",")
	for _, c := range choices {
		if !plainLetters(c) {
			return false
		}
	}
	return len(choices) > 1
}

// bareOf reports whether a word has one of chars outside of quotes: in ${x-{a}} zsh waits for the second end, and ${x-?} is a pattern there.
func bareOf(word *syntax.Word, chars string) bool {
	return slices.ContainsFunc(word.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.ContainsAny(lit.Value, chars)
	})
}

// runsCommand reports whether a command substitution stands in a word, however deep.
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
