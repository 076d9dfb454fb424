package eval

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// operate applies the operator of p to a value.
func (w *parameters) operate(s *state, p *syntax.ParamExp, v value, set bool) value {
	if p.Exp == nil && p.Repl == nil && p.Slice == nil && !p.Length {
		return v
	}
	v = v.withoutDigits() // ${n:-x} is another value where there was none
	text, fine := v.text()
	if p.Length {
		if !fine {
			return value{{kind: number, why: "the length of a value that is not known"}}
		}
		if !w.characters(s, text) {
			return value{{kind: number, why: "the length depends on the language of the shell"}}
		}
		return known(strconv.Itoa(utf8.RuneCountInString(text)))
	}
	if p.Exp != nil {
		switch p.Exp.Op {
		case syntax.OtherParamOps:
			return w.transform(s, p, v)
		case syntax.ErrorUnset, syntax.ErrorUnsetOrNull:
			if p.Exp.Word != nil {
				w.visitWord(s.fork(), p.Exp.Word)
			}
			if !set || !fine || text == "" {
				w.mayFail(s, exiting)
			}
			if !set || fine && text == "" && p.Exp.Op == syntax.ErrorUnsetOrNull {
				return unknown("the shell ends here", v.from()) // nothing runs with an empty text
			}
			return v
		case syntax.DefaultUnset, syntax.AssignUnset, syntax.DefaultUnsetOrNull,
			syntax.AssignUnsetOrNull:
			return v
		case syntax.AlternateUnset, syntax.AlternateUnsetOrNull:
			if !set || fine {
				return v
			}
			w.visitParam(s, p)
			return unknown(v.why(), v.from())
		}
	}
	if !fine {
		w.uncertainly(s, "what may be expanded", func() { w.visitParam(s, p) })
		if name, ok := matched(s, p, v); ok {
			return name
		}
		if piece, ok := labelled(p, v); ok {
			return piece
		}
		if kept, ok := shortened(p, v); ok {
			return kept
		}
		if p.Repl != nil && !replacesByDigits(p.Repl) {
			return unknown(v.why(), v.from()) // it may become anything
		}
		return derived(v)
	}
	return w.piece(s, p, text)
}

// labelled follows ${x%%:*} and ${x#*:} of a value that begins with a known label and its colon.
func labelled(p *syntax.ParamExp, v value) (value, bool) {
	if len(v) < 2 || v[0].kind != literal || p.Exp == nil || p.Exp.Word == nil {
		return nil, false
	}
	cut := p.Exp.Word.Lit()
	if len(cut) != 2 || strings.Trim(cut, "*:=|,@") != "" {
		return nil, false
	}
	sign := strings.Trim(cut, "*")
	label, rest, ok := strings.Cut(v[0].text, sign)
	switch {
	case !ok || len(sign) != 1:
	case p.Exp.Op == syntax.RemLargeSuffix && cut == sign+"*":
		return known(label), true
	case p.Exp.Op == syntax.RemSmallPrefix && cut == "*"+sign && rest == "":
		return slices.Clone(v[1:]), true
	case p.Exp.Op == syntax.RemSmallPrefix && cut == "*"+sign:
		return append(known(rest), v[1:]...), true
	}
	return nil, false
}

// shortened follows ${f%.ext} of a name that was found: the root stays in front of it.
func shortened(p *syntax.ParamExp, v value) (value, bool) {
	below, ok := v.foundBelow()
	if !ok || p.Exp == nil || p.Exp.Word == nil || p.Exp.Op != syntax.RemSmallSuffix {
		return nil, false
	}
	cut := p.Exp.Word.Lit()
	if cut == "" || strings.ContainsAny(cut, `*?[]\/`) || strings.HasSuffix(below.Text, cut) {
		return nil, false
	}
	why := "it is a piece of a name that was found"
	return value{{text: below.Text}, {kind: open, why: why}}, true
}

