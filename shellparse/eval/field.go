package eval

import (
	"slices"
	"unicode/utf8"
)

// lit appends characters to the field.
func (e *expander) lit(p part) {
	e.cur, e.some = e.cur.add(p), true
}

// append adds a value that is not split.
func (e *expander) append(v value) {
	e.some = true
	for _, p := range v {
		if p.kind == active {
			p.kind = literal
		}
		e.cur = e.cur.add(p)
	}
}

func (e *expander) cut() {
	if e.some || len(e.cur) > 0 {
		if len(e.cur) == 0 {
			e.cur = known("")
		}
		if len(e.cur) > 1 && slices.ContainsFunc(e.cur,
			func(p part) bool { return p.kind == pattern && p.many }) {
			// Only the first and the last of the names that match touch what is beside them.
			e.cur = unknown("it is joined to names that match a pattern", File).maybeMany()
		}
		if e.last > 0 && e.last == len(e.done) && len(e.cur) > 1 {
			e.cur = append(slices.Clone(e.done[e.sure]),
				unknown("a list may end here", e.cur.from()).maybeMany()...)
			e.done, e.last = e.done[:e.sure], 0
		}
		if len(e.done) < maxFields {
			e.done = append(e.done, e.cur)
		}
	}
	e.cur, e.some = nil, false
}

// finish ends the last field and returns all.
func (e *expander) finish() []value {
	e.cut()
	e.blank = false
	return e.done
}

// field ends an expansion that gives one field.
func (e *expander) field() value {
	out := e.finish()
	if len(out) == 0 {
		return known("")
	}
	return out[0]
}

// separator is what joins the elements of "$*": the first character of IFS.
func (e *expander) separator() string {
	ifs, loose := e.w.ifs(e.s)
	if loose {
		return " "
	}
	_, size := utf8.DecodeRuneInString(ifs)
	return ifs[:size]
}
