package eval

import (
	"cmp"
	"maps"
	"slices"
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// setPair sets one element of an associative array.
func (w *environment) setPair(s *state, name string, v variable, key string, val value) {
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
func (w *environment) setSparse(s *state, name string, v variable, key string, val value) {
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

// shadow keeps the outer value of a name that a function makes its own.
func (w *environment) shadow(s *state, name string) {
	if s.locals == nil {
		return
	}
	if _, done := s.locals[name]; done {
		return
	}
	old := w.standing(s, name)
	if old.fixed && w.o.Dialect != Zsh {
		return // local cannot hide it
	}
	s.locals = maps.Clone(s.locals)
	s.locals[name] = old
	w.restore(s, name, variable{})
}

func (w *environment) exportFunction(s *state, name string) {
	if v, ok := s.env.get(name + "()"); ok {
		v.exported = true
		w.put(s, name+"()", v)
	}
}

// What an assignment reaches: the name itself, the one that declare -n makes it stand for, or
// one element of an array.

// deref is lookup through declare -n references.
func (w *environment) deref(s *state, name string) (variable, bool) {
	for range 8 {
		v, ok := w.lookup(s, name)
		if !ok || !v.ref {
			return v, ok
		}
		to, fine := v.val.text()
		if !fine || !syntax.ValidName(to) {
			return holding(unknown("$"+name+" refers to a name that is not known", Unknown)), true
		}
		name = to
	}
	return holding(unknown("$"+name+" refers to itself", Unknown)), true
}

// referred follows the references of declare -n to the name that an assignment sets. It is
// false where they end nowhere certain: in a circle, in an element, in an unknown name.
func (w *environment) referred(s *state, name string) (string, bool) {
	for range 8 {
		v, _ := s.env.get(name)
		to, ok := v.val.text()
		if !v.ref || ok && to == "" { // one without a target takes it from the assignment
			return name, true
		}
		if !ok || !syntax.ValidName(to) {
			return "", false
		}
		name = to
	}
	return "", false
}

// assignee is the name that an assignment to name sets. Where that is not known it may be any, and
// all are forgotten.
func (w *environment) assignee(s *state, name string) (string, bool) {
	name, ok := w.referred(s, name)
	if !ok {
		w.forget(s)
	}
	return name, ok
}

// assigns are the names that an assignment changes: the name, and what it refers to.
func (w *environment) assigns(s *state, name string) []string {
	if to, ok := w.referred(s, name); ok && to != name {
		return []string{name, to}
	}
	return []string{name}
}
