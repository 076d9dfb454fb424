package eval

import (
	"slices"

	"mvdan.cc/sh/v3/syntax"
)

// Evaluate runs the tree of a text in the abstract and adds all that it finds to out.
func Evaluate(out *Script, f *syntax.File, o Options) {
	w := newFlow(out, o)
	s := &state{}
	s.dir, s.alias, s.later = o.Dir, o.Dialect != Bash, o.Later
	for _, a := range o.Args {
		s.args = append(s.args, known(a))
	}
	w.program(s, f)
	out.plain(f)
	out.fetched()
}

func newFlow(out *Script, o Options) *flow {
	w := &flow{}
	w.o, w.out, w.src, w.cmd = o, out, out.Text, -1
	w.visited = map[*syntax.Stmt]struct{}{}
	w.interp = w
	return w
}

// lines evaluates the statements of a text. After an error in an expansion bash continues with the
// next line: of the text as written, or of its print, where each statement is one.
func (w *flow) lines(ws worlds, list []*syntax.Stmt) worlds {
	for i, st := range list {
		ws = w.each(ws, st)
		for _, s := range ws {
			if s.jump != leaving {
				continue
			}
			if i+1 < len(list) && list[i+1].Pos().Line() == st.End().Line() {
				ws = append(ws, s.fork())
			}
			s.jump = onward
		}
		ws = w.settle(ws)
	}
	return ws
}

// program evaluates a tree from its first statement to its traps, and then, for its effects
// only, every statement that no run has reached: code behind exit, functions that are never
// called. Nothing that is in a text is left out.
func (w *flow) program(s *state, f *syntax.File) worlds {
	defer func(cond int) { w.inCond = cond }(w.inCond)
	w.inCond = 0
	ws := w.lines(worlds{s}, w.unwrap(f))
	for _, end := range ws {
		w.runTraps(end)
	}
	w.sweep(ws, f)
	return ws
}

func (w *flow) sweep(ws worlds, f *syntax.File) {
	end := &state{}
	end.open, end.argsOpen = true, true
	if len(ws) > 0 {
		end = ws[0].fork()
	}
	end.jump, end.capture, end.in, end.out = onward, false, nil, nil
	syntax.Walk(f, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok {
			if _, done := w.visited[st]; !done {
				s := end.fork()
				s.args, s.argsOpen = nil, true
				s.locals, s.depth = map[string]variable{}, 1 // it may be the body of a function
				w.stmt(s, st)
			}
		}
		return true
	})
}

// stmts evaluates a list in every world.
func (w *flow) stmts(ws worlds, list []*syntax.Stmt) worlds {
	for _, st := range list {
		ws = w.each(ws, st)
	}
	return ws
}

// each evaluates one statement in every world that has not jumped away.
func (w *flow) each(ws worlds, st *syntax.Stmt) worlds {
	var out worlds
	for _, s := range ws {
		if s.jump != onward {
			out = append(out, s)
			continue
		}
		s.status = either
		out = append(out, w.stmt(s, st)...)
	}
	for _, s := range out {
		switch {
		case !s.errexit || w.inCond > 0 || s.jump != onward:
		case s.status == failure:
			s.jump = exiting
		case s.status == either && s.capture: // what follows is printed, or is not
			end := s.fork()
			end.jump = exiting
			out = append(out, end)
		}
	}
	return w.settle(out)
}

// stmt evaluates one statement with its redirections.
func (w *flow) stmt(s *state, st *syntax.Stmt) worlds {
	w.visited[st] = struct{}{}
	if w.steps++; w.steps > maxSteps {
		w.over(s, "more statements than are followed")
		return worlds{s}
	}
	if w.deep++; w.deep > maxDepth {
		w.deep--
		w.over(s, "nested too deeply")
		return worlds{s}
	}
	defer func() { w.deep-- }()
	if st.Background || st.Coprocess || st.Disown {
		child := s.fork()
		child.traps = nil
		w.spawning(s, st)
		w.leave(s, w.redirected(child, st))
		return worlds{s}
	}
	ws := w.redirected(s, st)
	for _, s := range ws {
		ws = append(ws, w.failed(s)...)
	}
	if st.Negated {
		for _, s := range ws {
			s.status = [...]status{either: either, success: failure, failure: success}[s.status]
		}
	}
	return ws
}

