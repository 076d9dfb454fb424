package eval

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// subshell evaluates a list whose changes do not come back.
func (w *compound) subshell(s *state, list []*syntax.Stmt) worlds {
	child := s.fork()
	child.traps = nil
	ws := w.interp.stmts(worlds{child}, list)
	st := status(either)
	for i, c := range ws {
		if i == 0 {
			st = c.status
		} else if c.status != st {
			st = either
		}
	}
	w.leave(s, ws)
	s.out = oneOutput(ws)
	s.status = st
	return worlds{s}
}

// pipeline evaluates stages side by side, each reading what the one before writes.
func (w *compound) pipeline(s *state, c *syntax.BinaryCmd) worlds {
	stages := []*syntax.Stmt{c.Y}
	x := c.X
	w.doubled = w.doubled || c.Op == syntax.PipeAll
	for {
		b, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.Pipe && b.Op != syntax.PipeAll || len(x.Redirs) > 0 || x.Negated ||
			x.Background {
			break
		}
		w.visited[x] = struct{}{}
		stages = append(stages, b.Y)
		x = b.X
		w.doubled = w.doubled || b.Op == syntax.PipeAll
	}
	stages = append(stages, x)
	slices.Reverse(stages)
	in := s.in
	for i, st := range stages {
		child := s.fork()
		child.in, child.out, child.traps = in, nil, nil
		child.capture = i < len(stages)-1 || s.capture
		w.spawning(s, st)
		ver, leaks := child.ver, w.leaks
		ws := w.interp.stmt(child, st)
		w.leave(s, ws)
		if last := i == len(stages)-1; last && w.o.Dialect == Zsh &&
			(len(ws) != 1 || ws[0].ver != ver) {
			w.forgetAll(s) // there it runs in the shell itself
		}
		in = w.gathered(ws, leaks)
		if in == nil {
			in = &stream{from: Literal, ended: true}
		}
	}
	if s.capture {
		w.write(s, in)
	}
	s.status = either
	return worlds{s}
}

// andOr evaluates && and ||, whose chains lean to the left.
func (w *compound) andOr(s *state, c *syntax.BinaryCmd) worlds {
	chain := []*syntax.BinaryCmd{c}
	x := c.X
	for {
		b, ok := x.Cmd.(*syntax.BinaryCmd)
		if !ok || b.Op != syntax.AndStmt && b.Op != syntax.OrStmt || len(x.Redirs) > 0 ||
			x.Negated || x.Background {
			break
		}
		w.visited[x] = struct{}{}
		chain = append(chain, b)
		x = b.X
	}
	w.inCond++
	ws := w.interp.stmt(s, x)
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
				other := s.fork()
				other.status = skip
				out = append(out, other)
			}
			s.status = either
			out = append(out, w.interp.stmt(s, b.Y)...)
		}
		ws = w.settle(out)
	}
	return ws
}

func (w *compound) ifClause(s *state, c *syntax.IfClause) worlds {
	if len(c.Cond) == 0 { // else
		return w.interp.stmts(worlds{s}, c.Then)
	}
	w.inCond++
	ws := w.interp.stmts(worlds{s}, c.Cond)
	w.inCond--
	var out worlds
	for _, s := range ws {
		if s.jump != onward {
			out = append(out, s)
			continue
		}
		if s.status != success {
			no := s.fork()
			no.status = either
			if c.Else != nil {
				out = append(out, w.ifClause(no, c.Else)...)
			} else {
				out = append(out, no)
			}
		}
		if s.status != failure {
			s.status = either
			out = append(out, w.interp.stmts(worlds{s}, c.Then)...)
		}
	}
	return w.settle(out)
}

func (w *compound) caseClause(s *state, c *syntax.CaseClause) worlds {
	w.single(s, c.Word)
	var out worlds
	for _, item := range c.Items {
		for _, p := range item.Patterns {
			if p.Lit() == "" { // it is expanded where none before it has matched
				w.uncertainly(s, "a pattern", func() { w.single(s, p) })
			}
		}
		ws := w.interp.stmts(worlds{s.fork()}, item.Stmts)
		if item.Op == syntax.Fallthrough || item.Op == syntax.Resume {
			s = w.join(append(worlds{s.fork()}, ws...))
		}
		out = w.settle(append(out, ws...))
	}
	return w.settle(append(worlds{s}, out...))
}

func (w *compound) funcDecl(s *state, c *syntax.FuncDecl) worlds {
	names := c.Names
	if c.Name != nil {
		names = []*syntax.Lit{c.Name}
	}
	for _, n := range names {
		if n.Value == "builtin" {
			w.unrecorded("replaces a builtin with which a shell reports its lines", w.span(n))
		}
		w.put(s, n.Value+"()", variable{set: true, fn: c})
	}
	if len(names) == 0 {
		return w.interp.stmt(s, c.Body)
	}
	return worlds{s}
}

// spawning finds functions that start themselves again in a pipe or in the background.
func (w *compound) spawning(s *state, st *syntax.Stmt) {
	if len(s.calling) == 0 {
		return
	}
	call, ok := st.Cmd.(*syntax.CallExpr)
	if ok && len(call.Args) > 0 && slices.Contains(s.calling, call.Args[0].Lit()) {
		w.hazard(Hazard{Rule: "shell.fork-bomb", Risk: 3,
			Message: "a function starts itself again without end", Span: w.span(st)})
	}
}
