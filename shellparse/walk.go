package shellparse

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// A walker runs a tree in the abstract: every command is evaluated in every state in which
// it could be reached, and what it would do is written into out.
type walker struct {
	out     *Script
	o       Options
	src     string // the text that the positions of the tree count in
	fixed   *Span  // the span of everything, in nested text
	via     []string
	visited map[*syntax.Stmt]struct{}
	seen    map[effectKey]struct{} // nil while the effects are few
	said    map[Opaque]struct{}
	specs   []entry

	version     int
	names       int
	steps       int
	unpatterned bool // set -f was seen: on some way it may hold
	words       int  // of all commands
	letting     bool // the arithmetic is an argument of let
	dropping    bool // nullglob was seen: what looks like a pattern and matches nothing may be left out
	extglob     bool // it was seen: a value may hold a pattern with a list in parentheses
	posix       bool // bash may be in posix mode, in which what stands in front of a special builtin stays
	anycase     bool // nocaseglob was seen
	nocase      bool // nocasematch was seen: what is compared may be so without regard to case
	level       int  // of arithmetic that evaluates values
	nested      int  // of shells inside shells
	nestedBytes int  // of all their texts
	deep        int  // of statements inside statements
	cmd         int  // the command that is being evaluated; -1 outside one
	isOver      bool
	inCond      int // of conditions, in which errexit does nothing

	dash      bool // a POSIX text is read as dash reads it, because bash is tried as well
	redirects bool // the command that comes has redirections
}

func newWalker(out *Script, o Options) *walker {
	return &walker{out: out, o: o, src: out.Text, cmd: -1, visited: map[*syntax.Stmt]struct{}{}}
}

// file evaluates the tree of the whole text.
func (w *walker) file(f *syntax.File) {
	s := &state{dir: w.o.Dir, out: nil, argsOpen: false, alias: w.o.Dialect != Bash && w.o.Dialect != Bats, later: w.o.Later}
	for _, a := range w.o.Args {
		s.args = append(s.args, known(a))
	}
	w.program(s, f)
}

// program evaluates a tree from its first statement to its traps, and then, for its effects
// only, every statement that no run has reached: code behind exit, functions that nobody
// calls. Nothing that stands in a text is left out.
func (w *walker) program(s *state, f *syntax.File) worlds {
	ws := w.lines(worlds{s}, w.unwrap(f))
	for _, end := range ws {
		w.runTraps(end)
	}
	w.sweep(ws, f)
	return ws
}

func (w *walker) sweep(ws worlds, f *syntax.File) {
	end := &state{open: true, argsOpen: true}
	if len(ws) > 0 {
		end = ws[0].fork()
	}
	end.jump, end.capture, end.in, end.out = onward, false, nil, nil
	syntax.Walk(f, func(n syntax.Node) bool {
		if st, ok := n.(*syntax.Stmt); ok {
			if _, done := w.visited[st]; !done {
				s := w.fork(end)
				s.args, s.argsOpen = nil, true
				s.locals, s.depth = map[string]variable{}, 1 // it may be the body of a function
				w.stmt(s, st)
			}
		}
		return true
	})
}

// fork is a state for something whose changes do not come back.
func (w *walker) fork(s *state) *state { return s.fork() }

// span returns where n stands in Script.Text.
func (w *walker) span(n syntax.Node) Span {
	if w.fixed != nil {
		return *w.fixed
	}
	start, end := int(n.Pos().Offset()), int(n.End().Offset())
	return Span{min(start, len(w.src)), max(min(start, len(w.src)), min(end, len(w.src)))}
}

// opaque says that a piece is not known, once for each place and span.
func (w *walker) opaque(s *state, place Place, why string, span Span) {
	if s != nil && s.remote && place != InText && place != InHost && place != InCode && place != InProgram {
		return
	}
	text := ""
	if span.End <= len(w.out.Text) {
		text = w.out.Text[span.Start:span.End]
	}
	o := Opaque{Place: place, Text: text, Why: why, Span: span, Command: w.cmd}
	key := o
	key.Command = 0
	if _, done := w.said[key]; done {
		return
	}
	if w.said == nil {
		w.said = map[Opaque]struct{}{}
	}
	if len(w.out.Opaque) >= maxEffects {
		w.over(s, "more unknown pieces than are listed")
		return
	}
	w.said[key] = struct{}{}
	w.out.Opaque = append(w.out.Opaque, o)
}

