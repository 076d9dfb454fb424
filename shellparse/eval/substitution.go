package eval

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// substitution evaluates $(...) and returns what it prints, as far as that is known.
func (w *compound) substitution(s *state, c *syntax.CmdSubst) value {
	child := s.fork()
	child.capture, child.out, child.traps = true, nil, nil
	child.errexit = s.errexit && (s.inherit || w.o.Dialect != Bash)
	if f := w.onlyFile(child, c.Stmts); f != nil {
		w.outcomes = nil
		return f.printed()
	}
	leaks := w.leaks
	ws := w.interp.stmts(worlds{child}, c.Stmts)
	w.leave(s, ws)
	w.outcomes = outcomes(ws)
	if leaks != w.leaks {
		w.outcomes = nil
	}
	v := w.gathered(ws, leaks).printed()
	if strings.Contains(v.display(), "\x00") {
		return w.withoutNUL(v)
	}
	return v
}

// onlyFile is $(<file), which prints the file.
func (w *compound) onlyFile(s *state, list []*syntax.Stmt) *stream {
	if len(list) != 1 || list[0].Cmd != nil || len(list[0].Redirs) != 1 ||
		list[0].Redirs[0].Op != syntax.RdrIn {
		return nil
	}
	w.visited[list[0]] = struct{}{}
	w.redirect(s, list[0].Redirs)
	return s.in
}

// process evaluates <(...) or >(...) and returns the name that the shell puts in its place.
func (w *compound) process(s *state, p *syntax.ProcSubst) part {
	child := s.fork()
	child.out, child.traps = nil, nil
	child.capture = p.Op != syntax.CmdOut
	if p.Op == syntax.CmdOut {
		child.in = &stream{from: Unknown, why: "what is written to a process substitution"}
	}
	leaks := w.leaks
	ws := w.interp.stmts(worlds{child}, p.Stmts)
	w.leave(s, ws)
	f := w.gathered(ws, leaks)
	if f == nil {
		f = &stream{from: Literal}
	}
	return part{kind: literal, text: "/dev/fd/63", flow: f}
}

// withoutNUL is a value that a command prints with NUL in it: bash drops them.
func (w *settings) withoutNUL(v value) value {
	if w.o.Dialect != Bash {
		return unknown("what a command prints has a NUL in it", v.from())
	}
	for i := range v {
		v[i].text = strings.ReplaceAll(v[i].text, "\x00", "")
	}
	return v
}
