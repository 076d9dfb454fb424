package shellparse

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What an assignment reaches: the name itself, the one that declare -n makes it stand for, or
// one element of an array.

// deref is lookup through declare -n references.
func (w *walker) deref(s *state, name string) (variable, bool) {
	for range 8 {
		v, ok := w.lookup(s, name)
		if !ok || !v.ref {
			return v, ok
		}
		to, fine := v.val.text()
		if !fine || !syntax.ValidName(to) {
			return variable{val: unknown("$"+name+" refers to a name that is not known", Unknown), set: true}, true
		}
		name = to
	}
	return variable{val: unknown("$"+name+" refers to itself", Unknown), set: true}, true
}

// referred follows the references of declare -n to the name that an assignment sets. It is
// false where they end nowhere certain: in a circle, in an element, in an unknown name.
func (w *walker) referred(s *state, name string) (string, bool) {
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

// assignee is the name that an assignment to name sets. Where that is not known it may be any, and all are forgotten.
func (w *walker) assignee(s *state, name string) (string, bool) {
	name, ok := w.referred(s, name)
	if !ok {
		w.forget(s)
	}
	return name, ok
}

// assigns are the names that an assignment changes: the name, and what it refers to.
func (w *walker) assigns(s *state, name string) []string {
	if to, ok := w.referred(s, name); ok && to != name {
		return []string{name, to}
	}
	return []string{name}
}

// assignTo gives a value to what text names, NAME or NAME[SUBSCRIPT], as read and printf -v do.
func (w *walker) assignTo(s *state, text string, val value) {
	name, sub, element := strings.Cut(text, "[")
	if !element {
		w.assign(s, name, val)
		return
	}
	name, ok := w.assignee(s, name)
	if !ok {
		return
	}
	v, _ := s.env.get(name)
	if w.o.Dialect == Zsh { // a character of a string, or an element counted from one
		w.put(s, name, variable{val: unknown("an element of $"+name+" is set", Unknown), set: true})
		return
	}
	sub, closed := strings.CutSuffix(sub, "]")
	_, number := integer(sub)
	if !closed || !number && (!v.isHash || v.sparse || sub == "" || strings.Trim(sub, plainBytes) != "") {
		w.doubtElement(s, name, v)
		return
	}
	w.setElement(s, name, v, sub, val)
}

// vague is an array of which one element is not known, or where it stands. What is assigned
// to it later changes one of its elements and says nothing of the others.
func (v variable) vague(why string) variable {
	v.odd = v.odd || v.isHash && !v.sparse // the subscripts are no numbers
	v.val, v.hash, v.isHash, v.sparse = nil, nil, false, false
	v.list, v.isList, v.set = []value{unknown(why, Unknown).maybeMany()}, true, true
	return v
}

// doubtElement is an assignment to an element of an array that is not known.
func (w *walker) doubtElement(s *state, name string, v variable) {
	w.put(s, name, v.vague("an element of $"+name+" that is not known"))
}

// doubt makes the value of a name one that is not known. Its attributes stay, and an array
// stays one.
func (w *walker) doubt(s *state, name string, val value) {
	v, _ := s.env.get(name)
	v.fn = nil
	if v.val, v.set = val, true; v.isList || v.isHash {
		v = v.vague(val.why())
	}
	w.put(s, name, v)
}

// iterates gives the name of a loop its next value. One that is a reference stands for another
// name in each round.
func (w *walker) iterates(s *state, name string, item value) {
	v, _ := s.env.get(name)
	if !v.ref {
		w.assign(s, name, item)
		return
	}
	if to, ok := item.text(); v.odd || !ok || !syntax.ValidName(to) || to == name {
		w.forget(s)
		return
	}
	v.val, v.set = item, true
	w.put(s, name, v)
}

// nowhere is an assignment to a reference that ends nowhere certain.
func (w *walker) nowhere(s *state, a *syntax.Assign) {
	if a.Index != nil {
		w.arithmetic(s, a.Index)
	}
	if a.Value != nil {
		w.visitWord(s, a.Value)
	}
	if a.Array != nil {
		for _, e := range a.Array.Elems {
			if e.Value != nil {
				w.visitWord(s, e.Value)
			}
		}
	}
	w.forget(s)
}
