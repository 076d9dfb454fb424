package eval

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// anyOption is what unknown text or an option whose name is not known leaves behind: patterns
// may match in another way or nothing, and aliases may be expanded.
func (w *environment) anyOption(s *state) {
	w.on.nullglob, w.on.extglob, w.on.nocasematch, w.on.nocaseglob, w.on.posix = true, true, true,
		true, true
	s.dotglob, s.alias, s.nounset = true, true, true
	s.noglob, s.errexit = false, false
	w.touched(s)
}

// uncertainly does what assigns names that are not known from then on.
func (w *environment) uncertainly(s *state, what string, do func()) {
	s.fork() // what it assigns gets a layer of its own
	before := s.env
	do()
	for e := s.env; e != before && e != nil; e = e.parent {
		for _, name := range slices.Sorted(maps.Keys(e.names)) {
			if old, ok := before.get(name); ok && old.equal(e.names[name]) {
				continue
			}
			if strings.HasSuffix(name, "()") {
				w.put(s, name, holding(unknown(what+" assigns $"+name, Unknown)))
				continue
			}
			w.doubt(s, name, unknown(what+" assigns $"+name, Unknown))
		}
	}
}

// doubtElement is an assignment to an element of an array that is not known.
func (w *environment) doubtElement(s *state, name string, v variable) {
	w.put(s, name, v.vague("an element of $"+name+" that is not known"))
}

// doubt makes the value of a name one that is not known. Its attributes stay, and an array
// stays one.
func (w *environment) doubt(s *state, name string, val value) {
	v, _ := s.env.get(name)
	v.fn = nil
	if v.val, v.set = val, true; v.isList || v.isHash {
		v = v.vague(val.why())
	}
	w.put(s, name, v)
}

// forgetAll is for shell text that is not known: nothing can be said after it of names, of the
// directory or of functions any more.
func (w *environment) forgetAll(s *state) {
	w.lost(s)
	s.attrs = true
	w.anyOption(s)
}

// lost is for text that may set any variable and change the directory, as a login shell does.
func (w *environment) lost(s *state) {
	s.open, s.env, s.own = true, nil, false
	s.dir, s.near, s.old, s.dirs = "", "", "", nil
	s.args, s.argsOpen = nil, true
	w.put(s, "IFS", unknownIFS())
}

// forgetFunctions leaves it open whether a function still answers to its name.
func (w *environment) forgetFunctions(s *state) {
	for name, v := range s.env.flat() {
		if strings.HasSuffix(name, "()") && v.fn != nil {
			w.put(s, name, holding(unknown("it may have been unset", Unknown)))
		}
	}
}

// forget is for a change of a variable whose name is not known: functions alone are left.
func (w *environment) forget(s *state) {
	s.env, s.own, s.open = onlyFunctions(s.env), false, true
	w.put(s, "IFS", unknownIFS())
}

// put gives a name a value, unless the shell would refuse that.
func (w *environment) put(s *state, name string, v variable) {
	w.optionVariable(s, name, v)
	old, ok := s.env.get(name)
	if !ok && s.attrs && v.set && syntax.ValidName(name) {
		v = v.vague("$" + name + " may have an attribute that changes what is assigned")
		v.odd = true
	}
	switch {
	case old.ref: // the name that it refers to is assigned
		w.forgetAll(s)
	case old.fixed:
		w.mayFail(s, leaving)
	default:
		w.restore(s, name, v)
	}
}
