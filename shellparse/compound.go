package shellparse

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// subshell evaluates a list whose changes do not come back.
func (w *walker) subshell(s *state, list []*syntax.Stmt) worlds {
	child := w.fork(s)
	child.traps = nil
	ws := w.stmts(worlds{child}, list)
	st := status(either)
	for i, c := range ws {
		if i == 0 {
			st = c.status
		} else if c.status != st {
			st = either
		}
	}
	w.leave(s, ws)
	s.out = w.oneOutput(ws)
	s.status = st
	return worlds{s}
}

// oneOutput is what the worlds have written, as far as it is the same in all.
func (w *walker) oneOutput(ws worlds) *flow {
	if len(ws) == 0 {
		return nil
	}
	first := ws[0].out
	for _, s := range ws[1:] {
		if !first.equal(s.out) {
			from := worse(first.origin(), s.out.origin())
			if from == Literal {
				from = Unknown
			}
			first = &flow{from: from, why: "the output depends on what happens before"}
		}
	}
	return first
}

func (f *flow) origin() Source {
	if f == nil {
		return Literal
	}
	return f.source()
}

// pipeline evaluates stages side by side, each reading what the one before writes.
func (w *walker) pipeline(s *state, c *syntax.BinaryCmd) worlds {
	stages := []*syntax.Stmt{c.Y}
	x := c.X
	for {
		b, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll || len(x.Redirs) > 0 || x.Negated || x.Background {
			break
		}
		w.visited[x] = struct{}{}
		stages = append(stages, b.Y)
		x = b.X
	}
	stages = append(stages, x)
	slices.Reverse(stages)
	in := s.in
	for i, st := range stages {
		child := w.fork(s)
		child.in, child.out, child.traps = in, nil, nil
		child.capture = i < len(stages)-1 || s.capture
		w.spawning(s, st)
		ver := child.ver
		ws := w.stmt(child, st)
		w.leave(s, ws)
		if last := i == len(stages)-1; last && w.o.Dialect == Zsh && (len(ws) != 1 || ws[0].ver != ver) {
			w.havoc(s) // there it runs in the shell itself
		}
		in = w.oneOutput(ws)
		if in == nil {
			in = &flow{from: Literal, ended: true}
		}
	}
	if s.capture {
		w.write(s, in)
	}
	s.status = either
	return worlds{s}
}

// write appends to what a state has written.
func (w *walker) write(s *state, f *flow) {
	if !s.capture || f == nil {
		return
	}
	w.touched(s)
	s.out = s.out.then(f)
}

// andOr evaluates && and ||, whose chains lean to the left.
func (w *walker) andOr(s *state, c *syntax.BinaryCmd) worlds {
	chain := []*syntax.BinaryCmd{c}
	x := c.X
	for {
		b, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt && b.Op != syntax.OrStmt || len(x.Redirs) > 0 || x.Negated || x.Background {
			break
		}
		w.visited[x] = struct{}{}
		chain = append(chain, b)
		x = b.X
	}
	w.inCond++
	ws := w.stmt(s, x)
	for i, b := range slices.Backward(chain) {
		if i == 0 {
			w.inCond--
		}
		var out worlds
		for _, s := range ws {
			skip := success
			if b.Op == syntax.AndStmt {
				skip = failure
			}
			if s.jump != onward || s.status == skip {
				out = append(out, s)
				continue
			}
			if s.status == either {
				other := w.fork(s)
				other.status = skip
				out = append(out, other)
			}
			s.status = either
			out = append(out, w.stmt(s, b.Y)...)
		}
		ws = w.settle(out)
	}
	return ws
}

func (w *walker) ifClause(s *state, c *syntax.IfClause) worlds {
	if len(c.Cond) == 0 { // else
		return w.stmts(worlds{s}, c.Then)
	}
	w.inCond++
	ws := w.stmts(worlds{s}, c.Cond)
	w.inCond--
	var out worlds
	for _, s := range ws {
		if s.jump != onward {
			out = append(out, s)
			continue
		}
		if s.status != success {
			no := w.fork(s)
			no.status = either
			if c.Else != nil {
				out = append(out, w.ifClause(no, c.Else)...)
			} else {
				out = append(out, no)
			}
		}
		if s.status != failure {
			s.status = either
			out = append(out, w.stmts(worlds{s}, c.Then)...)
		}
	}
	return w.settle(out)
}

func (w *walker) caseClause(s *state, c *syntax.CaseClause) worlds {
	w.single(s, c.Word)
	var out worlds
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			if p.Lit() == "" { // it is expanded where none before it has matched
				w.uncertainly(s, "a pattern", func() { w.single(s, p) })
			}
		}
		ws := w.stmts(worlds{w.fork(s)}, item.Stmts)
		if item.Op == syntax.Fallthrough || item.Op == syntax.Resume {
			s = w.join(append(worlds{w.fork(s)}, ws...))
		}
		out = w.settle(append(out, ws...))
	}
	return w.settle(append(worlds{s}, out...))
}

func (w *walker) funcDecl(s *state, c *syntax.FuncDecl) worlds {
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	for _, n := range names {
		if n.Value == "builtin" {
			w.hazard(Hazard{Rule: "shell.history", Risk: 2, Message: "replaces a builtin with which a shell reports its lines", Span: w.span(n)})
		}
		w.put(s, n.Value+"()", variable{set: true, fn: c})
		s.funcs++
	}
	if len(names) == 0 {
		return w.stmt(s, c.Body)
	}
	return worlds{s}
}

// function evaluates a call of a function of the script.
func (w *walker) function(s *state, c *call, fn *syntax.FuncDecl) worlds {
	name := strings.Clone(c.words[0].Text)
	if slices.Contains(s.calling, name) || s.depth >= 16 {
		w.opaque(s, InCode, "a function that calls itself", c.span)
		w.havoc(s)
		return worlds{s}
	}
	args, open, locals, calling, jump0 := s.args, s.argsOpen, s.locals, s.calling, s.loops
	s.locals, s.loops = map[string]variable{}, 0
	s.give(c.args[1:])
	s.calling = append(slices.Clip(calling), name)
	s.depth++
	ws := w.stmt(s, fn.Body)
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

// spawning finds functions that start themselves again in a pipe or in the background.
func (w *walker) spawning(s *state, st *syntax.Stmt) {
	if len(s.calling) == 0 {
		return
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if ok && len(call.Args) > 0 && slices.Contains(s.calling, call.Args[0].Lit()) {
		w.hazard(Hazard{Rule: "shell.fork-bomb", Risk: 3, Message: "a function starts itself again without end", Span: w.span(st)})
	}
}
