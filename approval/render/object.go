package render

import "sort"

// object is an object from which sections take values.
type object map[string]any

func (o object) takeText(k string) (string, bool) {
	s, ok := o[k].(string)
	if ok {
		delete(o, k)
	}
	return s, ok
}

func (o object) takeObject(k string) object {
	m, ok := o[k].(map[string]any)
	if ok {
		delete(o, k)
	}
	return m
}

func (o object) takeList(k string) ([]any, bool) {
	l, ok := o[k].([]any)
	if ok {
		delete(o, k)
	}
	return l, ok
}

// takeTexts takes a list if all of it is text.
func (o object) takeTexts(k string) ([]string, bool) {
	l, ok := o[k].([]any)
	if !ok {
		return nil, false
	}
	out := make([]string, 0, len(l))
	for _, v := range l {
		s, ok := v.(string)
		if !ok {
			return nil, false
		}
		out = append(out, s)
	}
	delete(o, k)
	return out, true
}

func (o object) keys() []string {
	keys := make([]string, 0, len(o))
	for k := range o {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// takeRest shows what is left of an object, by name. Empty values come last, as "∅ X" for an empty
// text and "∅[] X" for an empty list.
func (o object) takeRest() [][]unit {
	var parts, none, zero [][]unit
	for _, k := range o.keys() {
		x := o[k]
		delete(o, k)
		list, isList := x.([]any)
		switch {
		case x == "":
			none = append(none, append(own(empty+" "), show(k, exact, nil)...))
		case isList && len(list) == 0:
			zero = append(zero, append(own(empty+"[] "), show(k, exact, nil)...))
		default:
			parts = append(parts, named(k, value(x, exact)))
		}
	}
	return append(append(parts, none...), zero...)
}

// A label is a key whose value is shown after a word of the renderer, or after none if its position
// says what it is.
type label struct{ key, word string }

// takeLabelled takes the labelled values out of an object, in their order. Empty ones stay, to be
// named with the rest.
func (o object) takeLabelled(order []label) [][]unit {
	var parts [][]unit
	for _, l := range order {
		x, ok := o[l.key]
		if !ok || x == "" {
			continue
		}
		delete(o, l.key)
		st := exact
		if l.key == "message" || l.key == "why" {
			st = prose
		}
		parts = append(parts, append(own(l.word), value(x, st)...))
	}
	return parts
}