func (w *flow) redirected(s *state, st *syntax.Stmt) worlds {
	if len(st.Redirs) == 0 {
		return w.command(s, st.Cmd)
	}
	w.beforeRedirects(s, st)
	was := w.redirectIn(s, st.Redirs)
	w.numbered(s, st)
	if st.Cmd == nil {
		w.restoreStreams(s, was)
		return worlds{s}
	}
	w.redirects = true
	ws := w.command(s, st.Cmd)
	w.redirects = false
	for _, s := range ws {
		w.restoreStreams(s, was)
	}
	return ws
}

// command evaluates the command of a statement.
func (w *flow) command(s *state, c syntax.Command) worlds {
	switch c := c.(type) {
	case nil:
		return worlds{s}
	case *syntax.CallExpr:
		return w.call(s, c)
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			return w.pipeline(s, c)
		}
		return w.andOr(s, c)
	case *syntax.Block:
		return w.stmts(worlds{s}, c.Stmts)
	case *syntax.Subshell:
		ws := w.subshell(s, c.Stmts)
		if at := int(c.Lparen.Offset()) + 1; w.o.Dialect == POSIX && !w.dash && at < len(w.src) &&
			w.src[at] == '(' {
			w.opaque(s, InCode, "(( is arithmetic in some shells and two subshells in others",
				w.span(c))
			w.forgetAll(s)
		}
		return ws
	case *syntax.IfClause:
		return w.ifClause(s, c)
	case *syntax.WhileClause:
		if !c.Until {
			w.endless(s, c.Cond, c.Do)
		}
		return w.loop(s, c.Cond, c.Do, nil)
	case *syntax.ForClause:
		return w.forClause(s, c)
	case *syntax.CaseClause:
		return w.caseClause(s, c)
	case *syntax.FuncDecl:
		return w.funcDecl(s, c)
	case *syntax.DeclClause:
		return w.declare(s, c)
	}
	return w.rare(s, c)
}

func (w *flow) rare(s *state, c syntax.Command) worlds {
	switch c := c.(type) {
	case *syntax.TestClause:
		w.test(s, c.X)
	case *syntax.ArithmCmd:
		w.arithmetic(s, c.X)
		s.errs = onward // it fails as a command does
	case *syntax.LetClause:
		if w.on.nullglob || !Follows("let") {
			w.opaque(s, InCode, "let is not followed", w.span(c))
			w.forgetAll(s)
			return worlds{s}
		}
		w.letting = true
		for _, x := range c.Exprs {
			w.arithmetic(s, x)
		}
		w.letting, s.errs = false, onward
	case *syntax.TimeClause:
		if c.Stmt != nil && w.o.Dialect == Zsh { // there it is a subshell, or not
			w.leave(s, w.stmt(s.fork(), c.Stmt))
			w.forget(s)
		} else if c.Stmt != nil {
			return w.stmt(s, c.Stmt)
		}
	case *syntax.CoprocClause:
		child := s.fork()
		child.in, child.traps = &stream{from: Unknown,
			why: "what the shell writes to the coprocess"}, nil
		via := w.via
		w.via = append(slices.Clip(via), "coproc")
		w.leave(s, w.stmt(child, c.Stmt))
		w.via = via
		name := "COPROC"
		if c.Name != nil {
			name = c.Name.Lit()
		}
		for _, n := range []string{name, name + "_PID"} {
			w.assignTo(s, n+"[?]", unknown("it is a number of the coprocess", Unknown))
		}
	case *syntax.TestDecl:
		child := s.fork()
		child.traps = nil
		w.leave(s, w.stmt(child, c.Body))
	default:
		w.opaque(s, InCode, "a construct that is not followed", w.span(c))
	}
	return worlds{s}
}
