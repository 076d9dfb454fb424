package code

// group reads (a, b), or the parameters of an arrow function.
func (r *reader) group() value {
	t := r.peek()
	m := r.partner()
	if r.g.arrows && m+1 < len(r.toks) && (r.toks[m+1].is("=>") || r.toks[m+1].is(":") &&
		r.arrowAfterType(m+1)) {
		r.bindParameters(r.parameters(r.i+1, m))
		r.i++
		r.steps(m)
		r.i = m + 1
		r.accept("=>")
		return r.body()
	}
	items, comma := r.items(m)
	if len(items) == 1 && !comma || len(items) > 0 && r.g.name == "javascript" {
		return items[len(items)-1] // the comma operator
	}
	return heavy(value{shape: list, items: items, start: t.start, end: r.toks[m].end})
}

// arrowAfterType reports whether (a): T => follows, as in TypeScript.
func (r *reader) arrowAfterType(i int) bool {
	for n := 0; n < 8 && i < len(r.toks); n, i = n+1, i+1 {
		if r.toks[i].is("=>") {
			return true
		}
		if r.toks[i].kind != name && !r.toks[i].is(":") && !r.toks[i].is("<") &&
			!r.toks[i].is(">") {
			return false
		}
	}
	return false
}

// body reads what a function does: a block or an expression.
func (r *reader) body() value {
	if r.peek().is("{") {
		m := r.partner()
		r.i++
		r.steps(m)
		r.i = min(m+1, len(r.toks)-1)
		return value{}
	}
	r.escape(r.expr())
	return value{}
}

// items reads expressions between commas up to the token at index m, and passes it.
func (r *reader) items(m int) (items []value, comma bool) {
	r.i++
	for r.i < m {
		if r.accept(",") || r.accept(";") {
			comma = true
			continue
		}
		before := r.i
		if t := r.peek(); t.kind == name && r.keyword(t) {
			continue
		}
		spread := r.peek().is("*") || r.peek().is("...")
		v := r.expr()
		if r.i == before {
			r.i++
			continue
		}
		if spread && v.shape == list {
			items = append(items, v.items...)
		} else if spread {
			items = append(items, value{}, value{})
		} else {
			items = append(items, v)
		}
		r.last = v
	}
	r.i = min(m+1, len(r.toks)-1)
	return items, comma
}

func (r *reader) array(string) value {
	t := r.peek()
	m := r.partner()
	items, _ := r.items(m)
	return heavy(value{shape: list, items: items, start: t.start, end: r.toks[m].end})
}

// brace reads a table of keys and values, or a block.
func (r *reader) brace() value {
	m := r.partner()
	if !r.looksLikeTable(m) {
		r.i++
		r.blockParameters()
		r.steps(m)
		r.i = min(m+1, len(r.toks)-1)
		return value{}
	}
	r.i++
	v := value{shape: table}
	for r.i < m {
		before := r.i
		key := r.key()
		w := r.expr()
		if r.i == before {
			r.i++
			continue
		}
		if !r.peek().is(",") && r.i < m && !r.peek().is(";") {
			r.steps(r.nextComma(m))
			w = value{}
		}
		v.keys, v.items = append(v.keys, key), append(v.items, w)
		for r.accept(",") || r.accept(";") {
		}
	}
	r.i = min(m+1, len(r.toks)-1)
	return heavy(v)
}

// nextComma is the next comma of this level, or m.
func (r *reader) nextComma(m int) int {
	for j := r.i; j < m; j++ {
		if r.toks[j].is(",") {
			return j
		}
		if n := r.toks[j].match; n > j {
			j = n
		}
	}
	return m
}

// key reads `name:`, `"name" =>`, `name =`, `[name] =`, and returns the name.
func (r *reader) key() string {
	t, next := r.peek(), r.ahead(1)
	if (t.kind == name || t.kind == text) && (next.is(":") || next.is("=>")) {
		r.i += 2
		return t.text
	}
	return ""
}

func (r *reader) looksLikeTable(m int) bool {
	a, b := r.ahead(1), r.ahead(2)
	if r.i+1 >= m {
		return true
	}
	if !r.g.braces {
		return true
	}
	if a.kind != name && a.kind != text {
		return a.is("...") || a.is("[")
	}
	return b.is(":") || b.is("=>") || b.is(",") && r.g.name != "perl" || r.i+2 >= m &&
		a.kind == name && r.g.name == "javascript" && !r.statementBefore()
}

// statementBefore reports whether a brace follows what a block follows.
func (r *reader) statementBefore() bool {
	if r.i == 0 {
		return true
	}
	p := r.toks[r.i-1]
	return p.is(")") || p.is(";") || p.is("}") || p.is("{") || p.is("=>") || p.word("else") ||
		p.word("try") || p.word("finally") || p.word("do")
}
