package eval

import (
	"maps"
	"slices"
)

// setPair sets one element of an associative array; key is not empty.
func (w *environment) setPair(s *state, name string, v variable, key string, val value) {
	v.hash, v.set = slices.Clone(v.hash), true
	i := slices.IndexFunc(v.hash, func(p pair) bool { return p.key == key })
	if i >= 0 {
		v.hash[i].val = val
	} else {
		v.hash = append(v.hash, pair{key, val})
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
