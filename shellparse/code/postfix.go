package code

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// named reads an operand that starts with a name.
func (r *reader) named() value {
	t := r.peek()
	r.i++
	next := r.peek()
	if r.g.arrows && next.is("=>") {
		r.bindParameters([]string{t.text})
		r.i++
		return r.body()
	}
	if v, ok := r.assignment(t); ok {
		return v
	}
	if r.g.name == "perl" && next.is("{") && !strings.HasPrefix(t.text, "$") {
		return value{} // eval {...}, map {...}: the block is read as statements
	}
	v, ok := r.vars[t.text]
	if !ok {
		v = r.constant(value{shape: reference, text: strings.TrimPrefix(t.text, "&"),
			start: t.start, end: t.end})
	}
	if ok && r.global(t.text) {
		// the assignment may be where it is never executed, or in another scope
		v, _ = union(v, value{shape: reference, text: t.text, start: t.start, end: t.end})
	}
	r.subject = t.text
	if r.g.bare && !ok && r.startsArgument() {
		if _, known := r.g.lookup(t.text); known || r.funcs[t.text] != nil {
			return r.postfix(r.call(v, r.bareArguments()))
		}
	}
	return r.postfix(v)
}

// global reports whether a name is a dangerous function or module without any import.
func (r *reader) global(name string) bool {
	if r.g.name == "javascript" {
		return slices.Contains([]string{"fs", "child_process", "net", "tls", "http", "https",
			"http2", "dgram", "dns", "vm", "process", "cluster",
			"worker_threads", "eval", "require", "fetch", "Function", "Deno", "Bun", "WebSocket"},
			name)
	}
	does, ok := r.g.find(name)
	return ok && !harmless(does) && !strings.HasPrefix(does, "constant")
}

// assignment reads `name = value` and its like, and binds the name.
func (r *reader) assignment(t token) (value, bool) {
	next := r.peek()
	if next.kind != punct {
		return value{}, false
	}
	if next.is(":") && (t.fresh && r.g.name == "python" && !r.isParameter(r.i-1) ||
		r.declared(r.i-2)) {
		r.forget(t.text) // an annotation
		return value{}, false
	}
	if next.is("=") && r.g.name == "perl" && r.i > 1 && r.toks[r.i-2].is("*") {
		r.opaque = true // a typeglob: another name for a function
	}
	switch next.text {
	case "=", ":=", "||=", "??=", "&&=", "//=":
		if next.text == "//=" && r.g.name != "perl" {
			return value{}, false
		}
	case "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=", "**=", "<<=", ">>=":
		r.i++
		r.escape(r.expr())
		r.forget(t.text)
		return value{}, true
	default:
		return value{}, false
	}
	r.i++
	v := r.expr()
	if v.shape == list && r.peek().is(",") || r.peek().is(",") && r.g.newlines && t.fresh {
		for r.accept(",") {
			r.escape(r.expr()) // a tuple without brackets
		}
		v = value{}
	}
	if t.text == "@ARGV" {
		r.touch(command.Read, 0, v, v) // <> reads what it names
	}
	if v.shape == list || v.shape == table {
		r.escape(v)
	}
	r.bind(t.text, v)
	r.subject, r.bound = "", true
	return v, true
}

// isParameter reports whether a name stands in a list.
func (r *reader) isParameter(i int) bool {
	for i--; i > 0 && r.toks[i].kind == newline; {
		i--
	}
	return i > 0 && (r.toks[i].is("(") || r.toks[i].is(","))
}

func (r *reader) declared(i int) bool {
	return i >= 0 && r.g.name == "javascript" && (r.toks[i].word("const") ||
		r.toks[i].word("let") || r.toks[i].word("var"))
}

// iterators call their block with the elements of the object.
func iterates(name string) bool {
	switch name {
	case "each", "forEach", "map", "filter", "select", "flatMap", "each_with_index", "each_child",
		"flat_map", "reject", "some", "every", "find", "then":
		return true
	}
	return false
}

