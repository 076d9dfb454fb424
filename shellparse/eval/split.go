package eval

import (
	"slices"
	"strings"
)

// cutUp adds the value of an unquoted expansion, cut at IFS: word splitting, POSIX 2.6.5.
func (e *expander) cutUp(v value) {
	for _, p := range v {
		switch {
		case !p.known():
			if p.kind == pattern && (e.ifs != " \t\n" || strings.ContainsAny(p.text, " \t\n")) {
				p = part{kind: open, why: "a name that matches a pattern is split", from: File}
			}
			if p.why == whyFound && e.ifs != " \t\n" {
				p = part{kind: open, why: "a name that is found is cut", from: File}
			}
			p.many = p.many || p.kind == open
			p.cuts = p.kind == pattern && p.from == File && e.w.o.Dialect != Zsh
			e.cur, e.some = e.cur.add(p), true
		case e.loose, e.w.o.Dialect == Zsh && e.ifs != " \t\n":
			e.cur = e.cur.add(part{kind: open, why: "IFS is not known", from: p.from, many: true})
		case p.text == "" && len(e.cur) > 0:
			e.cur = e.cur.add(p) // for what is said of it
		default:
			e.splitText(p.text, p.why)
		}
	}
}

// zsh does not split an unquoted parameter and does not take its characters for patterns,
// but drops it when it is empty.
func (e *expander) zsh(v value) {
	text, ok := v.text()
	switch {
	case ok && text == "":
		return
	case !ok && v.display() == "":
		v = slices.Clone(v).maybeMany() // it may be empty
		e.cur, e.some = append(e.cur, v...), true
		return
	}
	e.append(v)
}

// splitText cuts the characters of an unquoted expansion at IFS, as POSIX 2.6.5 says.
func (e *expander) splitText(text, said string) {
	if e.ifs == "" {
		if text != "" {
			e.cur = e.cur.add(part{kind: active, text: text, why: said})
			e.some = true
		}
		return
	}
	blanks := ""
	for _, c := range " \t\n" {
		if strings.ContainsRune(e.ifs, c) {
			blanks += string(c)
		}
	}
	mark := func(text string) bool { // a delimiter that is not a blank
		return text != "" && strings.IndexByte(e.ifs, text[0]) >= 0 &&
			strings.IndexByte(blanks, text[0]) < 0
	}
	if rest := strings.TrimLeft(text, blanks); e.blank && len(e.cur) == 0 && !e.some && mark(rest) {
		if e.w.o.Dialect != Bash {
			e.cur = e.cur.add(part{kind: open,
				why:  "whether a delimiter goes on from one expansion to the next differs",
				many: true})
			return
		}
		text = strings.TrimLeft(rest[1:], blanks)
	}
	if e.listing && delimited(text, blanks, mark) {
		e.cur = e.cur.add(part{kind: open, why: "a delimiter behind blanks, in a word with a list",
			many: true})
		return
	}
	for text != "" {
		was := e.blank
		e.blank = false
		i := strings.IndexAny(text, e.ifs)
		if i < 0 {
			e.cur, e.some = e.cur.add(part{kind: active, text: text, why: said}), true
			return
		}
		if i > 0 {
			e.cur, e.some = e.cur.add(part{kind: active, text: text[:i], why: said}), true
		}
		rest := strings.TrimLeft(text[i:], blanks)
		e.blank = rest == "" && (e.some || len(e.cur) > 0 || was)
		if mark(rest) {
			e.some = true // it makes a field even of nothing
			rest = strings.TrimLeft(rest[1:], blanks)
		}
		e.cut()
		text = rest
	}
}

// delimited reports whether a delimiter that is not a blank is behind one that is, or in front
// of everything.
func delimited(text, blanks string, mark func(string) bool) bool {
	behind := true
	for i := range len(text) {
		if behind && mark(text[i:]) {
			return true
		}
		behind = strings.IndexByte(blanks, text[i]) >= 0
	}
	return false
}
