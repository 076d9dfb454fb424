package eval

import (
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/tada-run/tada-run/shellparse/catalog"
)

// assignment evaluates NAME=VALUE of the tree and returns the value. Attributes in attr are added.
// Shell is true for an assignment of the shell, and false for one that holds for a single command.
func (w *commands) assignment(s *state, a *syntax.Assign, attr variable, shell bool) value {
	if a.Name == nil {
		if a.Value != nil {
			w.visitWord(s, a.Value)
		}
		return known("")
	}
	name := a.Name.Value
	old, _ := s.env.get(name)
	v := old.with(attr)
	if dispatches(name) {
		w.opaque(s, InCode, "the meaning of a name is changed", w.span(a))
	}
	switch {
	case a.Array != nil:
		v.fixed = old.fixed
		w.array(s, name, v, a)
		if v, _ = s.env.get(name); attr.fixed && !v.fixed {
			v.fixed = true
			w.put(s, name, v)
		}
		return known("")
	case a.Index != nil:
		w.indexed(s, name, v, a)
		return known("")
	case a.Naked:
		w.put(s, name, v)
		return v.val
	}
	return w.scalar(s, a, name, attr, shell, w.assigned(s, a.Value))
}

// scalar gives a name the value that its assignment has.
func (w *commands) scalar(s *state, a *syntax.Assign, name string, attr variable, shell bool,
	val value) value {
	old, _ := s.env.get(name)
	v := old.with(attr)
	if a.Append {
		before, _ := w.lookup(s, name)
		val = w.appended(v, before, val)
	}
	if v.isList || v.isHash {
		w.setElement(s, name, v, "0", val)
		return val
	}
	v.val, v.set = w.attributed(s, v, val), true
	if _, inherited := w.o.Vars[name]; inherited && shell {
		v.exported = true
	}
	w.put(s, name, v)
	if shell && (v.exported || w.o.Vars == nil || catalog.Variable(name).Has("shell")) {
		w.environ(s, name, v.val, w.span(a))
	}
	return v.val
}

func (w *commands) appended(v, before variable, val value) value {
	if v.integer {
		a, ok1 := before.val.text()
		b, ok2 := val.text()
		if ok1 && ok2 {
			if a == "" {
				a = "0"
			}
			return known("(" + a + ")+(" + b + ")")
		}
		return value{{kind: number}}
	}
	var out value
	for _, p := range append(slices.Clip(before.val), val...) {
		if p.kind == active {
			p.kind = literal
		}
		out = out.add(p)
	}
	if len(out) == 0 {
		return known("")
	}
	return out
}

// indexed is a[i]=value.
func (w *commands) indexed(s *state, name string, v variable, a *syntax.Assign) {
	before, _ := s.env.get(name)
	val := w.assigned(s, a.Value)
	if w.o.Dialect == Zsh { // a character of a string, or an element counted from one
		w.arithmetic(s, a.Index)
		w.put(s, name, holding(unknown("an element of $"+name+" is set", Unknown)))
		return
	}
	key := "?"
	if v.odd || v.isHash {
		text, ok := w.key(s, a.Index)
		if !ok || a.Append {
			w.hidden(s, v, val)
			w.doubtElement(s, name, v)
			return
		}
		key = text
	} else if n, ok := w.number(s, a.Index); ok && !a.Append {
		key = strconv.FormatInt(n, 10)
	}
	if now, _ := s.env.get(name); !now.equal(before) {
		// the subscript has assigned the same name
		w.hidden(s, now, val)
		w.doubtElement(s, name, now)
		return
	}
	w.setElement(s, name, v, key, val)
}

// array is a=(...) and a+=(...).
func (w *commands) array(s *state, name string, v variable, a *syntax.Assign) {
	if w.o.Dialect == Zsh { // its arrays count from one, and $a is all of them
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				w.fields(s, e.Value)
			}
			if e.Index != nil {
				w.uncertainly(s, "a subscript", func() { w.number(s, e.Index) })
			}
		}
		w.put(s, name, holding(unknown("$"+name+" is an array", Unknown)))
		return
	}
	switch {
	case !a.Append:
		v.list, v.hash, v.val = nil, nil, nil
	case !v.isList && !v.isHash:
		if before, ok := w.lookup(s, name); ok {
			// a name with one value, or an array that is not known
			v.list = []value{before.val.listed()}
		}
	}
	before, _ := s.env.get(name)
	v.list, v.set, v.isList = slices.Clone(v.list), true, !v.isHash
	v, fine := w.filled(s, name, v, a.Array.Elems)
	if v.isHash && len(v.list) > 0 || len(v.list) > maxFields ||
		certain(v.list) < len(v.list) && len(v.list) > 1 {
		fine = false
	}
	if now, _ := s.env.get(name); !v.isHash && !now.equal(before) {
		fine = false // an element has assigned the same name
	}
	if !fine || v.odd {
		w.hidden(s, v, nil)
		w.doubtElement(s, name, v)
		return
	}
	w.put(s, name, v)
}

// filled adds the elements of name=(...) to an array. The subscripts come after all the values.
func (w *commands) filled(s *state, name string, v variable,
	elems []*syntax.ArrayElem) (variable, bool) {
	fine := certain(v.list) == len(v.list)
	values := make([][]value, len(elems))
	for i, e := range elems {
		if e.Value != nil && (e.Index != nil && braceDepth(e.Value) > 0 ||
			strings.Contains(e.Value.Lit()+firstLit(e.Value), "=~")) {
			// with braces an element is a word like any other; and a tilde is one, or a letter
			fine = false
		}
		if e.Index != nil {
			values[i] = []value{w.single(s, e.Value)}
			if e.Value != nil && hasList(e.Value) { // bash 5.2 splits it at IFS
				values[i][0] = unknown("a list in an element", values[i][0].from())
			}
			continue
		}
		fields := w.fields(s, e.Value)
		for _, f := range fields {
			w.listed(s, f, w.span(e.Value))
		}
		values[i] = matches(fields)
	}
	for i, e := range elems {
		switch {
		case e.Index == nil:
			for _, f := range values[i] {
				one := w.attributed(s, v, f)
				if f.several() {
					one = one.listed()
				}
				v.list = append(v.list, one)
			}
		case v.isHash:
			key, ok := w.key(s, e.Index)
			fine = fine && ok
			w.setElement(s, name, v, key, values[i][0])
			v, _ = s.env.get(name)
		case e.Value != nil && braceDepth(e.Value) > 0: // it may be no subscript at all
			w.uncertainly(s, "a subscript", func() { w.number(s, e.Index) })
		default:
			n, ok := w.number(s, e.Index)
			fine = fine && ok && n == int64(len(v.list)) && certain(v.list) == len(v.list)
			v.list = append(v.list, w.attributed(s, v, values[i][0]))
		}
	}
	return v, fine
}
