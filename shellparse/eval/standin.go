package eval

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// What a name stands for can be changed: by a copy of rm that is called ls, a link in a
// directory of PATH, the tables in which bash keeps hashed programs and aliases.

// standIns evaluates a program once more for each other program that the script itself has
// put under its name.
func (w *commands) standIns(s *state, c *call) {
	if len(s.files) == 0 {
		return
	}
	name := c.words[0].Text
	places := []value{c.args[0]}
	if !strings.Contains(name, "/") {
		path, ok := s.env.get("PATH")
		if !ok {
			return // that of the caller, where the script has put nothing
		}
		places = nil
		for dir := range strings.SplitSeq(path.val.prefix(), ":") {
			places = append(places, known(dir+"/"+name))
		}
	}
	for _, v := range places {
		program := w.copied(s, v)
		if program == "" || base(program) == base(name) {
			continue
		}
		if spec, ok := w.spec(base(program)); ok {
			w.use(s.fork(), c, spec.Match(c.argv), base(program))
		}
	}
}

// dispatches reports whether a name is one of the tables that bash finds programs by.
func dispatches(name string) bool { return name == "BASH_CMDS" || name == "BASH_ALIASES" }

// dispatch is an assignment to an element of such a table.
func (w *commands) dispatch(s *state, a *syntax.Assign) {
	elems := []*syntax.ArrayElem{{Index: a.Index, Value: a.Value}}
	if a.Array != nil {
		elems = a.Array.Elems
	}
	for _, e := range elems {
		if e.Value == nil {
			continue
		}
		val := w.assigned(s, e.Value)
		key, fine := "", false
		if e.Index != nil {
			key, fine = w.key(s, e.Index)
		}
		text, plain := val.text()
		switch {
		case a.Name.Value == "BASH_CMDS" && fine:
			w.put(s, "hash:"+key, holding(val))
		case a.Name.Value == "BASH_CMDS" || s.alias || !plain:
			w.opaque(s, InCode, "the meaning of a name is changed", w.span(a))
		default:
			w.partialText(s.fork(), text, w.span(a))
		}
	}
}