// over says, once, that a limit ends the analysis of the whole text.
func (w *walker) over(_ *state, why string) {
	if w.isOver {
		return
	}
	w.isOver = true
	w.out.Opaque = append(w.out.Opaque, Opaque{Place: InText, Text: w.out.Text, Why: why, Span: Span{0, len(w.out.Text)}, Command: -1})
}

// effect adds an effect, once.
func (w *walker) effect(s *state, e Effect) {
	if s.remote {
		w.elsewhere(e)
		return
	}
	if s.guess {
		e.Flags |= command.Possible
	}
	for _, text := range w.looser(e.Name.loose) {
		one := e
		one.Name = Name{Text: text, Glob: true, Dir: e.Name.Dir}
		if strings.HasPrefix(text, "/") {
			one.Name.Dir = ""
		}
		w.effect(s, one)
	}
	e.Name.loose = ""
	w.adrift(s, e)
	if belowOpen(e) {
		w.opaque(s, placeOf(e.Right), "it is below a file that is open", e.Span)
	}
	e.Command = w.cmd
	if w.listedEffect(e) {
		return
	}
	if len(w.out.Effects) >= maxEffects {
		w.over(s, "more effects than are listed")
		return
	}
	w.out.Effects = append(w.out.Effects, e)
}

// few is how many effects are compared one by one. A table of them costs more to make than
// most texts have to compare.
const few = 16

// listedEffect reports whether an effect stands in the result already, and remembers it.
func (w *walker) listedEffect(e Effect) bool {
	if len(w.out.Effects) < few {
		return slices.ContainsFunc(w.out.Effects, func(x Effect) bool { return x.key() == e.key() })
	}
	if w.seen == nil {
		w.seen = map[effectKey]struct{}{}
		for _, x := range w.out.Effects {
			w.seen[x.key()] = struct{}{}
		}
	}
	_, done := w.seen[e.key()]
	w.seen[e.key()] = struct{}{}
	return done
}

// An effectKey is what two effects must share to be the same.
type effectKey struct {
	Effect
	scheme, host string
	port         int
}

func (e Effect) key() effectKey {
	k := effectKey{Effect: e}
	if k.Net = nil; e.Net != nil {
		k.scheme, k.host, k.port = e.Net.Scheme, e.Net.Host, e.Net.Port
		k.Name.Text, k.Name.User = "", ""
	}
	return k
}

// adrift marks a name that starts from a directory which a file may have changed that was
// executed in this shell. Of what starts a program or reads, the file itself could do the
// same; a deletion in the wrong place it most likely does not mean.
func (w *walker) adrift(s *state, e Effect) {
	if s.adrift == "" || e.Net != nil || e.Name.Dir == "" || strings.HasPrefix(e.Name.Text, "/") || e.Name.User != "" {
		return
	}
	place := placeOf(e.Right)
	if e.Right == command.Exec {
		place = InRead
	}
	w.opaque(s, place, "the directory is not certain: "+s.adrift+" may have changed it", e.Span)
}

// elsewhere keeps of an effect on another machine what a reader must know.
func (w *walker) elsewhere(e Effect) {
	if e.Right == command.Delete {
		w.hazard(Hazard{Rule: "remote.delete", Risk: 2, Message: "deletes files on another machine or in a container", Span: e.Span})
	}
}

func (w *walker) hazard(h Hazard) {
	h.Command = w.cmd
	if !slices.Contains(w.out.Hazards, h) && len(w.out.Hazards) < maxEffects {
		w.out.Hazards = append(w.out.Hazards, h)
	}
}

func (w *walker) code(c Code) {
	c.Command = w.cmd
	if !slices.Contains(w.out.Codes, c) && len(w.out.Codes) < maxEffects {
		w.out.Codes = append(w.out.Codes, c)
	}
}

// stmts evaluates a list in every world.
func (w *walker) stmts(ws worlds, list []*syntax.Stmt) worlds {
	for _, st := range list {
		ws = w.each(ws, st)
	}
	return ws
}

// each evaluates one statement in every world that has not jumped away.
func (w *walker) each(ws worlds, st *syntax.Stmt) worlds {
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
			end := w.fork(s)
			end.jump = exiting
			out = append(out, end)
		}
	}
	return w.settle(out)
}

