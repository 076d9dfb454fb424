package code

import "strings"

// expression reads one expression: operands with operators that choose or compare.
func (r *reader) expression() value {
	if r.depth++; r.depth > maxDepth {
		r.opaque = true
		r.i = len(r.toks) - 1
		r.depth--
		return value{}
	}
	v := r.sum()
	for {
		t := r.peek()
		switch {
		case t.is("||"), t.is("??"), t.is("&&"), t.word("or"), t.word("and"):
			r.i++
			v, _ = union(v, r.sum())
		case t.is("?"):
			r.i++
			a := v
			if !r.peek().is(":") {
				a = r.expr()
			}
			if r.accept(":") {
				b := r.expr()
				a, _ = union(a, b)
			}
			v = a
		case t.word("if") && r.g.name == "python":
			r.i++
			r.expr()
			if r.peek().word("else") {
				r.i++
				v, _ = union(v, r.expr())
			}
		case r.compares(t):
			if t.is("<<") && r.g.name == "ruby" && r.subject != "" {
				r.forget(r.subject) // appends in place
			}
			r.i++
			r.escape(v)
			r.escape(r.sum())
			v = value{}
		default:
			r.depth--
			return v
		}
	}
}

func (r *reader) compares(t token) bool {
	if t.kind == name {
		switch t.text {
		case "in", "is", "not", "eq", "ne", "lt", "gt", "le", "ge", "cmp", "instanceof", "xor":
			return true
		case "x":
			return r.g.name == "perl" && t.spaced
		}
		return false
	}
	if t.kind != punct {
		return false
	}
	switch t.text {
	case "==", "!=", "===", "!==", "<", ">", "<=", ">=", "<=>", "=~", "!~", "<<", ">>", "&", "^":
		return true
	case "|":
		return r.g.name != "ruby"
	}
	return false
}

// sum reads operands joined by arithmetic, which in these languages also joins strings.
func (r *reader) sum() value {
	v := r.unary()
	for {
		t := r.peek()
		if t.kind != punct {
			return v
		}
		switch t.text {
		case "+", "-", "*", "/", "%", ".", "..", "**", "//":
		default:
			return v
		}
		if r.g.bare && t.spaced && !r.ahead(1).spaced && (t.text == "-" || t.text == "*" ||
			t.text == "%") && r.g.name == "ruby" {
			return v
		}
		r.i++
		w := r.unary()
		switch {
		case t.text == r.g.concat:
			v = r.concat(v, w)
		case t.text == "/" && v.path:
			v = r.join(v, w)
			v.path = true
		default:
			v = value{decoded: v.decoded || w.decoded}
		}
	}
}

// unary skips prefixes of an operand that do not change what it names.
func (r *reader) unary() value {
	for {
		t := r.peek()
		switch {
		case t.kind == punct:
			switch t.text {
			case "!", "~", "...", "\\", "@", "&":
				r.i++
				continue
			case "-", "+", "++", "--":
				r.i++
				return value{decoded: r.unary().decoded}
			case "*", "**":
				r.i++
				v := r.unary()
				return v
			case ":":
				return value{}
			}
		case t.kind == name:
			switch t.text {
			case "not", "await", "typeof", "void", "yield", "return", "throw", "my", "our", "const",
				"let", "var", "new", "async", "defined":
				if r.ahead(1).is("(") && t.text != "return" && t.text != "not" ||
					r.ahead(1).is("=") || r.ahead(1).is(".") || r.ahead(1).is(":") {
					break
				}
				r.i++
				if r.g.name == "javascript" && (t.text == "const" || t.text == "let" ||
					t.text == "var") && r.destructure() {
					return value{}
				}
				if r.g.name == "perl" && r.perlList() {
					return value{}
				}
				continue
			}
		}
		return r.primary()
	}
}

// primary reads an operand with its members, calls and subscripts.
func (r *reader) primary() value {
	r.subject = ""
	t := r.peek()
	switch t.kind {
	case text:
		r.i++
		v := known(t.text, t)
		for r.g.adjacent && (r.peek().kind == text || r.peek().kind == open) {
			v = r.concat(v, r.literal())
		}
		return r.postfix(v)
	case open:
		v := r.literal()
		for r.g.adjacent && (r.peek().kind == text || r.peek().kind == open) {
			v = r.concat(v, r.literal())
		}
		return r.postfix(v)
	case dynamic:
		r.i++
		return r.postfix(value{})
	case number:
		r.i++
		return value{shape: numeral, text: t.text, start: t.start, end: t.end}
	case words:
		r.i++
		v := value{shape: list, start: t.start, end: t.end}
		for s := range strings.SplitSeq(t.text, "\x00") {
			v.items = append(v.items, known(s, t))
		}
		return r.postfix(heavy(v))
	case name:
		return r.named()
	case punct:
		switch t.text {
		case "(":
			return r.postfix(r.group())
		case "[":
			return r.postfix(r.array("]"))
		case "{":
			return r.postfix(r.brace())
		}
	}
	return value{}
}
