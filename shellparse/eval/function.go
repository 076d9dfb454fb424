package eval

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// function evaluates a call of a function of the script.
func (w *commands) function(s *state, c *call, fn *syntax.FuncDecl) worlds {
	name := strings.Clone(c.words[0].Text)
	if slices.Contains(s.calling, name) || s.depth >= 16 {
		w.opaque(s, InCode, "a function that calls itself", c.span)
		w.forgetAll(s)
		return worlds{s}
	}
	args, open, locals, calling, jump0 := s.args, s.argsOpen, s.locals, s.calling, s.loops
	s.locals, s.loops = map[string]variable{}, 0
	s.give(c.args[1:])
	s.calling = append(slices.Clip(calling), name)
	s.depth++
	ws := w.interp.stmt(s, fn.Body)
	for _, e := range ws {
		for n, v := range e.locals {
			w.restore(e, n, v)
		}
		e.args, e.argsOpen, e.locals, e.calling, e.loops = args, open, locals, calling, jump0
		e.depth--
		if e.jump < leaving {
			e.jump = onward
		}
	}
	return ws
}