// postfix reads what follows an operand: members, calls, subscripts.
func (r *reader) postfix(v value) value {
	base := r.subject
	first := r.i - 1
	for {
		t := r.peek()
		switch {
		case t.kind == text || t.kind == open:
			if !r.tagged(v, t) {
				return r.assigned(v, base, first)
			}
			w := r.literal()
			v = r.call(v, arguments{pos: []value{w}, start: t.start, end: t.end})
		case t.kind != punct:
			return r.assigned(v, base, first)
		case r.memberOperator(t):
			v, base = r.chained(v, base)
		case t.text == "(":
			if r.control(first) {
				return v
			}
			v = r.bracketed(v)
		case t.text == "[" && !(r.g.bare && t.spaced):
			v = r.subscript(v)
			r.subject = ""
			if _, variable := r.vars[base]; variable && (r.peek().is("=") || r.peek().is("+=")) {
				r.forget(base)
			}
		case t.text == "{" && r.g.name == "perl" && !t.spaced && strings.HasPrefix(base, "$"):
			m := r.partner()
			r.i++
			r.steps(m)
			r.i = min(m+1, len(r.toks)-1)
			v, r.subject = value{}, ""
		default:
			return r.assigned(v, base, first)
		}
	}
}

// assigned ends a postfix: a pattern in front of "=" binds the names in it again.
func (r *reader) assigned(v value, base string, first int) value {
	if r.peek().is("=") && (r.toks[max(first, 0)].kind != name || base == "") {
		r.target(first)
	}
	return v
}

// tagged reports whether a literal behind an operand is its argument: tag`x`, f"x".
func (r *reader) tagged(v value, t token) bool {
	return v.shape == reference && r.g.name == "javascript" && !(t.text == "shell" &&
		t.kind == open || t.fresh)
}

// memberOperator reports whether the token joins an object and the name of a member.
func (r *reader) memberOperator(t token) bool {
	switch t.text {
	case "?.", "->", "::", "&.":
		return true
	case ".":
		return r.g.concat != "."
	}
	return false
}

// chained reads the name of a member. The base is that of the whole chain.
func (r *reader) chained(v value, base string) (value, string) {
	r.i++
	r.subject = ""
	if n := r.peek(); n.kind == name || n.kind == words {
		r.i++
		v = r.member(v, n)
		if w, ok := r.ofSelf(base, n); ok {
			return w, ""
		}
		if v.shape == method {
			v.base = base
		}
		base = ""
	}
	return v, base
}

// bracketed reads a call.
func (r *reader) bracketed(v value) value {
	r.subject = ""
	at := r.i
	v = r.call(v, r.arguments())
	if r.g.name == "javascript" && r.peek().is("{") && r.peek().spaced {
		r.forget(r.parameters(at+1, r.toks[at].match)...) // the definition of a method
	}
	return v
}

// control reports whether the token is a word after which brackets are no call.
func (r *reader) control(i int) bool {
	if i < 0 || r.toks[i].kind != name || i+1 != r.i {
		return false
	}
	switch r.toks[i].text {
	case "if", "elsif", "elif", "while", "until", "unless", "switch", "return", "in", "and", "or",
		"else", "elseif":
		return !(i > 0 && r.isMember(i-1))
	}
	return false
}

// target forgets the variables of a pattern that something is assigned to: (a, b) = ...
func (r *reader) target(end int) {
	if end < 0 || r.toks[end].match < 0 || r.toks[end].match > end {
		return
	}
	for _, t := range r.toks[r.toks[end].match : end+1] {
		if t.kind == name {
			r.forget(t.text)
		}
	}
}

