package eval

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

func (w *compound) forClause(s *state, c *syntax.ForClause) worlds {
	switch l := c.Loop.(type) {
	case *syntax.CStyleLoop:
		w.arithmetic(s, l.Init)
		if l.Cond == nil {
			w.endless(s, nil, c.Do)
		}
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
func (w *compound) iterate(s *state, c *syntax.ForClause, l *syntax.WordIter) worlds {
	var items []value
	if !l.InPos.IsValid() {
		items = s.all()
	}
	for _, word := range l.Items {
		items = append(items, w.fields(s, word)...)
	}
	if len(items) > maxRounds || len(items)*len(c.Do) > maxSteps/4 {
		items = []value{unknown("$"+l.Name.Value+" is one of many words", Literal).maybeMany()}
	}
	if c.Select {
		return w.choose(s, c, l.Name.Value, items)
	}
	s.loops++
	ws := worlds{s}
	for _, item := range items {
		several, maybe := item.several(), item.maybeNone()
		item = w.oneOf(s, item, w.span(c))
		round := func(ws worlds) worlds {
			for _, s := range ws {
				if s.jump == onward {
					w.assign(s, l.Name.Value, item)
				}
			}
			return w.round(ws, c.Do)
		}
		before := ws[0].fork()
		var none worlds // what is not known may be no word at all
		for _, s := range ws {
			if maybe {
				none = append(none, s.fork())
			}
		}
		ws = round(ws)
		if several {
			ws = w.widened(ws, before, l.Name.Value, round)
		}
		if maybe {
			ws = w.settle(append(ws, none...))
		}
	}
	for _, s := range ws {
		s.loops--
		s.leaveLoop()
	}
	return ws
}

// oneOf is what the name of a loop holds in one round over a word.
func (w *compound) oneOf(s *state, item value, span Span) value {
	glob := item.word().Glob
	if below, ok := item.foundBelow(); ok {
		return foundAs(below).certain()
	}
	if !glob && item.several() {
		listed, loose := item.fromListing(), item.loose()
		nums := len(item) == 1 && item[0].nums
		item = unknown(item.why(), item.from())
		item[0].name, item[0].loose, item[0].nums = listed, loose, nums
	}
	w.listed(s, item, span)
	if glob {
		return value{{kind: pattern, text: item.glob(), from: File,
			of: starOf(join(s.dir, item.glob()))}}
	}
	return item.quoted()
}

// choose is select: the user picks any of the words, or a number that none of them has, as
// often as they like, or never.
func (w *compound) choose(s *state, c *syntax.ForClause, name string, items []value) worlds {
	entry := s.fork()
	w.assign(s, "REPLY", unknown("it is read from the input", s.in.source()))
	s.loops++
	round := func(ws worlds) (out worlds) {
		for _, s := range ws {
			for _, item := range append(slices.Clip(items), known("")) {
				one := s.fork()
				w.assign(one, name, w.oneOf(s, item, w.span(c)))
				out = append(out, w.round(worlds{one}, c.Do)...)
			}
		}
		return w.settle(out)
	}
	ws := w.widened(round(worlds{s}), s, name, round)
	for _, s := range ws {
		s.loops = entry.loops
		s.leaveLoop()
	}
	return w.settle(append(ws, entry))
}

// round evaluates a body once; a continue ends here.
func (w *compound) round(ws worlds, body []*syntax.Stmt) worlds {
	ws = w.interp.stmts(ws, body)
	for _, s := range ws {
		if s.jump == continuing && s.levels == 0 {
			s.jump = onward
		}
	}
	return w.settle(ws)
}

// widened evaluates a body once more from a state in which everything that its first round
// has changed is not known, so that what holds for it holds for every later round. The
// name of the loop itself does not count.
func (w *compound) widened(ws worlds, entry *state, name string, body func(worlds) worlds) worlds {
	wide := w.join(append(worlds{entry.fork()}, ws...))
	wide.jump, wide.loops = onward, ws[0].loops
	changed := wide.dir != entry.dir || wide.old != entry.old ||
		!slices.Equal(wide.dirs, entry.dirs) || wide.open != entry.open ||
		!wide.in.equal(entry.in) ||
		wide.argsOpen != entry.argsOpen || !slices.EqualFunc(wide.args, entry.args,
		slices.Equal[value]) || wide.noglob != entry.noglob || wide.dotglob != entry.dotglob ||
		wide.attrs != entry.attrs
	for e := wide.env; e != entry.env && e != nil && !changed; e = e.parent {
		for n, v := range e.names {
			old, ok := entry.env.get(n)
			changed = changed || n != name && (!ok || !old.equal(v))
		}
	}
	if !changed {
		return ws
	}
	return w.settle(append(ws, body(worlds{wide})...))
}

// loop evaluates while, until and the C-style for: not at all, once, and any number of
// times more.
func (w *compound) loop(s *state, cond, body []*syntax.Stmt, step func(*state)) worlds {
	entry := s.fork()
	once := func(ws worlds) worlds {
		w.inCond++
		ws = w.interp.stmts(ws, cond)
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
	ws = w.widened(ws, entry, "", once)
	for _, s := range ws {
		s.loops = entry.loops
		s.leaveLoop()
	}
	return w.settle(append(ws, entry))
}

// endless finds loops that nothing ends and nothing slows down: they take the machine.
func (w *compound) endless(s *state, cond, body []*syntax.Stmt) {
	for _, st := range cond {
		if !alwaysTrue(st.Cmd) || st.Negated {
			return
		}
	}
	if len(body) == 0 || s.guess {
		return
	}
	spawns, rests := false, false
	for _, st := range body {
		syntax.Walk(st, func(n syntax.Node) bool {
			if st, ok := n.(*syntax.Stmt); ok && st.Background {
				// the loop does not wait for it
				spawns = true
				return false
			}
			if call, ok := n.(*syntax.CallExpr); ok && len(call.Args) > 0 {
				rests = rests || resting(call.Args[0].Lit())
			}
			return true
		})
	}
	span := Span{Start: w.span(body[0]).Start, End: w.span(body[len(body)-1]).End}
	switch {
	case rests:
	case spawns:
		w.hazard(Hazard{Rule: "shell.spawn-loop", Risk: 3,
			Message: "starts programs in the background without end", Span: span})
	default:
		w.hazard(Hazard{Rule: "shell.endless", Risk: 2,
			Message: "does the same again without a pause and without end", Span: span})
	}
}

// alwaysTrue reports whether a condition cannot fail.
func alwaysTrue(c syntax.Command) bool {
	switch c := c.(type) {
	case *syntax.CallExpr:
		if len(c.Args) == 0 || len(c.Assigns) > 0 {
			return false
		}
		name := c.Args[0].Lit()
		return name == ":" || name == "true" ||
			(name == "[" || name == "test") && len(c.Args) > 1 && c.Args[1].Lit() == "1"
	case *syntax.ArithmCmd:
		word, ok := c.X.(*syntax.Word)
		return ok && word.Lit() == "1"
	}
	return false
}

// resting lists the commands that end a loop or let time pass in it.
func resting(name string) bool {
	switch name {
	case "break", "exit", "return", "exec", "sleep", "usleep", "wait", "read", "inotifywait",
		"select", "kill", "timeout", "fg", "continue":
		return true
	}
	return false
}
