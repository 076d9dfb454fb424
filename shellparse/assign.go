package shellparse

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assign gives a name a value, as name=value does.
func (w *walker) assign(s *state, name string, val value) {
	name, ok := w.assignee(s, name)
	if !ok {
		return
	}
	old, _ := s.env.get(name)
	if old.isList || old.isHash {
		w.setElement(s, name, old, "0", val)
		return
	}
	old.val, old.set, old.fn = w.attributed(s, old, val), true, nil
	if _, ok := w.o.Vars[name]; ok {
		old.exported = true
	}
	w.put(s, name, old)
}

// attributed is the value that a name with attributes takes.
func (w *walker) attributed(s *state, v variable, val value) value {
	if !v.odd && !v.integer && !v.lower && !v.upper {
		return val
	}
	text, ok := val.text()
	switch {
	case v.odd:
		return unknown("an attribute of the name changes its value", val.from())
	case v.integer:
		n, fine := w.evaluate(s, val, true, nil)
		if !fine {
			return value{{kind: number, why: "the result of arithmetic is not known"}}
		}
		return known(strconv.FormatInt(n, 10))
	case v.lower && ok:
		return known(strings.ToLower(text))
	case v.upper && ok:
		return known(strings.ToUpper(text))
	}
	return derived(val)
}

// setElement sets one element of an array, or makes an array of a name with one value.
func (w *walker) setElement(s *state, name string, v variable, key string, val value) {
	val = w.attributed(s, v, val)
	_, own := s.env.get(name)
	switch {
	case v.sparse:
		w.setSparse(s, name, v, key, val)
		return
	case v.isHash:
		w.setPair(s, name, v, key, val)
		return
	case !v.isList && v.set:
		v.list = []value{v.val.listed()} // where it is not known it may be a whole array
	case !v.isList && s.open && !own:
		v = v.vague("the value of $" + name + " is not known")
	}
	v.val, v.isList, v.set, v.list = nil, true, true, slices.Clone(v.list)
	n, ok := integer(key)
	sure := certain(v.list)
	if n < 0 && sure == len(v.list) && w.o.Dialect != Mksh { // to which it is a subscript above all others
		n += int64(len(v.list))
	}
	switch {
	case !ok || n < 0 || v.odd || sure < len(v.list) && n >= int64(sure): // any element may be the one
		w.doubtElement(s, name, v)
		return
	case n < int64(len(v.list)):
		v.list[n] = val
	case n == int64(len(v.list)) && n < maxFields:
		v.list = append(v.list, val)
	default: // a hole
		v = v.withHoles()
		v.hash = append(v.hash, pair{strconv.FormatInt(n, 10), val})
	}
	w.put(s, name, v)
}

// withHoles is an indexed array in the form that can have holes.
func (v variable) withHoles() variable {
	for i, x := range v.list {
		v.hash = append(v.hash, pair{strconv.Itoa(i), x})
	}
	v.list, v.isList, v.isHash, v.sparse = nil, false, true, true
	return v
}

// setPair sets one element of an associative array.
func (w *walker) setPair(s *state, name string, v variable, key string, val value) {
	if key == "" { // an error, in some versions
		w.doubtElement(s, name, v)
		return
	}
	v.hash, v.set = slices.Clone(v.hash), true
	i := slices.IndexFunc(v.hash, func(p pair) bool { return p.key == key })
	if i >= 0 {
		v.hash[i].val = val
	} else {
		v.hash = append(v.hash, pair{key, val})
	}
	w.put(s, name, v)
}

// setSparse sets one element of an indexed array with holes, which is kept like an
// associative one whose keys are in the order of their numbers.
func (w *walker) setSparse(s *state, name string, v variable, key string, val value) {
	n, ok := integer(key)
	if !ok || n < 0 || len(v.hash) >= maxFields {
		w.doubtElement(s, name, v)
		return
	}
	at, found := slices.BinarySearchFunc(v.hash, n, func(p pair, n int64) int {
		have, _ := integer(p.key)
		return cmp.Compare(have, n)
	})
	v.hash, v.set = slices.Clone(v.hash), true
	if found {
		v.hash[at].val = val
	} else {
		v.hash = slices.Insert(v.hash, at, pair{strconv.FormatInt(n, 10), val})
	}
	w.put(s, name, v)
}

