package eval

import (
	"slices"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"mvdan.cc/sh/v3/syntax"
)

// param expands a parameter into the fields of e.
func (w *parameters) parameter(e *expander, p *syntax.ParamExp, quoted bool) {
	s := e.s
	if !followed(p) || w.o.Dialect == Zsh && !p.Short && zshOnly(p) {
		w.visitParam(s, p)
		e.expansion(unknown("this expansion is not followed", Unknown), quoted)
		return
	}
	if list, ok := w.list(s, p); ok {
		if w.alternativeList(e, p) {
			return
		}
		if v, ok := w.lookup(s, p.Param.Value); p.Slice != nil && p.Index != nil && ok &&
			!v.isList && !v.isHash {
			// a substring, but for d=(${a[@]:0:1}), where it is all of it
			_ = w.operate(s, p, v.val, true)
			list = []value{unknown("a piece of one value, or all of it", v.val.from()).maybeMany()}
		} else if p.Slice != nil {
			list = w.sliceList(s, list, p)
		} else {
			list = slices.Clone(list)
			for i := range list {
				many := list[i].several()
				if list[i] = w.operate(s, p, list[i], true); many {
					list[i] = list[i].listed()
				}
			}
		}
		if !quoted && e.split && e.ifs == "" && len(list) > 0 &&
			(p.Exp != nil || p.Repl != nil || p.Excl) {
			e.expansion(unknown("elements that are changed and not split", Literal), false)
			return
		}
		w.elements(e, p, list, quoted)
		return
	}
	v, set := w.param(s, p)
	if !set && s.nounset && (p.Exp == nil || p.Exp.Op >= syntax.RemSmallSuffix) {
		w.mayFail(s, exiting)
	}
	if !set && p.Exp == nil && len(v) == 0 {
		v = value{{why: notSet}}
	}
	_, own := s.env.get(p.Param.Value)
	secret := p.Exp == nil && !p.Length && !own && catalog.SecretName(p.Param.Value)
	if secret && p.Slice == nil && p.Repl == nil {
		v = append(value{{why: ofSecret}}, v...)
	}
	if w.alternative(e, p, &v, set, quoted) {
		return
	}
	v = w.operate(s, p, v, set)
	if secret && (p.Slice != nil || p.Repl != nil) {
		v = append(value{{why: ofSecret}}, v...) // a piece of it is a piece of a secret
	}
	e.expansion(v, quoted)
}

// alternative handles ${x:-word} and its family where the word itself makes the fields.
func (w *parameters) alternative(e *expander, p *syntax.ParamExp, v *value, set, quoted bool) bool {
	if p.Exp == nil {
		return false
	}
	text, fine := v.text()
	use, family := chosen(p.Exp.Op, set, set && fine && text == "")
	if !family {
		return false
	}
	if v.perhapsNone() {
		*v = unknown(v.why(), v.from())
		text = ""
	}
	maybe := !fine && text == "" // an unknown value may be empty, or that of a name without one
	if op := p.Exp.Op; !maybe && (op == syntax.AlternateUnset ||
		op == syntax.AlternateUnsetOrNull) {
		*v = known("")
	}
	if maybe && p.Exp.Word != nil {
		w.uncertainly(e.s, "what may be expanded", func() { w.visitWord(e.s, p.Exp.Word) })
	}
	assigns := p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull
	if assigns && (use || maybe) && p.Excl { // what is assigned is the name that this one holds
		w.forget(e.s)
	}
	if assigns && maybe && p.Index != nil {
		w.assignTo(e.s, p.Param.Value+"[?]", unknown("it may have been assigned", Unknown))
	}
	switch {
	case !use || maybe:
		return false
	case assigns:
		w.assignDefault(e, p, quoted)
	default:
		w.alternativeWord(e, p.Exp.Word, quoted)
	}
	return true
}

// chosen reports whether an operator takes its word instead of the value; false when it is none of
// the family.
func chosen(op syntax.ParExpOperator, set, null bool) (use, family bool) {
	switch op {
	case syntax.DefaultUnset, syntax.AssignUnset:
		return !set, true
	case syntax.DefaultUnsetOrNull, syntax.AssignUnsetOrNull:
		return !set || null, true
	case syntax.AlternateUnset:
		return set, true
	case syntax.AlternateUnsetOrNull:
		return set && !null, true
	}
	return false, false
}

// assignDefault is ${x:=word} of a name without a value.
func (w *parameters) assignDefault(e *expander, p *syntax.ParamExp, quoted bool) {
	val := known("")
	if p.Exp.Word != nil {
		val = w.assignable(e, p.Exp.Word, quoted)
	}
	v, _ := e.s.env.get(p.Param.Value)
	val = w.attributed(e.s, v, val)
	switch sub, _ := subscript(p.Index); {
	case p.Excl:
	case p.Index != nil:
		w.assignTo(e.s, p.Param.Value+"["+sub+"]", val)
	default:
		w.assign(e.s, p.Param.Value, val)
	}
	e.expansion(val, quoted)
}

