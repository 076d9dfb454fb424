package shellparse

import (
	"mvdan.cc/sh/v3/syntax"
)

// maxRounds bounds how often the body of a loop over known words is evaluated.
const maxRounds = 256

func (w *walker) forClause(s *state, c *syntax.ForClause) worlds {
	switch l := c.Loop.(type) {
	case *syntax.CStyleLoop:
		w.arithmetic(s, l.Init)
		return w.loop(s, nil, c.Do, func(s *state) {
			w.arithmetic(s, l.Cond)
			w.arithmetic(s, l.Post)
		})
	case *syntax.WordIter:
		return w.iterate(s, c, l)
	}
	return worlds{s}
}

// iterate unrolls a loop over words. A pattern among them is one round, in which the name
// holds anything that matches.
func (w *walker) iterate(s *state, c *syntax.ForClause, l *syntax.WordIter) worlds {
	var items []value
	if !l.InPos.IsValid() {
		items = s.args
		if s.argsOpen {
			items = []value{unknown("the arguments of the script are not known", Unknown)}
		}
	}
	for _, word := range l.Items {
		items = append(items, w.fields(s, word)...)
	}
	if c.Select || len(items) > maxRounds || len(items)*len(c.Do) > maxSteps/4 {
		items = []value{unknown("$"+l.Name.Value+" is one of many words", Literal)}
	}
	skipped := w.fork(s)
	s.loops++
	ws := worlds{s}
	for _, item := range items {
		if item.word().Glob {
			item = value{{kind: pattern, text: item.glob()}}
		} else {
			item = item.quoted()
		}
		again := item.from() != Literal || item.word().Glob
		for _, s := range ws {
			if s.jump == onward {
				w.assign(s, l.Name.Value, item)
			}
		}
		ws = w.round(ws, c.Do)
		if again {
			ws = w.widened(ws, skipped, func(ws worlds) worlds { return w.round(ws, c.Do) })
		}
	}
	for _, s := range ws {
		s.loops--
		if s.jump == breaking {
			s.jump = onward
		}
	}
	return ws
}

// round evaluates a body once; a continue ends here.
func (w *walker) round(ws worlds, body []*syntax.Stmt) worlds {
	ws = w.stmts(ws, body)
	for _, s := range ws {
		if s.jump == continuing {
			s.jump = onward
		}
	}
	return w.settle(ws)
}

// widened evaluates a body once more from a state in which everything that its first round
// has changed is not known, so that what holds for it holds for every later round.
func (w *walker) widened(ws worlds, entry *state, body func(worlds) worlds) worlds {
	changed := false
	for _, s := range ws {
		changed = changed || s.ver != entry.ver
	}
	if !changed {
		return ws
	}
	wide := w.join(append(worlds{w.fork(entry)}, ws...))
	wide.jump, wide.loops = onward, ws[0].loops
	return w.settle(append(ws, body(worlds{wide})...))
}

// loop evaluates while, until and the C-style for: not at all, once, and any number of
// times more.
func (w *walker) loop(s *state, cond, body []*syntax.Stmt, step func(*state)) worlds {
	entry := w.fork(s)
	once := func(ws worlds) worlds {
		w.inCond++
		ws = w.stmts(ws, cond)
		w.inCond--
		for _, s := range ws {
			s.status = either
		}
		ws = w.round(ws, body)
		if step != nil {
			for _, s := range ws {
				step(s)
			}
		}
		return ws
	}
	s.loops++
	ws := once(worlds{s})
	ws = w.widened(ws, entry, once)
	for _, s := range ws {
		s.loops = entry.loops
		if s.jump == breaking {
			s.jump = onward
		}
	}
	return w.settle(append(ws, entry))
}
