package code

import (
	"slices"
	"strconv"
	"strings"
)

// binding reads the statements that bind names, at a token that is a name. It returns
// false, without having moved, for every other statement.
func (r *reader) binding(t token) bool {
	switch t.text {
	case "import":
		return r.importStatement()
	case "from":
		return r.g.name == "python" && r.fromImport()
	case "for", "foreach":
		return r.forLoop()
	case "def", "function", "sub", "fn", "lambda":
		return r.function(t)
	case "as":
		return r.asName()
	case "catch", "except", "rescue":
		r.handler()
	case "case":
		if r.g.name == "python" {
			r.pattern()
		}
	case "do":
		if r.g.name == "ruby" && r.ahead(1).is("|") {
			r.i++
			r.blockParameters()
			return true
		}
	case "use", "no", "package", "namespace":
		return r.g.name == "perl" && r.skipStatement()
	}
	return false
}

func (r *reader) skipStatement() bool {
	for !r.peek().is(";") && r.peek().kind != eof {
		r.i++
	}
	return true
}

// destructure reads {a, b: c} = value and [a, b] = value after const, let or var.
func (r *reader) destructure() bool {
	t := r.peek()
	if !t.is("{") && !t.is("[") {
		return false
	}
	m := r.partner()
	from := r.i + 1
	r.i = min(m+1, len(r.toks)-1)
	v := value{}
	if r.accept("=") {
		v = r.expr()
	}
	for i := from; i < m; i++ {
		n := r.toks[i]
		if n.kind != name || i+1 < m && r.toks[i+1].is(":") {
			continue
		}
		member := n.text
		if r.toks[i-1].is(":") {
			member = r.toks[i-2].text
		}
		if v.shape == reference && t.is("{") {
			r.bind(n.text, r.constant(value{shape: reference, text: v.text + "." + member}))
		} else {
			r.forget(n.text)
		}
	}
	return true
}

// perlList reads my ($a, $b) = ...
func (r *reader) perlList() bool {
	if !r.peek().is("(") {
		return false
	}
	m := r.partner()
	for i := r.i; i < m; i++ {
		if r.toks[i].kind == name {
			r.forget(r.toks[i].text)
		}
	}
	r.i = min(m+1, len(r.toks)-1)
	return true
}

// forLoop reads the head of a loop over the elements of something.
func (r *reader) forLoop() bool {
	start := r.i
	r.i++
	if r.peek().word("await") {
		r.i++
	}
	brackets := r.peek().is("(")
	if brackets && r.g.name != "perl" {
		r.i++
	}
	var names []string
	for n := 0; n < 32; n++ {
		t := r.peek()
		if t.word("in") || t.word("of") || t.is("=") || t.is(";") || t.kind == newline ||
			t.kind == eof {
			break
		}
		if t.is("(") && r.g.name == "perl" {
			break
		}
		if t.kind == name && !t.word("my") && !t.word("our") && !t.word("const") &&
			!t.word("let") && !t.word("var") {
			names = append(names, t.text)
		}
		if t.kind == open || t.kind == text {
			break
		}
		r.i++
	}
	t := r.peek()
	switch {
	case t.word("in"), t.word("of"):
		r.i++
		r.bindElements(names, r.iterated())
	case t.is("(") && r.g.name == "perl" && len(names) == 1:
		r.bindElements(names, r.group())
	case t.is("(") && r.g.name == "perl":
		return false // for (;;), or $_ over a list
	default:
		r.i = start + 1
		r.forget(names...)
	}
	return true
}

// iterated reads what a loop runs over, through the functions that only number or sort it.
func (r *reader) iterated() value {
	t := r.peek()
	_, bound := r.vars[t.text]
	_, defined := r.funcs[t.text]
	if t.kind == name && r.ahead(1).is("(") && !bound && !defined {
		switch t.text {
		case "range":
			if r.g.name != "python" {
				break
			}
			r.i++
			return counted(r.arguments())
		case "enumerate", "zip":
			if r.g.name != "python" {
				break
			}
			r.i++
			return pairs(t.text, r.arguments())
		case "sorted", "list", "set", "reversed", "tuple":
			r.i++
			a := r.arguments()
			if len(a.pos) > 0 {
				return a.pos[0]
			}
			return value{}
		}
	}
	return r.expr()
}

// pairs are what enumerate and zip yield.
func pairs(by string, a arguments) value {
	one := value{shape: list}
	if by == "enumerate" {
		one.items = append(one.items, value{shape: component})
		a.pos = a.pos[:min(1, len(a.pos))]
	}
	for _, v := range a.pos {
		one.items = append(one.items, element(v))
	}
	return heavy(value{shape: list, items: []value{heavy(one)}})
}

// counted is the list of the numbers that range yields: each of them if they are few.
func counted(a arguments) value {
	numbers := value{shape: list, items: []value{{shape: component}}}
	bounds := []int{0, 0, 1}
	for i, v := range a.pos {
		n, err := strconv.Atoi(v.text)
		if v.shape != numeral || err != nil || i >= len(bounds) {
			return numbers
		}
		bounds[i] = n
	}
	if len(a.pos) == 1 {
		bounds[0], bounds[1] = 0, bounds[0]
	}
	v := value{shape: list, start: a.start, end: a.end}
	for n := bounds[0]; n < bounds[1] && bounds[2] > 0; n += bounds[2] {
		if len(v.items) == maxAlternatives {
			return numbers
		}
		v.items = append(v.items, value{shape: numeral, text: strconv.Itoa(n)})
	}
	return heavy(v)
}

