package eval

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// oddWord evaluates such a word for its effects alone.
func (w *words) oddWord(s *state, word *syntax.Word) value {
	w.uncertainly(s, "a word that shells read differently", func() { w.visitWord(s, word) })
	if w.o.Dialect == Zsh {
		w.qualifiers(s, word)
		if text := w.text(word); strings.Contains(text, "=") || strings.Contains(text, "++") ||
			strings.Contains(text, "--") {
			w.forget(s) // an assignment in it may not have been found
		}
	}
	return unknown("this shell reads the word in a way of its own", Unknown)
}

// fields expands a word of a command: braces, tilde, parameters, substitutions, splitting.
// Pathname patterns stay patterns.
func (w *words) fields(s *state, word *syntax.Word) []value {
	if w.odd(s, word) {
		return []value{w.oddWord(s, word).maybeMany()}
	}
	if v, ok := simple(word); ok {
		return []value{v}
	}
	if w.longIFS(s) {
		w.visitWord(s, word)
		why := "IFS has a letter of several bytes, some of which end even what stands in quotes"
		return []value{unknown(why, Literal).maybeMany()}
	}
	words, fine := []*syntax.Word{word}, true
	if w.o.Dialect != POSIX {
		words, fine = braces(word)
	}
	if !fine || lonely(word) {
		w.visitWord(s, word)
		return []value{unknown("the words that come out of it are not followed",
			Unknown).maybeMany()}
	}
	var out []value
	for _, one := range words {
		e := expander{w: w, s: s}
		e.split, e.braced, e.listing = true, one != word, hasList(one)
		e.ifs, e.loose = w.ifs(s)
		e.word(one)
		out = append(out, e.finish()...)
	}
	for i, v := range out {
		switch {
		case s.noglob:
			out[i] = v.quoted()
		case w.on.extglob && extended(v):
			out[i] = v.looselyMatched("a pattern with a list in parentheses comes out of it")
		case v.globbed() && w.matchesMore(s, v.glob()):
			out[i] = v.looselyMatched("the pattern matches names in a way of its own")
		}
	}
	return out
}

// qualifiers names the patterns of zsh that end in a parenthesis: *(e:code:) runs code for
// each name.
func (w *words) qualifiers(s *state, word *syntax.Word) {
	for _, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok && strings.Contains(lit.Value, "(") {
			w.opaque(s, InCode, "a pattern with a parenthesis can run code", w.span(word))
		}
	}
}

// simple is the short way for the commonest word, one literal without anything special.
func simple(word *syntax.Word) (value, bool) {
	if len(word.Parts) != 1 {
		return nil, false
	}
	switch p := word.Parts[0].(type) {
	case *syntax.Lit:
		if strings.ContainsAny(p.Value, "\\{~*?[") {
			return nil, false
		}
		return value{{kind: literal, text: p.Value}}, true
	case *syntax.SglQuoted:
		return value{ansiPart(p)}, true
	}
	return nil, false
}

// ansiPart is a single-quoted piece. Of $'..' it is kept whether letters hide in escapes.
func ansiPart(p *syntax.SglQuoted) part {
	q := part{text: singleQuoted(p)}
	if p.Dollar && escaped(p.Value) {
		q.why = disguised
	}
	return q
}

// single expands a word that stays one field: the value of an assignment, the subject of a
// case, the operand of [[.
func (w *words) single(s *state, word *syntax.Word) value {
	if v, ok := w.unexpanded(s, word); ok {
		return v
	}
	e := expander{w: w, s: s}
	e.word(word)
	return e.field()
}

// unexpanded is the value of a word that needs no expander: none, one that is read in another way,
// or plain text.
func (w *words) unexpanded(s *state, word *syntax.Word) (value, bool) {
	if word == nil {
		return known(""), true
	}
	if w.odd(s, word) {
		return w.oddWord(s, word), true
	}
	return simple(word)
}

// assigned is single with the tildes that an assignment expands behind each colon, and
// with every pattern character literal.
func (w *words) assigned(s *state, word *syntax.Word) value {
	if v, ok := w.unexpanded(s, word); ok {
		return v
	}
	e := expander{w: w, s: s}
	for i, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			e.colons(lit.Value, i == 0, i == len(word.Parts)-1)
		} else {
			e.part(p, false)
		}
	}
	return e.field().quoted()
}