// alternativeWord is the word of ${x:-word} or ${x:+word} where it is taken; nil is an empty one.
func (w *parameters) alternativeWord(e *expander, word *syntax.Word, quoted bool) {
	switch {
	case word == nil:
		e.expansion(known(""), quoted)
	case quoted:
		w.quotedWord(e, word)
	case len(word.Parts) > 1 && hasList(word):
		w.uncertainly(e.s, "what may be expanded", func() { w.visitWord(e.s, word) })
		e.cur = e.cur.add(part{kind: open, why: "a list beside other things in an expansion",
			many: e.split})
	default:
		w.alternativeWords(e, word)
	}
}

// assignable is the value that the word of ${x:=word} gives. Between double quotes single ones
// are letters.
func (w *parameters) assignable(e *expander, word *syntax.Word, quoted bool) value {
	if !quoted {
		val := w.single(e.s, word).quoted()
		if before, after, found := strings.Cut(firstLit(word), "="); found &&
			syntax.ValidName(before) && strings.Contains(after, "~") {
			return unknown("a tilde in what looks like an assignment in the value of one", Unknown)
		}
		if w.o.Dialect == Zsh && runsCommand(word) { // which is split, and joined with spaces
			return unknown("zsh splits what a command prints before it assigns it", val.from())
		}
		return val
	}
	q := expander{w: &w.words, s: e.s}
	for _, part := range word.Parts {
		q.part(part, true)
	}
	return joined(q.finish())
}

// quotedWord adds the word of "${x:-word}". Beside other things, quotes and letters may go with
// what is empty next to them in bash 5.2, and a list makes several words.
func (w *parameters) quotedWord(e *expander, word *syntax.Word) {
	e.some = true
	if len(word.Parts) > 1 && slices.ContainsFunc(word.Parts,
		func(p syntax.WordPart) bool { return isQuoted(p) || makesList(p) }) {
		w.uncertainly(e.s, "what may be expanded", func() { w.visitWord(e.s, word) })
		e.cur = e.cur.add(part{kind: open, why: "quotes in quotes, which shells read differently",
			many: e.split})
		return
	}
	for _, q := range word.Parts {
		e.part(q, true)
	}
}

// alternativeList is alternative for $@, $* and whole arrays, where shells differ in what is empty.
func (w *parameters) alternativeList(e *expander, p *syntax.ParamExp) bool {
	if p.Exp == nil || p.Exp.Op > syntax.AssignUnsetOrNull {
		return false
	}
	w.opaque(e.s, InCode, "whether a list is empty is not followed", w.span(p))
	if p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull {
		w.mayFail(e.s, leaving)
		w.forget(e.s)
	}
	if p.Exp.Word != nil {
		w.uncertainly(e.s, "what may be expanded", func() { w.visitWord(e.s, p.Exp.Word) })
	}
	e.cur = e.cur.add(part{kind: open, why: "whether a list is empty is not known", many: e.split})
	return true
}

// words adds the unquoted word of ${x:-word}, which is split like a value.
func (w *parameters) alternativeWords(e *expander, word *syntax.Word) {
	for i, q := range word.Parts {
		if lit, ok := q.(*syntax.Lit); ok {
			text := lit.Value
			if !e.split && strings.Contains(text, ":~") {
				why := "a tilde behind a colon in the value of an assignment, or of something else"
				e.lit(part{kind: open, why: why})
				continue
			}
			if i == 0 {
				text = e.tilde(text, len(word.Parts) == 1 || strings.Contains(text, "/"))
			}
			for _, p := range unescape(nil, text) {
				if p.kind == active {
					e.expansion(value{p}, false)
				} else {
					e.lit(p)
				}
			}
			continue
		}
		e.part(q, false)
	}
}

