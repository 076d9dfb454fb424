package code

import "slices"

// ofSelf is self.NAME: what any statement of the text gives an attribute of that name, of whatever
// object, or a variable of that name, which may be of the class. It reads an assignment as well. ok
// is false, and nothing is read, when the name is a function's or nothing is known of it.
func (r *reader) ofSelf(base string, n token) (v value, ok bool) {
	key := "." + n.text
	next := r.peek()
	switch {
	case r.g.bare:
		return value{}, false
	case next.kind != punct:
	case next.text == "=":
		r.i++
		v = r.expr()
		if r.peek().is(",") && r.g.newlines {
			v = value{} // a tuple without brackets
		}
		r.escape(v)
		r.bind(key, v)
		r.subject, r.bound = "", true
		return v, true
	case next.text == "(":
		return value{}, false
	case changes(next.text), next.text == ":" && r.g.name == "python":
		r.forget(key)
		return value{}, false
	}
	v, ok = r.vars[key]
	if !ok || !slices.Contains([]string{"self", "this", "cls"}, base) || r.unnamed {
		return value{}, false
	}
	if w, also := r.vars[n.text]; also {
		v, _ = union(v, w)
	}
	return v, true
}

// changes reports whether an operator gives what is in front of it another value.
func changes(operator string) bool {
	return len(operator) > 1 && operator[len(operator)-1] == '=' &&
		!slices.Contains([]string{"==", "!=", "<=", ">=", "===", "!=="}, operator)
}

// setsUnnamed reports whether a text may set attributes whose names it does not spell.
func setsUnnamed(toks []token) bool {
	return slices.ContainsFunc(toks, func(t token) bool {
		return t.kind == name && slices.Contains(setters, t.text)
	})
}

var setters = []string{"setattr", "__setattr__", "__dict__", "vars", "assign", "defineProperty",
	"defineProperties", "dataclass", "namedtuple", "Reflect", "Proxy", "__slots__", "super"}