// stmt evaluates one statement with its redirections.
func (w *walker) stmt(s *state, st *syntax.Stmt) worlds {
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
		child := w.fork(s)
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

func (w *walker) redirected(s *state, st *syntax.Stmt) worlds {
	if len(st.Redirs) == 0 {
		return w.command(s, st.Cmd)
	}
	after := w.beforeRedirects(s, st)
	was := w.redirectIn(s, st.Redirs)
	w.numbered(s, st)
	after()
	if st.Cmd == nil {
		was.restore(w, s)
		return worlds{s}
	}
	w.redirects = true
	ws := w.command(s, st.Cmd)
	w.redirects = false
	for _, s := range ws {
		was.restore(w, s)
	}
	return ws
}

// command evaluates the command of a statement.
func (w *walker) command(s *state, c syntax.Command) worlds {
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
		if at := int(c.Lparen.Offset()) + 1; w.o.Dialect == POSIX && !w.dash && at < len(w.src) && w.src[at] == '(' {
			w.opaque(s, InCode, "(( is arithmetic in some shells and two subshells in others", w.span(c))
			w.havoc(s)
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

func (w *walker) rare(s *state, c syntax.Command) worlds {
	switch c := c.(type) {
	case *syntax.TestClause:
		w.test(s, c.X)
	case *syntax.ArithmCmd:
		w.arithmetic(s, c.X)
		s.errs = onward // it fails as a command does
	case *syntax.LetClause:
		w.letting = true
		for _, x := range c.Exprs {
			if start, end := int(x.Pos().Offset()), min(int(x.End().Offset()), len(w.src)); w.dropping && strings.ContainsAny(w.src[min(start, end):end], "[*?") {
				w.uncertainly(s, "let", func() { w.arithmetic(s, x) })
				continue
			}
			w.arithmetic(s, x)
		}
		w.letting, s.errs = false, onward
	case *syntax.TimeClause:
		if c.Stmt != nil && w.o.Dialect == Zsh { // there it is a subshell, or not
			w.leave(s, w.stmt(w.fork(s), c.Stmt))
			w.forget(s)
		} else if c.Stmt != nil {
			return w.stmt(s, c.Stmt)
		}
	case *syntax.CoprocClause:
		child := w.fork(s)
		child.in, child.traps = &flow{from: Unknown, why: "what the shell writes to the coprocess"}, nil
		w.leave(s, w.stmt(child, c.Stmt))
		name := "COPROC"
		if c.Name != nil {
			name = c.Name.Lit()
		}
		for _, n := range []string{name, name + "_PID"} {
			w.assignTo(s, n+"[?]", unknown("it is a number of the coprocess", Unknown))
		}
	case *syntax.TestDecl:
		child := w.fork(s)
		child.traps = nil
		w.leave(s, w.stmt(child, c.Body))
	default:
		w.opaque(s, InCode, "a construct that is not followed", w.span(c))
	}
	return worlds{s}
}

// leave ends a subshell: its traps run, and what it leaves behind is taken over, the files it has written, and its output
// when somebody reads that.
func (w *walker) leave(s *state, ws worlds) {
	for _, c := range ws {
		w.runTraps(c)
		if c.remote && !s.remote {
			continue // its files are not here
		}
		for _, f := range c.files {
			if !slices.ContainsFunc(s.files, func(g written) bool { return g.equal(f) }) && len(s.files) < 256 {
				s.files = append(slices.Clip(s.files), f)
				w.touched(s)
			}
		}
	}
}

func (f written) equal(g written) bool {
	return f.name == g.name && f.tree == g.tree && f.target == g.target && f.flow.from == g.flow.from && slices.Equal(f.flow.val, g.flow.val)
}

func (f *flow) equal(g *flow) bool {
	if f == nil || g == nil {
		return f == g
	}
	return f.from == g.from && f.name == g.name && slices.Equal(f.val, g.val)
}

// runTraps evaluates what the shell runs when it ends.
func (w *walker) runTraps(s *state) {
	traps := s.traps
	s.traps = nil
	for _, text := range traps {
		end := w.fork(s)
		end.jump = onward
		w.eval(end, text, "trap")
	}
}