// elements adds the fields of $@, $* and of whole arrays.
func (w *parameters) elements(e *expander, p *syntax.ParamExp, list []value, quoted bool) {
	if certain(list) < len(list) && (!e.split || isStar(p) && quoted) {
		e.expansion(unknown("a list is joined whose length is not known", Unknown), true)
		return
	}
	if !quoted && e.split && len(list) > 1 && strings.Trim(e.ifs, " \t\n") != "" {
		// Shells join them with the first character of IFS before they split them, or do not.
		e.expansion(unknown("a list is split at characters that are no blanks", Literal), false)
		return
	}
	// Without any IFS, bash 5.2 leaves its own mark (001) in elements that it changes, even in one
	// alone.
	if ifs, loose := w.ifs(e.s); !e.split && (len(list) > 1 || ifs == "") &&
		(loose || ifs != " \t\n") && !w.joins(p) {
		e.expansion(unknown("shells join a list with a blank or with IFS", Literal), true)
		return
	}
	if isStar(p) && (quoted || !e.split) {
		if v, own := e.s.env.get("IFS"); own && v.set && !v.val.whole() && len(list) > 1 {
			e.expansion(unknown("a list is joined with IFS, which is not known", Literal), true)
			return
		}
		sep := e.separator()
		e.some = true
		for i, v := range list {
			if i > 0 {
				e.lit(part{text: sep})
			}
			e.append(v)
		}
		return
	}
	sure := -1
	if e.some || len(e.cur) > 0 {
		sure = len(e.done)
	}
	for i, v := range list {
		if i > 0 {
			if e.split {
				e.cut()
			} else {
				e.lit(part{text: " "})
			}
		}
		if quoted {
			e.append(v)
		} else {
			e.expansion(v, false)
		}
		if (e.some || len(e.cur) > 0) && !v.vanishes() {
			sure = len(e.done)
		}
	}
	if n := len(list); e.split && n > 0 && list[n-1].vanishes() && len(e.cur) > 0 && sure >= 0 &&
		sure < len(e.done) {
		e.sure, e.last = sure, len(e.done)
		e.cur[len(e.cur)-1].why += ", or nothing" // and so unlike what may follow
	}
}

// param returns the value that an operator of p would work on.
func (w *parameters) param(s *state, p *syntax.ParamExp) (value, bool) {
	if p.Names != 0 {
		return unknown("the names of variables", Unknown), true
	}
	if v, _ := s.env.get(p.Param.Value); p.Excl && v.ref {
		return unknown("what a name stands for", Unknown), true
	}
	v, ok := w.direct(s, p)
	if p.Excl && !ok {
		w.mayFail(s, leaving)
	}
	if p.Excl && !ok { // nothing, which in bash is a word beside a list
		return unknown("it is the value of a name that is not set", Literal), true
	}
	if p.Excl {
		if p.Param.Value == "@" || p.Param.Value == "*" {
			return unknown("it is the value of a name that is not known", Unknown), true
		}
		return w.indirect(s, v)
	}
	return v, ok
}

// direct is param before the indirection of ${!x}.
func (w *parameters) direct(s *state, p *syntax.ParamExp) (value, bool) {
	name := p.Param.Value
	if p.Length && (name == "@" || name == "*") || name == "#" {
		if s.argsOpen || name != "#" && w.o.Dialect == POSIX {
			// dash counts the characters of them all
			return value{{kind: number, why: "the number of arguments is not known"}}, true
		}
		if name != "#" { // whose characters are counted
			return known(strings.Repeat("x", len(s.args))), true
		}
		return known(strconv.Itoa(len(s.args))), true
	}
	if name == "0" {
		return w.zero(s), true
	}
	if n, err := strconv.Atoi(name); err == nil && n > 0 {
		return s.positional(n)
	}
	v, ok := w.lookup(s, name)
	switch {
	case p.Index != nil:
		return w.element(s, v, ok, p)
	case ok && v.isList && len(v.list) == 0:
		return nil, false
	case ok && v.isList:
		return v.list[0], true
	case ok && v.isHash:
		return v.at("0")
	}
	return v.val, ok
}

// sliceList returns ${@:o:l} and ${a[@]:o:l}.
func (w *parameters) sliceList(s *state, list []value, p *syntax.ParamExp) []value {
	if len(list) == 0 && p.Index != nil { // of nothing bash does not ask for a piece
		w.uncertainly(s, "the place of a piece",
			func() { w.number(s, p.Slice.Offset); w.number(s, p.Slice.Length) })
		return nil
	}
	from, ok1 := w.number(s, p.Slice.Offset)
	count, ok2 := int64(0), true
	if p.Slice.Length != nil {
		count, ok2 = w.number(s, p.Slice.Length)
	}
	if certain(list) < len(list) {
		return []value{unknown("which elements is not known", Unknown).maybeMany()}
	}
	if name := p.Param.Value; name == "@" || name == "*" {
		list = append([]value{w.zero(s)}, list...)
	}
	if p.Slice.Length == nil {
		count = int64(len(list))
	}
	if v, ok := w.lookup(s, p.Param.Value); !ok1 || !ok2 || count < 0 ||
		ok && v.isHash {
		return []value{unknown("which elements is not known", Unknown).maybeMany()}
	}
	if from < 0 {
		from += int64(len(list))
	}
	if from < 0 || from >= int64(len(list)) {
		return nil
	}
	return list[from:min(int64(len(list)), from+count)]
}