// body expands a here-document: parameters and substitutions, no quotes, no splitting.
func (w *words) body(s *state, word *syntax.Word) value {
	if chars, loose := w.ifs(s); hasList(word) && (loose || chars != " \t\n") {
		w.visitWord(s, word)
		why := "a list in a here-document is joined in several ways" +
			" where IFS is not the usual one"
		return unknown(why, Literal)
	}
	e := expander{w: w, s: s}
	quotes := slices.ContainsFunc(word.Parts, func(p syntax.WordPart) bool {
		lit, ok := p.(*syntax.Lit)
		return ok && strings.Contains(lit.Value, `"`)
	})
	for _, p := range word.Parts {
		if w.oddInBody(s, p) {
			e.lit(part{kind: open, why: "this shell reads it in a way of its own"})
			w.uncertainly(s, "a here-document", func() { e.part(p, true) })
			continue
		}
		if lit, ok := p.(*syntax.Lit); ok {
			e.lit(part{text: unescapeHere(lit.Value)})
			continue
		}
		if substitutes(p) && (quotes || !hasDefault(p)) ||
			(quotes || w.o.Dialect == POSIX) && hasQuotes(p) {
			// bash 5.2 may not find its end
			w.uncertainly(s, "what may be expanded", func() { e.part(p, true) })
			e.lit(part{kind: open, why: "a substitution inside an expansion in a here-document"})
			w.mayFail(s, leaving)
			continue
		}
		e.part(p, true)
	}
	if len(e.cur) == 0 {
		return known("")
	}
	return e.cur
}

func (e *expander) word(word *syntax.Word) {
	for i, p := range word.Parts {
		if lit, ok := p.(*syntax.Lit); ok {
			text := lit.Value
			// bash(1), Tilde Expansion: a word that looks like an assignment is treated as one.
			if name, rest, found := strings.Cut(text, "="); i == 0 && found && !e.braced &&
				syntax.ValidName(name) && e.w.o.Dialect != POSIX && strings.Contains(rest, "~") {
				e.lit(part{kind: active, text: name + "="})
				e.colons(rest, true, len(word.Parts) == 1)
				continue
			}
			if i == 0 {
				text = e.tilde(text, len(word.Parts) == 1 || strings.Contains(text, "/"))
			}
			if text != "" {
				e.cur, e.some = unescape(e.cur, text), true
			}
			continue
		}
		e.part(p, false)
	}
}

// tilde replaces a tilde at the front of text and returns what follows it. Whole says that
// the prefix up to the first slash is complete: in ~"x" the quotes take the tilde's meaning.
func (e *expander) tilde(text string, whole bool) string {
	if text == "" || text[0] != '~' {
		return text
	}
	user, rest := text[1:], ""
	if i := strings.IndexByte(user, '/'); i >= 0 {
		user, rest = user[:i], user[i:]
	} else if !whole && !strings.ContainsAny(user, ":=") {
		return text
	}
	if strings.ContainsAny(user, ":=") {
		// bash 5.2 expands the tilde of ~:$x and then leaves $x as it is, and that of ~=~$x.
		e.append(unknown("a tilde before a colon", Unknown))
		return ""
	}
	if strings.IndexByte(user, '\\') >= 0 {
		return text
	}
	switch user {
	case "":
		e.append(e.w.tildeHome(e.s))
	case "+", "-":
		switch {
		case e.w.o.Dialect == POSIX && e.w.dash:
			return text
		case e.w.o.Dialect == POSIX:
			e.append(unknown("a directory in one sh, and text in another", Unknown))
			return rest
		}
		if user == "-" {
			old, _ := e.w.lookup(e.s, "OLDPWD")
			e.append(old.val)
			break
		}
		dir, _ := e.w.lookup(e.s, "PWD")
		e.append(dir.val)
	default:
		if user[0] >= '0' && user[0] <= '9' || user[0] == '+' || user[0] == '-' {
			e.append(unknown("~"+user+" is an entry of the directory stack", Unknown))
		} else {
			e.lit(part{kind: account, text: user})
		}
	}
	return rest
}

