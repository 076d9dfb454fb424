package eval

import (
	"strings"

	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
	"mvdan.cc/sh/v3/syntax"
)

// Here are the constructs that zsh reads as bash does, although they have odd sides: an expansion
// of a scalar whose value is known and plain, with operands that are plain too.

// alike reports whether a part of a word is such an expansion.
func (w *environment) alike(s *state, n syntax.Node, quoted bool) bool {
	switch n := n.(type) {
	case *syntax.ParamExp:
		return !n.Excl && n.Index == nil && n.Param != nil && w.plainScalar(s, n.Param.Value) &&
			alikeParam(n)
	case *syntax.ArithmExp:
		return w.o.Dialect == Zsh && !n.Bracket && w.plainNumbers(s, n.X)
	}
	return false
}

func alikeParam(p *syntax.ParamExp) bool {
	switch {
	case p.Length:
		return p.Exp == nil && p.Slice == nil && p.Repl == nil
	case p.Slice != nil:
		return plainDigits(p.Slice.Offset) && (p.Slice.Length == nil || plainDigits(p.Slice.Length))
	case p.Repl != nil:
		return p.Repl.Orig != nil && plainLetters(p.Repl.Orig.Lit()) &&
			(p.Repl.With == nil || plainLetters(p.Repl.With.Lit()))
	}
	return false
}

// plainScalar reports whether a name has one value, of printable ASCII.
func (w *environment) plainScalar(s *state, name string) bool {
	if !syntax.ValidName(name) {
		return false
	}
	v, ok := s.env.get(name)
	if !ok || !v.set || v.isList || v.isHash || v.odd || v.integer {
		return false
	}
	text, ok := v.val.text()
	return ok && v.val.word().Static && shsyntax.ASCII(text)
}

// plainNumbers reports whether arithmetic has only operators that all shells share, between
// numbers without a leading zero.
func (w *environment) plainNumbers(s *state, x syntax.ArithmExpr) bool {
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
				return p.Slice == nil && p.Exp == nil && p.Index == nil && p.Param != nil &&
					w.plainScalar(s, p.Param.Value)
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

// plainLetters reports whether a text means itself everywhere.
func plainLetters(text string) bool {
	return text != "" && strings.Trim(text,
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:-") == ""
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
func plainBraces(text string) bool {
	front, rest, ok := strings.Cut(text, "{")
	list, tail, closed := strings.Cut(rest, "}")
	if !ok || !closed || front != "" && !plainLetters(front) || tail != "" && !plainLetters(tail) {
		return false
	}
	if from, to, ok := strings.Cut(list, ".."); ok {
		return decimal(from) && decimal(to)
	}
	choices := strings.Split(list, ",")
	for _, c := range choices {
		if !plainLetters(c) {
			return false
		}
	}
	return len(choices) > 1
}
