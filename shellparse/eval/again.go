package eval

import (
	"maps"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// beyond reads what arithmetic evaluates further than it is followed: the text, the values of the
// names in it, the values of the names in those, and so on. bash evaluates them in turn and runs
// the substitutions in their subscripts. Each text and each name is read once.
func (w *parameters) beyond(s *state, text string) {
	todo, changes := []string{text}, false
	for ; len(todo) > 0 && w.asked < maxAsked; w.asked++ {
		text, todo = todo[0], todo[1:]
		if !w.read[text] {
			w.read[text] = true
			w.second(s, text)
		}
		changes = changes || strings.Contains(text, "=") || strings.Contains(text, "++") ||
			strings.Contains(text, "--")
		for name := range strings.FieldsFuncSeq(text, notInName) {
			if w.named[name] || !syntax.ValidName(name) {
				continue
			}
			w.named[name] = true
			v, _ := w.lookup(s, name)
			for _, val := range v.values() {
				text, ok := val.text()
				if !ok && !val.numeric() {
					w.anyName(s)
				} else if _, fine := integer(strings.TrimSpace(text)); !fine {
					todo = append(todo, text)
				}
			}
		}
	}
	if changes { // what it assigns is not known, and may be evaluated later
		w.anyName(s)
	}
	if w.asked >= maxAsked {
		w.opaque(s, InCode, "arithmetic is not followed", w.here())
	}
}

// maxAsked is how many values one expression may evaluate: 60 names that name each other are
// evaluated more often than any machine can.
const maxAsked = 1024

func notInName(c rune) bool { return !syntax.ValidName("a" + string(c)) }

// anyName reads what every name holds: arithmetic evaluates one of them.
func (w *parameters) anyName(s *state) {
	all := s.env.flat()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		for _, val := range all[name].values() {
			w.inSubscript(s, val)
		}
	}
}

// inSubscript reads what arithmetic runs when it evaluates a value: the substitutions in the
// subscripts of names.
func (w *parameters) inSubscript(s *state, val value) {
	if text, ok := val.text(); ok && strings.Contains(text, "[") {
		w.second(s, text)
	}
}