// part expands one part of a word.
func (e *expander) part(p syntax.WordPart, quoted bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if quoted {
			e.lit(part{text: unescapeQuoted(p.Value)})
		} else {
			e.cur, e.some = unescape(e.cur, p.Value), true
		}
	case *syntax.SglQuoted:
		if quoted && !p.Dollar {
			e.lit(part{text: "'" + p.Value + "'"}) // inside "${x:-'y'}" the quotes are characters
			return
		}
		e.lit(ansiPart(p))
	case *syntax.DblQuoted:
		if quoted && slices.ContainsFunc(p.Parts, hasBackslash) {
			e.w.uncertainly(e.s, "what may be expanded",
				func() { e.w.visitWord(e.s, &syntax.Word{Parts: p.Parts}) })
			e.lit(part{kind: open,
				why: "a backslash between quotes in quotes, which bash takes off or not"})
			return
		}
		e.double(p)
	case *syntax.ParamExp:
		e.w.interp.parameter(e, p, quoted)
	case *syntax.CmdSubst:
		v := e.w.interp.substitution(e.s, p)
		if !quoted && e.split {
			e.cutUp(v) // zsh too splits what a command prints
			return
		}
		e.expansion(v, quoted)
	case *syntax.ArithmExp:
		e.expansion(e.w.interp.arithmetic(e.s, p.X), quoted)
	case *syntax.ProcSubst:
		e.lit(e.w.interp.process(e.s, p))
	case *syntax.ExtGlob:
		e.extended(p)
	case *syntax.BraceExp:
		for _, w := range p.Elems {
			e.word(w)
		}
	}
}

// extended adds a pattern such as @(a|b), which the parser leaves as it is written. Of names it
// matches no more than a star would, unless its list has a leading dot.
func (e *expander) extended(p *syntax.ExtGlob) {
	inner := p.Pattern.Value
	if strings.Contains(inner, "`") || strings.Contains(inner, "$(") ||
		strings.Contains(inner, "${") || strings.Contains(inner, "$[") ||
		strings.Contains(inner, "<(") || strings.Contains(inner, ">(") {
		e.w.opaque(e.s, InCode, "an expansion inside a pattern", e.w.span(p))
	}
	switch {
	case e.pattern:
		e.lit(part{kind: pattern, text: p.Op.String() + inner + ")"})
	case !e.split || e.s.noglob || strings.ContainsAny(inner, ".$`") || e.w.matchesMore(e.s, ""):
		e.lit(part{kind: open, why: "which names the list of a pattern matches", from: File,
			many: e.split, loose: "*"})
	default:
		e.lit(part{kind: pattern, text: "*"})
	}
}

func (e *expander) double(p *syntax.DblQuoted) {
	// "$@" of no arguments makes no field at all.
	if len(p.Parts) == 1 {
		if pe, ok := p.Parts[0].(*syntax.ParamExp); ok && isAt(pe) {
			e.w.interp.parameter(e, pe, true)
			return
		}
	}
	e.some = true
	if p.Dollar {
		if _, ok := e.s.env.get("TEXTDOMAIN"); ok {
			e.lit(part{kind: open, why: "a translation of the text", from: File})
		}
	}
	for _, q := range p.Parts {
		e.part(q, true)
	}
}

// expansion adds the value of an expansion, cut at IFS unless it is quoted.
func (e *expander) expansion(v value, quoted bool) {
	if quoted || !e.split {
		e.some = true
		for _, p := range v {
			switch {
			case quoted && p.kind == active:
				p.kind = literal
			case !quoted && e.pattern && p.kind == literal:
				p.kind = active
			}
			e.cur = e.cur.add(p)
		}
		return
	}
	if e.w.o.Dialect == Zsh {
		e.zsh(v)
		return
	}
	e.cutUp(v)
}

// visitWord evaluates what is in a word for its effects only. It is read as if it was
// between quotes, so that what it assigns is not known.
func (w *words) visitWord(s *state, word *syntax.Word) {
	w.uncertainly(s, "what may be expanded", func() {
		e := expander{w: w, s: s}
		for _, p := range word.Parts {
			e.part(p, true)
		}
	})
}

// colons appends a literal of an assignment, in which a tilde may follow each colon.
func (e *expander) colons(text string, first, last bool) {
	pieces := strings.Split(text, ":")
	for j, piece := range pieces {
		if j > 0 {
			e.lit(part{kind: active, text: ":"})
		}
		if first || j > 0 {
			piece = e.tilde(piece, last || strings.Contains(piece, "/") || j < len(pieces)-1)
		}
		e.cur, e.some = unescape(e.cur, piece), true
	}
}
