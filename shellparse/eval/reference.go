package eval

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
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
