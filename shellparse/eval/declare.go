package eval

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A declaration is a run of declare, typeset, local, export or readonly.
type declaration struct {
	variant   string
	attr      variable
	functions bool
	global    bool // declare -g
	dialect   Dialect
	odd       bool // an attribute that is not followed
	span      Span
}

// declare evaluates a declaration of the tree.
func (w *commands) declare(s *state, c *syntax.DeclClause) worlds {
	d := &declaration{variant: c.Variant.Value, dialect: w.o.Dialect, span: w.span(c)}
	d.attr.exported = d.variant == "export"
	d.attr.fixed = d.variant == "readonly"
	w.refers(d, d.variant == "nameref")
	args := []value{known(d.variant)}
	// Like those of every command, the words are expanded before anything is declared.
	values := make([]value, len(c.Args))
	for i, a := range c.Args {
		if a.Name != nil && !a.Naked && a.Array == nil && a.Index == nil {
			values[i] = w.declaredValue(s, a.Value)
		}
	}
	for i, a := range c.Args {
		if a.Naked && a.Name == nil {
			for _, f := range w.fields(s, a.Value) {
				args = append(args, f)
				w.declareWord(s, d, f)
			}
			continue
		}
		args = append(args, w.declareName(s, d, a, values[i]))
	}
	call := newCall(args, nil, d.span)
	defer func(cmd int) { w.cmd = cmd }(w.cmd)
	w.emit(s, call, d.variant, true, true, true)
	if !slices.ContainsFunc(c.Args, func(a *syntax.Assign) bool {
		return a.Name != nil &&
			!a.Naked
	}) {
		w.dumps(s)
	}
	return append(worlds{s}, w.aborted(s, call)...)
}

// declaredValue is the value of NAME=VALUE in a declaration. bash expands its braces, into
// several declarations, each of which expands the rest of the word again; other shells do not.
func (w *commands) declaredValue(s *state, word *syntax.Word) value {
	if word == nil {
		return w.assigned(s, word)
	}
	words, ok := braces(word)
	if ok && len(words) == 1 {
		return w.assigned(s, word)
	}
	if !ok || w.o.Dialect != Bash {
		var val value
		w.uncertainly(s, "what is declared", func() { val = w.assigned(s, word) })
		return unknown("one of several words", val.from())
	}
	var from Source
	for _, one := range words {
		from = w.assigned(s, one).from()
	}
	return unknown("the last of several words", from)
}

// shadows reports whether the names that are declared belong to the function that runs.
func (d *declaration) shadows(s *state) bool {
	return !d.global && !d.disputed() && (d.variant == "local" ||
		len(s.calling) > 0 && (d.variant == "declare" || d.variant == "typeset"))
}

// disputed reports whether versions of the shell differ in what the declaration does: zsh 5.9
// refuses to let a name stand for another, and what is assigned later is the name itself.
func (d *declaration) disputed() bool { return d.dialect == Zsh && d.attr.ref }

// outside is a declaration that does not touch the name as it is seen here: local where no
// function runs, and declare -g of a name that a function has made its own.
func (w *commands) outside(s *state, d *declaration, name string,
	val value) (word value, done bool) {
	if outer, own := s.locals[name]; own && d.global {
		outer = outer.vague("declare -g changes $" + name)
		s.locals = maps.Clone(s.locals)
		s.locals[name] = outer
		w.touched(s)
		return known(name), true
	}
	if d.variant != "local" || s.depth > 0 {
		return nil, false
	}
	if w.o.Dialect != Bash {
		w.put(s, name, holding(unknown("local outside a function", Unknown)))
	}
	return append(known(name+"="), val.quoted()...), true
}

// strange is a name with an attribute that is not followed.
func (d *declaration) strange(name string) variable {
	v := holding(unknown("$"+name+" has an attribute that is not followed", Unknown))
	v.odd, v.ref = true, d.attr.ref
	return v
}

// declareName is NAME or NAME=VALUE of a declaration; it returns the word for a reader.
func (w *commands) declareName(s *state, d *declaration, a *syntax.Assign, val value) value {
	name := a.Name.Value
	if d.functions {
		w.exportFunction(s, name)
		return known(name)
	}
	shadows := d.shadows(s)
	if shadows && a.Array == nil {
		w.shadow(s, name)
	}
	if val, done := w.outside(s, d, name, val); done {
		return val
	}
	if a.Naked && a.Index == nil && a.Array == nil && !shadows &&
		(d.attr.exported || d.attr.fixed) {
		w.exportName(s, name, d.attr, w.span(a))
		return known(name)
	}
	switch {
	case a.Array != nil && shadows:
		outer, ok := s.env.get(name)
		w.shadow(s, name)
		if ok {
			w.put(s, name, outer) // the elements may use the outer value
		}
		val = w.assignment(s, a, d.attr, true)
	case val != nil:
		val = w.scalar(s, a, name, d.attr, true, val)
	default:
		val = w.assignment(s, a, d.attr, true)
	}
	if d.odd {
		now, _ := s.env.get(name)
		w.hidden(s, now, val)
		w.put(s, name, d.strange(name))
	}
	if a.Naked {
		return known(name)
	}
	return append(known(name+"="), val.quoted()...)
}