// replacesByDigits reports whether a replacement keeps what is a number one, or takes it away.
func replacesByDigits(r *syntax.Replace) bool {
	if r.With == nil || len(r.With.Parts) == 0 {
		return true
	}
	text := r.With.Lit()
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// piece is what a slice, a replacement or a trim leaves of a text.
func (w *parameters) piece(s *state, p *syntax.ParamExp, text string) value {
	switch {
	case text == "": // of nothing bash does not ask for a piece
		w.uncertainly(s, "what may be expanded", func() { w.visitParam(s, p) })
		if p.Slice != nil && p.Slice.Length != nil {
			w.mayFail(s, leaving) // it is counted from the end, which is before the start
		}
		if p.Repl != nil && p.Repl.Orig != nil &&
			(p.Repl.Orig.Lit() == "" || strings.ContainsAny(p.Repl.Orig.Lit(), "#%*")) {
			return unknown("a pattern that may match nothing", Literal)
		}
		return known("")
	case p.Slice != nil:
		return w.slice(s, text, p)
	case p.Repl != nil && w.on.nocasematch: // the case of letters counts elsewhere, not here
		w.visitParam(s, p)
		return unknown("what is replaced may be so without regard to case", Literal)
	case p.Repl != nil:
		return w.replace(s, text, p)
	}
	return w.trim(s, text, p)
}

// matched follows ${f%.ext} and ${f##*/} of a name that a pattern has matched: the first
// stays in its directory, the second is its last component. A pattern does not match a
// leading dot by itself, so no ".." can come out.
func matched(s *state, p *syntax.ParamExp, v value) (value, bool) {
	if len(v) != 1 || v[0].kind != pattern || p.Exp == nil || p.Exp.Word == nil || s.dotglob {
		return nil, false
	}
	slash := strings.LastIndexByte(v[0].text, '/') + 1
	dir, last := v[0].text[:slash], v[0].text[slash:]
	cut := p.Exp.Word.Lit()
	if last == "" || last[0] == '.' || last[0] == '[' || last[0] == '\\' {
		return nil, false
	}
	if text, ok := unended(v[0], p.Exp.Op, cut); ok {
		return value{{kind: pattern, text: text, from: v[0].from, of: v[0].of}}, true
	}
	switch p.Exp.Op {
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		if strings.HasPrefix(cut, ".") && !strings.ContainsAny(cut, `/\[`) {
			return value{{kind: pattern, text: dir + "*", from: v[0].from}}, true
		}
	case syntax.RemLargePrefix:
		if cut == "*/" && !strings.Contains(last, "**") {
			of := v[0].of
			if starOf(last) == "" {
				of = "" // the star was in what is gone
			}
			return value{{kind: pattern, text: last, from: v[0].from, of: of}}, true
		}
	}
	return nil, false
}

// unended removes an ending that every name which the pattern matches is known to have, so that the
// star still matches the same characters: *.txt without .txt, or without .*, is the star.
func unended(p part, op syntax.ParExpOperator, cut string) (string, bool) {
	_, tail, one := strings.Cut(p.text, "*")
	switch {
	case !one || p.of == "" || strings.Contains(tail, "/") || op != syntax.RemSmallSuffix:
		return "", false
	case cut == ".*" && strings.LastIndexByte(tail, '.') >= 0:
		return p.text[:strings.LastIndexByte(p.text, '.')], true
	case cut == "" || strings.ContainsAny(cut, `*?[]\`) || !strings.HasSuffix(tail, cut):
		return "", false
	}
	return strings.TrimSuffix(p.text, cut), true
}

func (w *parameters) slice(s *state, text string, p *syntax.ParamExp) value {
	from, ok1 := w.number(s, p.Slice.Offset)
	runes := []rune(text)
	size := int64(len(runes))
	to, ok2 := size, true
	if p.Slice.Length != nil {
		to, ok2 = w.number(s, p.Slice.Length)
	}
	if !ok1 || !ok2 || !w.characters(s, text) {
		return unknown("which characters is not known", Literal)
	}
	if from < 0 {
		from += size
	}
	if from < 0 || from > size {
		return known("")
	}
	if p.Slice.Length != nil && to >= 0 {
		to = min(size, from+to)
	} else if p.Slice.Length != nil {
		to += size
	}
	if to < from {
		w.mayFail(s, leaving)
		return known("")
	}
	return known(string(runes[from:to]))
}

// transform is ${x@op}. Of all of them @P runs what is in the value.
func (w *parameters) transform(s *state, p *syntax.ParamExp, v value) value {
	if text, fine := v.text(); fine && p.Exp.Word != nil && p.Exp.Word.Lit() == "P" {
		w.second(s, text)
	} else {
		w.opaque(s, InCode, "an operator that is not followed", w.span(p))
	}
	return unknown("an operator that is not followed", v.from())
}

// visitParam evaluates what is inside an expansion for its effects only.
func (w *parameters) visitParam(s *state, p *syntax.ParamExp) {
	if p.Index != nil {
		w.arithmetic(s, p.Index)
	}
	if p.Slice != nil {
		w.arithmetic(s, p.Slice.Offset)
		w.arithmetic(s, p.Slice.Length)
	}
	if p.Flags != nil && strings.Contains(p.Flags.Value, "e") {
		w.opaque(s, InCode, "zsh expands the value once more, substitutions included", w.span(p))
	}
	for _, word := range paramWords(p) {
		if word != nil {
			w.visitWord(s, word)
		}
	}
	if p.NestedParam != nil {
		w.visitWord(s, &syntax.Word{Parts: []syntax.WordPart{p.NestedParam}})
	}
}
