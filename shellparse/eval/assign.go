package eval

import (
	"slices"
	"strconv"
	"strings"

	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
)

// assign gives a name a value, as name=value does.
func (w *parameters) assign(s *state, name string, val value) {
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
func (w *parameters) attributed(s *state, v variable, val value) value {
	switch {
	case v.odd:
		w.hidden(s, v, val)
		return unknown("an attribute of the name changes its value", val.from())
	case v.integer:
		n, fine := w.evaluate(s, val, true, nil)
		if !fine {
			return value{{kind: number, why: "the result of arithmetic is not known"}}
		}
		return known(strconv.FormatInt(n, 10))
	}
	return val
}

// setElement sets one element of an array, or makes an array of a name with one value.
func (w *parameters) setElement(s *state, name string, v variable, key string, val value) {
	val = w.attributed(s, v, val)
	_, own := s.env.get(name)
	switch {
	case v.isHash && key == "": // an error, in some versions
		w.hidden(s, v, val)
		w.doubtElement(s, name, v)
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
	if n < 0 && sure == len(v.list) {
		n += int64(len(v.list))
	}
	switch {
	case !ok || n < 0 || v.odd || sure < len(v.list) && n >= int64(sure):
		// any element may be the one
		w.hidden(s, v, val)
		w.doubtElement(s, name, v)
		return
	case n < int64(len(v.list)):
		v.list[n] = val
	case n == int64(len(v.list)) && n < maxFields:
		v.list = append(v.list, val)
	default:
		w.hidden(s, v, val)
		w.hole(s, name, v)
		return
	}
	w.put(s, name, v)
}

// hole is an array in which an element may be missing between others.
func (w *parameters) hole(s *state, name string, v variable) {
	w.opaque(s, InCode, "an array with a hole is not followed", w.here())
	w.doubtElement(s, name, v)
}

// assignTo gives a value to what text names, NAME or NAME[SUBSCRIPT], as read and printf -v do.
func (w *parameters) assignTo(s *state, text string, val value) {
	name, sub, element := strings.Cut(text, "[")
	if !element {
		w.assign(s, name, val)
		return
	}
	v, _ := s.env.get(name)
	if w.o.Dialect == Zsh { // a character of a string, or an element counted from one
		w.put(s, name, holding(unknown("an element of $"+name+" is set", Unknown)))
		return
	}
	sub, closed := strings.CutSuffix(sub, "]")
	_, number := integer(sub)
	if !closed || !number &&
		(!v.isHash || sub == "" || strings.Trim(sub, shsyntax.PlainBytes) != "") {
		w.hidden(s, v, val)
		w.doubtElement(s, name, v)
		return
	}
	w.setElement(s, name, v, sub, val)
}

// hidden reads the values of a name, and one that it takes, before they are no longer known apart:
// arithmetic may evaluate each of them, now if the name is an integer, and later.
func (w *parameters) hidden(s *state, v variable, val value) {
	for _, one := range append(v.values(), val) {
		if v.integer {
			w.evaluate(s, one, true, nil)
		}
		w.inSubscript(s, one)
	}
}
