package code

import (
	"slices"
	"strings"
)

// A reader evaluates a program as far as its literals go. It knows no control flow: a variable has
// every value that is assigned to it anywhere, so that no order of execution can make a name differ
// from the facts. Hence the passes: first the values are collected until they stay the same, then
// the facts are taken.
type reader struct {
	g *grammar
	input
	variables
	operand
	findings
	syntax syntax
}

// An input is the program, and how far it is read.
type input struct {
	src   string
	toks  []token
	i     int
	depth int
}

// variables are the names that the text binds.
type variables struct {
	vars    map[string]value
	lost    map[string]bool     // variables that stay unknown
	funcs   map[string][]string // parameters of the functions defined in the text
	stars   []string            // modules whose names are used without a prefix
	dirs    []value             // directories that the program may change to
	unnamed bool                // attributes are set whose names the text does not spell
	settles bool                // a variable that still changes becomes unknown
	changed bool
}

// An operand is what the expression at hand was so far.
type operand struct {
	pending *value // the value of the next parameter of a block
	last    value
	subject string // the variable that the last primary was, without a subscript or member
	bound   bool   // the last expression was an assignment, which hands nothing on
}

// findings are what the program does.
type findings struct {
	emits   bool // the last pass: facts are taken
	facts   []Fact
	opaque  bool
	vague   bool     // a name that is written is not known
	loose   bool     // not even its first letter is
	glued   []string // names that the text has in pieces
	spent   *budget
	nesting int
}

// A syntax is what reads the inside of brackets and of programs in a text: the files above the one
// that meets them.
type syntax struct {
	expr    func(*reader) value
	steps   func(r *reader, to int)
	binding func(*reader, token) bool
	scan    scanner
}

// A scanner is the function scan.
type scanner func(lang, text string, nesting int, spent *budget) ([]Fact, bool)

func (r *reader) expr() value          { return r.syntax.expr(r) }
func (r *reader) steps(to int)         { r.syntax.steps(r, to) }
func (r *reader) keyword(t token) bool { return r.syntax.binding(r, t) }

// arguments are those of one call.
type arguments struct {
	pos        []value
	keys       []string
	named      []value
	start, end int
}

func (r *reader) reflection(s string) bool { return slices.Contains(r.g.reflects, s) }

func (r *reader) isMember(i int) bool {
	t := r.toks[i]
	return t.kind == punct && (t.text == "." || t.text == "->" || t.text == "::" ||
		t.text == "?." || t.text == "&.")
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

func (r *reader) escapeAll(a arguments) {
	for _, v := range a.pos {
		r.escape(v)
	}
	for _, v := range a.named {
		r.escape(v)
	}
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

// constant turns a name that is a known value into that value.
func (r *reader) constant(v value) value {
	if v.shape != reference {
		return v
	}
	if does, ok := r.g.find(v.text); ok && strings.HasPrefix(does, "constant ") {
		switch does[len("constant "):] {
		case "home":
			return value{shape: plain, home: true, start: v.start, end: v.end}
		case "slash":
			return value{shape: plain, text: "/", start: v.start, end: v.end}
		case "dot":
			return value{shape: plain, text: ".", start: v.start, end: v.end}
		case "fs":
			return value{shape: reference, text: "fs", start: v.start, end: v.end}
		default:
			return value{start: v.start, end: v.end}
		}
	}
	return v
}

// partner is the index of the bracket that closes the one at hand.
func (r *reader) partner() int {
	if m := r.peek().match; m > r.i {
		return m
	}
	return len(r.toks) - 1
}

// methodName is the name under which the table has a function or method.
func (r *reader) methodName(v value) string {
	if v.shape != method {
		return v.text
	}
	if v.recv.path {
		if _, ok := r.g.find("Path." + v.text); ok {
			return "Path." + v.text
		}
	}
	return "." + v.text
}

// environment reports whether a name is the environment, which later programs inherit.
func (r *reader) environment(name string) bool {
	return slices.Contains([]string{"os.environ", "process.env", "ENV", "Bun.env"}, name)
}

// isModule reports whether the table has functions of the module.
func (r *reader) isModule(module string) bool {
	module += "."
	return strings.HasPrefix(string(r.g.calls.from(module)), module)
}

// blockParameters reads |a, b|.
func (r *reader) blockParameters() {
	if r.g.name != "ruby" || !r.accept("|") {
		return
	}
	var names []string
	for n := 0; n < 32 && !r.peek().is("|") && r.peek().kind != eof &&
		r.peek().kind != newline; n++ {
		if t := r.peek(); t.kind == name {
			names = append(names, t.text)
		}
		r.i++
	}
	r.accept("|")
	r.bindParameters(names)
}

// bindParameters binds the parameters of a block: the first to what is pending.
func (r *reader) bindParameters(names []string) {
	if r.pending != nil && len(names) == 1 {
		r.bind(names[0], *r.pending)
	} else {
		r.forget(names...)
	}
	r.pending = nil
}

// parameters lists the names in a parameter list, and forgets those that are not simple.
func (r *reader) parameters(from, to int) []string {
	var names []string
	if to <= from {
		return nil
	}
	for i := from; i < to; i++ {
		simple, named := true, ""
		for ; i < to && !r.toks[i].is(","); i++ {
			t := r.toks[i]
			switch {
			case t.kind == name && (named == "" || strings.HasPrefix(t.text, "$")):
				named = t.text
			case t.is(":") && r.g.name == "python" && named != "":
				i = r.annotation(i, to)
				simple = simple && !r.toks[i+1].is("=")
			case t.is("*"), t.is("**"), t.is("..."), t.is(":"), t.is("&"):
				simple = false
			case t.is("{"), t.is("["), t.is("("):
				simple = false
				for stop := min(max(t.match, i), to); i < stop; i++ {
					if r.toks[i].kind == name {
						r.forget(r.toks[i].text)
					}
				}
			}
		}
		if named == "" {
			continue
		}
		if !simple {
			r.forget(named)
		}
		names = append(names, named)
	}
	return names
}

// annotation is the last token of the type of a parameter, which says nothing of its value.
func (r *reader) annotation(i, to int) int {
	for ; i+1 < to && !r.toks[i+1].is(",") && !r.toks[i+1].is("="); i++ {
		if m := r.toks[i+1].match; m > i+1 {
			i = min(m, to) - 1
		}
	}
	return i
}

// imported judges the module as a whole.
func (r *reader) imported(module string) {
	if does, ok := r.g.find(module + ".import"); ok && does == "opaque" {
		r.opaque = true
	}
}