// refers is a name that refers to another. Assignments through it are not followed.
func (w *commands) refers(d *declaration, on bool) {
	if d.attr.ref = on; on {
		d.odd = d.odd || d.disputed()
		w.opaque(nil, InCode, "a name stands for another, which is not followed", d.span)
	}
}

func (w *commands) exportName(s *state, name string, attr variable, span Span) {
	v, ok := w.lookup(s, name)
	v.set = ok
	w.put(s, name, v.with(attr))
	if ok {
		w.environ(s, name, v.val, span)
	}
}

// declareWord is an argument of a declaration that is no assignment of the tree: an option,
// or a word whose expansion could be one.
func (w *commands) declareWord(s *state, d *declaration, f value) {
	text, ok := f.text()
	if !ok {
		if name, _, found := strings.Cut(f.prefix(), "="); found && syntax.ValidName(name) {
			if d.shadows(s) {
				w.shadow(s, name)
			}
			if d.odd || d.attr.ref {
				w.put(s, name, d.strange(name))
				return
			}
			w.assign(s, name, unknown(f.why(), f.from()))
			return
		}
		w.opaque(s, InOption, "what is declared is not known: "+f.word().Why, d.span)
		w.forget(s)
		s.attrs = s.attrs || d.variant != "export"
		return
	}
	if len(text) > 1 && (text[0] == '-' || text[0] == '+') {
		d.options(text[1:], text[0] == '-')
		w.refers(d, d.attr.ref)
		if strings.ContainsAny(text, "clu") {
			w.opaque(s, InCode, "an attribute that changes the case of letters is not followed",
				d.span)
		}
		return
	}
	w.declareText(s, d, text)
}

func (d *declaration) options(letters string, on bool) {
	for _, c := range letters {
		d.odd = d.odd || d.dialect != Bash && !strings.ContainsRune("nxrgfFp", c)
		// what is taken off is not followed
		d.odd = d.odd || !on && c != 'x' && c != 'n' && c != '-' ||
			strings.ContainsRune("clu", c)
		switch c {
		case 'x':
			d.attr.exported = on
		case 'i':
			d.attr.integer = on
		case 'n':
			d.attr.exported = d.attr.exported && d.variant != "export"
			d.attr.ref = on && d.variant != "export" || d.dialect == Zsh
		case 'r':
			d.attr.fixed = on
		case 'g':
			d.global = on
		case 'A':
			d.attr.isHash = on
		case 'a':
			d.attr.isList = on
		case 'f', 'F':
			d.functions = on
		}
	}
}

// declareText is NAME=VALUE or NAME in a word that only an expansion has made.
func (w *commands) declareText(s *state, d *declaration, text string) {
	name, val, has := strings.Cut(text, "=")
	name, appends := strings.CutSuffix(name, "+")
	if i := strings.IndexByte(name, '['); i >= 0 {
		w.second(s, name[i:])
		w.assignTo(s, name[:i]+"[?]", unknown("an element that is set by its name", Unknown))
		return
	}
	if d.functions {
		w.exportFunction(s, name)
		return
	}
	if !syntax.ValidName(name) {
		return
	}
	if _, done := w.outside(s, d, name, known(val)); done {
		return
	}
	if d.shadows(s) {
		w.shadow(s, name)
		if w.o.Dialect == POSIX && !has {
			w.put(s, name, holding(unknown("shells keep the outer value of $"+name+", or do not",
				Unknown)))
		}
	}
	v, _ := s.env.get(name)
	v = v.with(d.attr)
	switch {
	case d.odd:
		w.hidden(s, v, known(val))
		w.put(s, name, d.strange(name))
	case !has && (d.attr.exported || d.attr.fixed) && !d.shadows(s):
		w.exportName(s, name, d.attr, d.span)
	case !has:
		w.put(s, name, v)
	case strings.HasPrefix(val, "("):
		w.second(s, val)
		w.doubtElement(s, name, v)
	case appends:
		w.assign(s, name, unknown("what "+d.variant+" appends to", Unknown))
	case v.isList || v.isHash:
		w.setElement(s, name, v, "0", known(val))
	default:
		v.val, v.set = w.attributed(s, v, known(val)), true
		w.put(s, name, v)
		if v.exported {
			w.environ(s, name, v.val, d.span)
		}
	}
}

func (w *commands) declareWords(s *state, c *call) worlds {
	d := &declaration{variant: c.words[0].Text, dialect: w.o.Dialect, span: c.span}
	d.attr.exported, d.attr.fixed = d.variant == "export", d.variant == "readonly"
	for _, a := range c.args[1:] {
		w.declareWord(s, d, a)
	}
	return worlds{s}
}
