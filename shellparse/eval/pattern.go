package eval

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	shpattern "mvdan.cc/sh/v3/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// maxTrim bounds the value that a pattern is tried on, because a regular expression is
// tried at each of its positions.
const maxTrim = 1024

// patternOf expands a word that is a pattern, and returns nil when it is not known.
func (w *words) patternOf(s *state, word *syntax.Word) *regexp.Regexp {
	if word == nil {
		return nil
	}
	v := w.patternWord(s, word)
	for _, p := range v {
		if !p.known() {
			return nil
		}
	}
	if extended(v) {
		return nil // whether it is a pattern depends on an option
	}
	expr, err := shpattern.Regexp(v.glob(), shpattern.EntireString)
	if err != nil {
		return nil
	}
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil
	}
	return re
}

// patternWord expands a word that is a pattern: what comes out of an expansion outside
// quotes is one as well.
func (w *words) patternWord(s *state, word *syntax.Word) value {
	if w.odd(s, word) {
		return w.oddWord(s, word)
	}
	e := expander{w: w, s: s}
	e.pattern = true
	e.word(word)
	return e.field()
}

// trim is ${x#p}, ${x%p} and the changes of case.
func (w *words) trim(s *state, text string, p *syntax.ParamExp) value {
	if p.Exp.Word == nil {
		return caseOf(p.Exp.Op, text)
	}
	switch p.Exp.Op {
	case syntax.UpperFirst, syntax.UpperAll, syntax.LowerFirst, syntax.LowerAll:
		w.visitWord(s, p.Exp.Word)
		return unknown("the case of some characters is changed", Literal)
	}
	re := w.patternOf(s, p.Exp.Word)
	if re == nil || hasList(p.Exp.Word) || len(text) > maxTrim || !w.characters(s, text) {
		return unknown("a pattern that is not known is taken off", Literal)
	}
	cuts := boundaries(text)
	switch p.Exp.Op {
	case syntax.RemSmallPrefix:
		for _, i := range cuts {
			if re.MatchString(text[:i]) {
				return known(text[i:])
			}
		}
	case syntax.RemLargePrefix:
		for n := len(cuts) - 1; n >= 0; n-- {
			if re.MatchString(text[:cuts[n]]) {
				return known(text[cuts[n]:])
			}
		}
	case syntax.RemSmallSuffix:
		for n := len(cuts) - 1; n >= 0; n-- {
			if re.MatchString(text[cuts[n]:]) {
				return known(text[:cuts[n]])
			}
		}
	case syntax.RemLargeSuffix:
		for _, i := range cuts {
			if re.MatchString(text[i:]) {
				return known(text[:i])
			}
		}
	default:
		return unknown("an operator that is not followed", Literal)
	}
	return known(text)
}

// boundaries returns the offsets at which text can be cut between characters.
func boundaries(text string) []int {
	var out []int
	for i := range text {
		out = append(out, i)
	}
	return append(out, len(text))
}

func caseOf(op syntax.ParExpOperator, text string) value {
	r, n := utf8.DecodeRuneInString(text)
	switch {
	case op == syntax.UpperAll:
		return known(strings.ToUpper(text))
	case op == syntax.LowerAll:
		return known(strings.ToLower(text))
	case text == "":
		return known("")
	case op == syntax.UpperFirst:
		return known(string(unicode.ToUpper(r)) + text[n:])
	case op == syntax.LowerFirst:
		return known(string(unicode.ToLower(r)) + text[n:])
	}
	return known(text)
}

// replace is ${x/p/r}, ${x//p/r}, ${x/#p/r} and ${x/%p/r}.
func (w *words) replace(s *state, text string, p *syntax.ParamExp) value {
	with := known("")
	if p.Repl.With != nil {
		with = w.single(s, p.Repl.With)
	}
	to, fine := with.text()
	if p.Repl.Orig == nil {
		return known(text)
	}
	orig := w.patternWord(s, p.Repl.Orig)
	from, simple := orig.text()
	for _, q := range orig {
		simple = simple && (q.kind == literal ||
			q.kind == active && !strings.ContainsAny(q.text, `*?[\`))
	}
	if len(from) > 0 && (from[0] == '#' || from[0] == '%') && !p.Repl.All {
		return unknown("an anchored replacement", with.from())
	}
	if !fine || !simple || strings.ContainsAny(to, `&\`) {
		return unknown("a pattern is replaced", worse(with.from(), orig.from()))
	}
	if from == "" {
		return known(text)
	}
	if p.Repl.All {
		return known(strings.ReplaceAll(text, from, to))
	}
	return known(strings.Replace(text, from, to, 1))
}
