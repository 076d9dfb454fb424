package code

import (
	"slices"
	"strings"
)

// A reader evaluates a program as far as its literals go. It knows no control flow: a
// variable is every value that is given to it anywhere, so that no order of execution can
// make a name differ from what is said here. Hence the passes: first the values are
// collected until they stay the same, then the facts are taken.
type reader struct {
	g       *grammar
	src     string
	toks    []token
	i       int
	depth   int
	vars    map[string]value
	lost    map[string]bool     // variables that stay unknown
	funcs   map[string][]string // parameters of the functions defined in the text
	stars   []string            // modules whose names stand without a prefix
	dirs    []value             // directories that the program may change to
	pending *value              // what the next parameter of a block stands for
	last    value
	subject string // the variable that the last primary was, without a subscript or member
	bound   bool   // the last expression was an assignment, which hands nothing on
	emits   bool   // the last pass: facts are taken
	settles bool   // a variable that still changes becomes unknown
	changed bool
	facts   []Fact
	opaque  bool
	spent   *budget
	nesting int
}

// collectPasses is how often values are collected. Three follow any chain that people
// write; what still changes after that is unknown.
const collectPasses = 3

func scanCalls(g *grammar, src string, nesting int, spent *budget) ([]Fact, bool) {
	toks, opaque := g.lex(src)
	r := &reader{g: g, src: src, toks: toks, vars: map[string]value{}, lost: map[string]bool{}, funcs: map[string][]string{}, spent: spent, nesting: nesting, opaque: opaque}
	for pass := 0; ; pass++ {
		r.changed, r.settles = false, pass >= collectPasses
		r.pass()
		if !r.changed || r.settles {
			break
		}
	}
	r.emits, r.settles, r.opaque = true, true, opaque
	r.pass()
	for _, t := range toks {
		if t.kind == name && r.reflection(t.text) {
			r.opaque = true
		}
	}
	slices.SortStableFunc(r.facts, func(a, b Fact) int { return a.Start - b.Start })
	return r.facts, r.opaque
}

func (r *reader) reflection(s string) bool { return slices.Contains(r.g.reflects, s) }

func (r *reader) pass() {
	r.i, r.depth, r.pending = 0, 0, nil
	r.steps(len(r.toks) - 1)
}

// steps reads statements up to the token at index to.
func (r *reader) steps(to int) {
	for r.i < to {
		before := r.i
		r.step()
		if r.i <= before {
			r.i = before + 1
		}
	}
}

// step reads one statement or a part of one.
func (r *reader) step() {
	t := r.toks[r.i]
	if t.kind == name && !(r.i > 0 && r.isMember(r.i-1)) && (r.keyword(t) || r.tuple()) {
		return
	}
	r.bound = false
	r.last = r.expr()
	if !r.bound {
		r.escape(r.last)
	}
}

func (r *reader) isMember(i int) bool {
	t := r.toks[i]
	return t.kind == punct && (t.text == "." || t.text == "->" || t.text == "::" || t.text == "?." || t.text == "&.")
}

func (r *reader) peek() token { return r.toks[r.i] }

func (r *reader) ahead(n int) token {
	if r.i+n < len(r.toks) {
		return r.toks[r.i+n]
	}
	return r.toks[len(r.toks)-1]
}

func (r *reader) accept(s string) bool {
	if r.peek().is(s) {
		r.i++
		return true
	}
	return false
}

// escape notes a dangerous function that is not called but handed on: what it will be
// called with is not known.
func (r *reader) escape(v value) {
	v.each(func(v value) {
		switch v.shape {
		case reference:
			if does, ok := r.g.find(v.text); ok && !harmless(does) {
				r.opaque = true
			}
			if params, ok := r.funcs[v.text]; ok {
				r.forget(params...)
			}
		case list, table:
			for _, x := range v.items {
				r.escape(x)
			}
		}
	})
}

// bind gives a value to a variable.
func (r *reader) bind(variable string, v value) {
	if r.lost[variable] {
		if v = references(v); v.shape == unknown && v.alts == nil {
			return
		}
	}
	old, ok := r.vars[variable]
	if !ok {
		r.vars[variable], r.changed = v, true
		return
	}
	v, same := union(old, v)
	if same {
		return
	}
	r.changed = true
	if r.settles {
		v = value{decoded: v.decoded}
	}
	r.vars[variable] = v
}

// references are the functions and modules among the values of v: a variable that is not
// known any more may still be one of them.
func references(v value) value {
	out := value{}
	v.each(func(v value) {
		if v.shape == reference {
			if out.shape == unknown && out.alts == nil {
				out = v
			} else {
				out, _ = union(out, v)
			}
		}
	})
	return out
}

// forget makes variables unknown for good.
func (r *reader) forget(variables ...string) {
	for _, s := range variables {
		if !r.lost[s] {
			r.lost[s], r.changed = true, true
			old := r.vars[s]
			r.vars[s], _ = union(value{decoded: old.decoded}, references(old))
		}
	}
}

// expr reads one expression: operands with operators that choose or compare.
func (r *reader) expr() value {
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
		if r.g.bare && t.spaced && !r.ahead(1).spaced && (t.text == "-" || t.text == "*" || t.text == "%") && r.g.name == "ruby" {
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

// unary skips what stands before an operand and does not change what it names.
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
			case "not", "await", "typeof", "void", "yield", "return", "throw", "my", "our", "const", "let", "var", "new", "async", "defined":
				if r.ahead(1).is("(") && t.text != "return" && t.text != "not" || r.ahead(1).is("=") || r.ahead(1).is(".") || r.ahead(1).is(":") {
					break
				}
				r.i++
				if r.g.name == "javascript" && (t.text == "const" || t.text == "let" || t.text == "var") && r.destructure() {
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

// literal reads a string, with the code in it.
func (r *reader) literal() value {
	t := r.peek()
	r.i++
	if t.kind == text {
		return known(t.text, t)
	}
	end := t.match
	if end < 0 {
		end = len(r.toks) - 1
	}
	v := value{shape: plain, start: t.start, end: r.toks[end].end}
	for r.i < end {
		p := r.peek()
		switch p.kind {
		case piece:
			v = r.concat(v, known(p.text, p))
			r.i++
		case hole:
			r.i++
			stop := p.match
			if stop < 0 {
				stop = end
			}
			w := value{}
			if r.i < stop {
				w = r.expr()
			}
			if r.i < stop {
				r.steps(stop)
				w = value{}
			}
			r.i = stop + 1
			v = r.concat(v, w)
		default:
			v = value{text: prefix(v), decoded: v.decoded}
			r.i++
		}
	}
	r.i = min(end+1, len(r.toks)-1)
	v.start, v.end = t.start, r.toks[end].end
	switch t.text {
	case "shell":
		r.shell(v, v)
		return value{}
	case "regexp":
		return value{}
	}
	return v
}