// bindElements binds the names of a loop. Of os.walk's triples the first is a directory
// below the root, and the others are lists of plain names.
func (r *reader) bindElements(names []string, v value) {
	switch {
	case len(names) == 1:
		r.bind(names[0], element(v))
	case len(names) == 3 && v.shape == list && len(v.items) == 1 && v.items[0].shape == list:
		for i, w := range v.items[0].items {
			r.bind(names[i], w)
		}
	case v.shape == list && len(v.items) > 0 && !slices.ContainsFunc(v.items, func(w value) bool {
		return w.shape != list || len(w.items) != len(names)
	}):
		for _, w := range v.items {
			for i, name := range names {
				r.bind(name, w.items[i])
			}
		}
	default:
		r.forget(names...)
	}
}

// function reads the head of a function definition.
func (r *reader) function(t token) bool {
	if r.ahead(1).is("=") || r.ahead(1).is(":") && r.g.name != "python" || r.ahead(1).is("=>") {
		return false
	}
	r.i++
	defined := ""
	for r.peek().kind == name || r.peek().is(".") || r.peek().is("*") || r.peek().is("&") ||
		r.peek().is(":") && t.text == "function" {
		if t.text == "lambda" {
			break
		}
		defined = r.peek().text
		r.i++
		if r.g.name == "ruby" && r.peek().kind == name {
			break
		}
	}
	if t.text == "sub" {
		return true
	}
	if !r.peek().is("(") {
		r.lambda()
		return true
	}
	m := r.partner()
	params := r.parameters(r.i+1, m)
	r.fixture(defined, params)
	r.i++
	r.steps(m)
	r.i = min(m+1, len(r.toks)-1)
	if defined != "" && !strings.HasPrefix(defined, "$") {
		if old, ok := r.funcs[defined]; ok && strings.Join(old, ",") != strings.Join(params, ",") {
			r.forget(old...)
			r.forget(params...)
		}
		r.funcs[defined] = params
	} else {
		r.forget(params...)
	}
	return true
}

// fixture binds the parameter of a test that is the new folder which pytest makes for it. A program
// that defines another folder of that name is opaque.
func (r *reader) fixture(defined string, params []string) {
	const folder = "tmp_path"
	switch {
	case r.g.name != "python":
	case defined == folder:
		r.opaque = true
	case strings.HasPrefix(defined, "test") && slices.Contains(params, folder):
		r.bind(folder, value{shape: below, text: "/tmp", fresh: true, path: true})
	}
}

// lambda reads parameters without brackets, up to a colon or the end of the line.
func (r *reader) lambda() {
	for n := 0; n < 64; n++ {
		p := r.peek()
		if p.is(":") || p.is("{") || p.is(")") || p.is(";") || p.kind == newline || p.kind == eof {
			break
		}
		if p.kind == name {
			r.forget(p.text)
		}
		r.i++
	}
	r.accept(":")
}

// asName binds the name after `as` to what stands before it.
func (r *reader) asName() bool {
	if r.g.name != "python" || r.ahead(1).kind != name {
		return false
	}
	r.bind(r.ahead(1).text, r.last)
	r.i += 2
	return true
}

// handler forgets the variable of an exception.
func (r *reader) handler() {
	i := r.i + 1
	for n := 0; n < 16 && i < len(r.toks); n, i = n+1, i+1 {
		t := r.toks[i]
		if t.is(")") || t.is("{") || t.kind == newline || t.is(";") || t.is(":") {
			break
		}
		if t.kind == name {
			r.forget(t.text)
		}
	}
}

// pattern forgets the names that a python case may capture.
func (r *reader) pattern() {
	depth := 0
	for i := r.i + 1; i < len(r.toks) && i < r.i+64 && r.toks[i].kind != newline; i++ {
		switch t := r.toks[i]; {
		case t.kind == name:
			r.forget(t.text)
		case t.is("("), t.is("["), t.is("{"):
			depth++
		case t.is(")"), t.is("]"), t.is("}"):
			depth--
		case t.is(":") && depth == 0:
			return
		}
	}
}

// tuple reads a, b = x, y.
func (r *reader) tuple() bool {
	if !r.g.newlines || !r.ahead(1).is(",") || r.i > 0 && !r.peek().fresh &&
		!r.toks[r.i-1].is(";") {
		return false
	}
	var names []string
	i := r.i
	for n := 0; n < 32 && i < len(r.toks); n, i = n+1, i+1 {
		t := r.toks[i]
		if t.kind == name {
			names = append(names, t.text)
		} else if !t.is(",") && !t.is("*") && !t.is(".") {
			break
		}
	}
	if !r.toks[min(i, len(r.toks)-1)].is("=") {
		return false
	}
	r.i = i + 1
	var values []value
	for {
		values = append(values, r.expr())
		if !r.accept(",") {
			break
		}
	}
	for i, n := range names {
		r.forget("." + n) // of self.n, other
		if len(values) == len(names) {
			r.escape(values[i])
			r.bind(n, values[i])
		} else if len(values) == 1 && values[0].fresh { // mkstemp
			r.bind(n, values[0])
		} else {
			r.forget(n)
		}
	}
	return true
}