// assignment evaluates NAME=VALUE of the tree and returns the value. Attributes in attr are
// added. Shell says that it is an assignment of the shell, not one for a single command.
func (w *walker) assignment(s *state, a *syntax.Assign, attr variable, shell bool) value {
	if a.Name == nil {
		if a.Value != nil {
			w.visitWord(s, a.Value)
		}
		return known("")
	}
	name := a.Name.Value
	if !attr.ref {
		var ok bool
		if name, ok = w.referred(s, name); !ok {
			w.nowhere(s, a)
			return unknown("$"+a.Name.Value+" refers to a name that is not known", Unknown)
		}
	}
	old, _ := s.env.get(name)
	v := old.with(attr)
	switch {
	case dispatches(name):
		w.dispatch(s, a)
		return known("")
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
func (w *walker) scalar(s *state, a *syntax.Assign, name string, attr variable, shell bool, val value) value {
	old, _ := s.env.get(name)
	v := old.with(attr)
	if a.Append {
		before, _ := w.lookup(s, name)
		val = w.appended(v, before, val)
	}
	if v.ref {
		if text, ok := val.text(); ok && strings.Contains(text, "[") {
			w.second(s, text) // each use of the reference expands the subscript again
		}
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
	if shell && (v.exported || w.o.Vars == nil || ofShell(name)) {
		w.environ(s, name, v.val, w.span(a))
	}
	return v.val
}

func (w *walker) appended(v, before variable, val value) value {
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

func (v variable) with(attr variable) variable {
	v.exported = v.exported || attr.exported
	v.fixed = v.fixed || attr.fixed
	v.integer = v.integer || attr.integer
	v.ref = v.ref || attr.ref
	if attr.lower || attr.upper { // the last counts, and both together are none
		v.lower, v.upper = attr.lower && !attr.upper, attr.upper && !attr.lower
	}
	v.isHash = v.isHash || attr.isHash
	v.isList = (v.isList || attr.isList) && !v.isHash
	return v
}

// indexed is a[i]=value.
func (w *walker) indexed(s *state, name string, v variable, a *syntax.Assign) {
	before, _ := s.env.get(name)
	val := w.assigned(s, a.Value)
	if w.o.Dialect == Zsh { // a character of a string, or an element counted from one
		w.arithmetic(s, a.Index)
		w.put(s, name, variable{val: unknown("an element of $"+name+" is set", Unknown), set: true})
		return
	}
	key := "?"
	if v.odd || v.isHash && !v.sparse {
		text, ok := w.key(s, a.Index)
		if !ok || a.Append {
			w.doubtElement(s, name, v)
			return
		}
		key = text
	} else if n, ok := w.number(s, a.Index); ok && !a.Append {
		key = strconv.FormatInt(n, 10)
	}
	if now, _ := s.env.get(name); !now.equal(before) { // what stands in it has assigned the same name
		w.doubtElement(s, name, now)
		return
	}
	w.setElement(s, name, v, key, val)
}

// array is a=(...) and a+=(...).
func (w *walker) array(s *state, name string, v variable, a *syntax.Assign) {
	if w.o.Dialect == Zsh { // its arrays count from one, and $a is all of them
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				w.fields(s, e.Value)
			}
			if e.Index != nil {
				w.uncertainly(s, "a subscript", func() { w.number(s, e.Index) })
			}
		}
		w.put(s, name, variable{val: unknown("$"+name+" is an array", Unknown), set: true})
		return
	}
	switch {
	case !a.Append:
		v.list, v.hash, v.val = nil, nil, nil
		if v.sparse {
			v.sparse, v.isHash = false, false
		}
	case !v.isList && !v.isHash:
		if before, ok := w.lookup(s, name); ok { // a name with one value, or an array that is not known
			v.list = []value{before.val.listed()}
		}
	}
	before, _ := s.env.get(name)
	v.list, v.set, v.isList = slices.Clone(v.list), true, !v.isHash
	v, fine := w.filled(s, name, v, a.Array.Elems)
	if v.isHash && len(v.list) > 0 || len(v.list) > maxFields || certain(v.list) < len(v.list) && len(v.list) > 1 {
		fine = false
	}
	if now, _ := s.env.get(name); !v.isHash && !now.equal(before) {
		fine = false // an element has assigned the same name
	}
	if !fine || v.odd {
		w.doubtElement(s, name, v)
		return
	}
	w.put(s, name, v)
}

// filled adds the elements of name=(...) to an array. The subscripts come after all the values.
func (w *walker) filled(s *state, name string, v variable, elems []*syntax.ArrayElem) (variable, bool) {
	fine := certain(v.list) == len(v.list)
	values := make([][]value, len(elems))
	for i, e := range elems {
		if e.Value != nil && (e.Index != nil && braceDepth(e.Value) > 0 || strings.Contains(e.Value.Lit()+firstLit(e.Value), "=~")) {
			fine = false // with braces an element is a word like any other; and a tilde is one, or a letter
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
