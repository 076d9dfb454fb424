package code

// arguments reads (a, b, name = c).
func (r *reader) arguments() arguments {
	a := arguments{start: r.peek().start}
	m := r.partner()
	r.i++
	r.readArguments(&a, m)
	r.i = min(m+1, len(r.toks)-1)
	a.end = r.toks[m].end
	return a
}

func (r *reader) readArguments(a *arguments, m int) {
	for r.i < m {
		if r.accept(",") || r.accept(";") {
			continue
		}
		before := r.i
		t, next := r.peek(), r.ahead(1)
		key := ""
		switch {
		case t.kind == name && next.is("=") && r.g.equals,
			t.kind == name && next.is(":") && r.g.colons && !r.ahead(2).is(":"),
			(t.kind == name || t.kind == text) && next.is("=>") && !r.g.arrows:
			key = t.text
			r.i += 2
		case t.is(":") && next.kind == name && r.ahead(2).is("=>"):
			key = next.text
			r.i += 3
		case t.kind == name && r.keyword(t):
			continue
		}
		spread := t.is("*") || t.is("...") || t.is("**")
		v := r.expr()
		if r.i == before {
			r.i++
			continue
		}
		switch {
		case key != "":
			a.keys, a.named = append(a.keys, key), append(a.named, v)
		case spread && v.shape == list:
			a.pos = append(a.pos, v.items...)
		case spread:
			a.pos = append(a.pos, value{decoded: v.decoded})
		default:
			a.pos = append(a.pos, v)
		}
		r.last = v
	}
}

// startsArgument reports whether the next token can be the first argument of a call
// without parentheses.
func (r *reader) startsArgument() bool {
	t := r.peek()
	if t.fresh && r.g.newlines {
		return false
	}
	switch t.kind {
	case text, open, dynamic, words, number:
		return true
	case name:
		switch t.text {
		case "if", "unless", "or", "and", "while", "until", "for", "foreach", "do", "then", "end",
			"x", "eq", "ne", "cmp", "in", "is", "else", "rescue":
			return false
		}
		return true
	case punct:
		switch t.text {
		case "[":
			return t.spaced
		case "\\", "::", "<":
			return true
		case "*", "-", ":", "&", "{":
			return t.spaced && !r.ahead(1).spaced && t.text != "{"
		}
	}
	return false
}

// bareArguments reads a, b, c up to the end of the statement.
func (r *reader) bareArguments() arguments {
	a := arguments{start: r.peek().start}
	for {
		t, next := r.peek(), r.ahead(1)
		before := r.i
		key := ""
		switch {
		case (t.kind == name || t.kind == text) && next.is("=>"), t.kind == name && next.is(":") &&
			r.g.colons:
			key = t.text
			r.i += 2
		case t.is(":") && next.kind == name && r.ahead(2).is("=>"):
			key = next.text
			r.i += 3
		}
		spread := t.is("*")
		v := r.expr()
		if r.i == before {
			break
		}
		switch {
		case key != "":
			a.keys, a.named = append(a.keys, key), append(a.named, v)
		case spread && v.shape == list:
			a.pos = append(a.pos, v.items...)
		default:
			a.pos = append(a.pos, v)
		}
		if r.peek().kind == newline && r.i > 0 && r.toks[r.i-1].is(",") {
			r.i++
		}
		if !r.accept(",") {
			break
		}
		if r.peek().kind == newline {
			r.i++
		}
	}
	a.end = r.toks[max(r.i-1, 0)].end
	return a
}
