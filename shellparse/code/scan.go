package code

import "slices"

// collectPasses is how often values are collected. Three follow any chain that people
// write; what still changes after that is unknown.
const collectPasses = 3

func scanCalls(g *grammar, src string, nesting int, spent *budget, scan scanner) ([]Fact, bool) {
	toks, opaque := g.lex(src)
	r := &reader{
		g: g, input: input{src: src, toks: toks},
		variables: variables{
			vars: map[string]value{}, lost: map[string]bool{}, funcs: map[string][]string{},
			unnamed: setsUnnamed(toks),
		},
		findings: findings{spent: spent, nesting: nesting, opaque: opaque},
		syntax:   syntax{(*reader).expression, (*reader).statements, (*reader).binding, scan},
	}
	for pass := 0; ; pass++ {
		r.changed, r.settles = false, pass >= collectPasses
		r.pass()
		if !r.changed || r.settles {
			break
		}
	}
	r.emits, r.settles, r.opaque = true, true, opaque
	r.vague, r.loose = false, false
	r.pass()
	r.places()
	for i, t := range toks {
		if t.kind == name && r.reflection(t.text) && !r.defines(i) {
			r.opaque = true
		}
	}
	slices.SortStableFunc(r.facts, func(a, b Fact) int { return a.Start - b.Start })
	return r.facts, r.opaque
}

func (r *reader) pass() {
	r.i, r.depth, r.pending = 0, 0, nil
	r.statements(len(r.toks) - 1)
}

// statements reads statements up to the token at index to.
func (r *reader) statements(to int) {
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
	if t.kind == name && !(r.i > 0 && r.isMember(r.i-1)) && (r.binding(t) || r.tuple()) {
		return
	}
	r.bound = false
	r.last = r.expression()
	if !r.bound {
		r.escape(r.last)
	}
}

// defines reports whether a name is that of the function that makes an object of a class.
func (r *reader) defines(i int) bool {
	return r.toks[i].text == "constructor" && r.toks[i+1].is("(") && i > 1 &&
		(r.toks[i-1].is("{") || r.toks[i-1].is("}") || r.toks[i-1].is(";") ||
			r.toks[i-1].kind == newline)
}