// member is v.name.
func (r *reader) member(v value, n token) value {
	if r.startsBlockParameter(v, n) {
		return value{}
	}
	if v.alts != nil {
		at := r.i
		return mapped(v, func(v value) value {
			r.i = at // the arguments of a call without parentheses follow
			return r.member(v, n)
		})
	}
	if v.shape == reference {
		if r.environment(v.text) && r.peek().is("=") {
			r.opaque = r.opaque || loads(n.text)
		}
		full := v.text + "." + n.text
		if slices.Contains([]string{"globalThis", "global", "window", "CORE", "CORE.GLOBAL"},
			v.text) {
			full = n.text
		}
		v = r.constant(value{shape: reference, text: full, start: v.start, end: n.end})
		if v.shape != reference {
			return v
		}
	} else {
		recv := v
		v = value{shape: method, text: n.text, recv: &recv, decoded: recv.decoded, start: n.start,
			end: n.end}
	}
	if v.shape == method && v.recv.path && v.text == "parent" {
		return mapped(*v.recv, parent)
	}
	if r.g.bare && !r.peek().is("(") {
		if a, ok := r.maybeBare(v); ok {
			return r.call(v, a)
		}
		if r.peek().is("=") || r.peek().is("::") {
			return v
		}
		if does, ok := r.g.lookup(r.methodName(v)); ok && !strings.HasPrefix(does, "constant") {
			return r.call(v, arguments{start: n.start, end: n.end})
		}
	}
	return v
}

// maybeBare reads the arguments of a call without parentheses.
func (r *reader) maybeBare(v value) (arguments, bool) {
	if !r.startsArgument() {
		return arguments{}, false
	}
	if _, ok := r.g.lookup(r.methodName(v)); !ok {
		return arguments{}, false
	}
	return r.bareArguments(), true
}

// startsBlockParameter reads the block or arrow function that an iterator gets, with its
// parameter bound to what the iterator yields.
func (r *reader) startsBlockParameter(v value, n token) bool {
	if !iterates(n.text) {
		return false
	}
	item := element(v)
	if n.text == "then" {
		item = v
	}
	if item.shape == unknown && item.alts == nil {
		return false
	}
	switch t := r.peek(); {
	case t.is("(") && r.g.arrows:
		m := r.partner()
		r.i++
		r.pending = &item
		r.steps(m)
		r.pending = nil
		r.i = min(m+1, len(r.toks)-1)
		return true
	case r.g.name == "ruby" && (t.is("{") || t.word("do")) && r.ahead(1).is("|"):
		r.pending = &item
		if t.is("{") {
			r.brace()
		} else {
			r.i++
			r.blockParameters()
		}
		r.pending = nil
		return true
	}
	return false
}

// subscript is v[index].
func (r *reader) subscript(v value) value {
	m := r.partner()
	slice := r.ahead(1).is(":") || r.ahead(1).is("::") || r.ahead(2).is(":") || r.ahead(2).is("::")
	at := r.peek()
	items, _ := r.items(m)
	index := value{}
	if len(items) == 1 {
		index = items[0]
	}
	if r.g.name == "javascript" && r.peek().is("=") { // an attribute, by its name as text
		r.unnamed = r.unnamed || index.shape != plain
		r.forget("." + index.text)
	}
	if v.shape == reference && r.environment(v.text) && (r.peek().is("=") || r.peek().is("||=")) {
		r.opaque = r.opaque || index.shape != plain || loads(index.text)
	}
	switch {
	case v.shape == reference:
		if _, ok := r.g.find(v.text + "[]"); ok {
			return r.call(value{shape: reference, text: v.text + "[]"}, arguments{pos: items,
				start: at.start, end: r.toks[m].end})
		}
		if !r.isModule(v.text) {
			return value{}
		}
		if index.shape == plain && index.alts == nil {
			return r.constant(value{shape: reference, text: v.text + "." + index.text,
				start: v.start, end: v.end})
		}
		r.opaque = true // the text does not decide which function of the module this is
		return value{}
	case index.shape == plain && r.reflection(index.text):
		r.opaque = true
		return value{}
	case slice && v.shape == list && v.alts == nil:
		return v // or less
	case slice:
		return value{decoded: v.decoded || v.shape == plain}
	case v.shape == list || v.alts != nil:
		return element(v)
	case v.shape == table && index.shape == plain:
		if i := slices.Index(v.keys, index.text); i >= 0 {
			return v.items[i]
		}
	}
	return value{decoded: v.decoded}
}
