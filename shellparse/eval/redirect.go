package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
	"mvdan.cc/sh/v3/syntax"
)

// restore undoes the redirections of one command, and records what it wrote into a file.
func (w *redirections) restoreStreams(s *state, was ioState) {
	if was.file != nil {
		if s.keepIO { // exec: what comes later is written there too
			s.out = &stream{from: Unknown, why: "what is written to a file that stays open"}
		}
		w.fills(s.out, was.span)
		w.wrote(s, was.file, s.out, was.more)
	}
	if was.moved {
		s.out, s.capture = was.out, was.capture
	}
	if !s.keepIO {
		s.in, s.fds = was.in, was.fds
	}
	s.keepIO = false
}

// redirectIn evaluates the redirections of a command. The child that becomes a program
// expands them, while the shell itself expands those of a builtin; what they assign is not
// known from then on.
func (w *redirections) redirectIn(s *state, list []*syntax.Redirect) ioState {
	if !slices.ContainsFunc(list, func(r *syntax.Redirect) bool {
		return r.Hdoc != nil ||
			r.Word != nil && r.Word.Lit() == ""
	}) {
		return w.redirect(s, list)
	}
	var was ioState
	w.uncertainly(s, "a redirection", func() { was = w.redirect(s, list) })
	return was
}

// redirect evaluates redirections from left to right.
func (w *redirections) redirect(s *state, list []*syntax.Redirect) ioState {
	was := ioState{in: s.in, out: s.out, fds: s.fds, capture: s.capture}
	for _, r := range list {
		fd := ""
		if r.N != nil {
			fd = r.N.Value
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w.input(s, fd, &stream{from: Literal, val: w.hereDoc(s, r)})
		case syntax.WordHdoc:
			text := append(value(nil), w.single(s, r.Word).quoted()...)
			if slices.ContainsFunc(r.Word.Parts, hasTilde) {
				text = unknown("a tilde as in an assignment, or not", Unknown)
			}
			w.input(s, fd, &stream{from: Literal, val: append(text, part{text: "\n"})})
		case syntax.DplIn, syntax.DplOut:
			w.duplicate(s, r, fd, &was)
		default:
			w.redirectFile(s, r, fd, &was)
		}
	}
	return was
}

// numbered gives the name in {name}>file the number of the descriptor. Where a program is
// started, its child may keep that to itself.
func (w *redirections) numbered(s *state, st *syntax.Stmt) {
	for _, r := range st.Redirs {
		if r.N == nil || !strings.HasPrefix(r.N.Value, "{") ||
			r.Word != nil && r.Word.Lit() == "-" {
			continue
		}
		val := unknown("it is the number of a descriptor", Unknown)
		if call, ok := st.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 &&
			call.Args[0].Lit() == "exec" {
			val[0].kind = number
		}
		w.assignTo(s, strings.Trim(r.N.Value, "{}"), val)
	}
}

func (w *redirections) hereDoc(s *state, r *syntax.Redirect) value {
	if r.Hdoc == nil {
		return known("")
	}
	parts := shsyntax.Untabbed(r)
	if _, quoted := shsyntax.Delimiter(r.Word); quoted {
		var b strings.Builder
		for _, p := range parts {
			if lit, ok := p.(*syntax.Lit); ok {
				b.WriteString(lit.Value)
			}
		}
		return known(b.String())
	}
	return w.body(s, &syntax.Word{Parts: parts})
}

// duplicate is n>&m, or >&file.
func (w *redirections) duplicate(s *state, r *syntax.Redirect, fd string, was *ioState) {
	v := w.single(s, r.Word)
	text, ok := v.text()
	digits := strings.TrimSuffix(text, "-")
	if ok && (text == "-" || digits != "" && strings.Trim(digits, "0123456789") == "") {
		if r.Op == syntax.DplOut || fd != "" && fd != "0" {
			w.outputTo(s, fd, digits, was)
		}
		if r.Op == syntax.DplIn && (fd == "" || fd == "0") {
			s.in = s.behindNumber(digits)
			if s.in == nil {
				s.in = &stream{from: Unknown, why: "what comes through descriptor " + text}
			}
		}
		return
	}
	if !ok && (len(v) == 1 && v[0].kind == number || r.Op == syntax.DplIn || fd != "") {
		w.opaque(s, InData, "which descriptor is not known", w.span(r.Word))
		return
	}
	w.target(s, r, w.twice(s, r, v), fd, was, 0)
}

// twice is the name behind >& after the second expansion that bash gives it: it makes &> out of it,
// and a new word out of what the first expansion left (redir.c, do_redirection_internal).
func (w *redirections) twice(s *state, r *syntax.Redirect, v value) value {
	if w.o.Dialect == Zsh {
		return v
	}
	opened := slices.ContainsFunc(v, func(p part) bool { return p.kind == open })
	text := v.display()
	switch {
	case opened || strings.ContainsAny(text, "$`") || strings.Contains(text, "<(") ||
		strings.Contains(text, ">("):
		w.opaque(s, InCode, "bash expands the name behind >& a second time, substitutions included",
			w.span(r.Word))
	case !strings.ContainsAny(text, "\\'\"~*?[{("):
		return v
	}
	if opened {
		return v
	}
	return unknown("bash expands it a second time", v.from())
}

func (w *redirections) redirectFile(s *state, r *syntax.Redirect, fd string, was *ioState) {
	fields := w.fields
	if w.o.Dialect == POSIX {
		fields = w.unsplit
	}
	names := fields(s, r.Word)
	var flags command.Flags
	switch r.Op {
	case syntax.AppOut, syntax.AppAll, syntax.AppClob, syntax.AppAllClob:
		flags = command.Append
	}
	if len(names) != 1 {
		// bash calls it ambiguous and opens none; other shells take the words as one name.
		w.opaque(s, InWrite, "a redirection to several names", w.span(r.Word))
	}
	for _, f := range names {
		w.target(s, r, f, fd, was, flags)
	}
}

// unsplit is the target of a redirection in the shells that neither split it nor expand
// patterns in it. bash in its POSIX mode does the first.
func (w *redirections) unsplit(s *state, word *syntax.Word) []value {
	if hasList(word) {
		return []value{w.oddWord(s, word)}
	}
	v := w.single(s, word).quoted()
	if text := v.display(); w.o.Dialect == POSIX && !w.dash && strings.ContainsAny(text, " \t\n") &&
		!allQuoted(word) {
		return []value{unknown("shells split this differently", v.from())}
	}
	return []value{v}
}

// target opens the file of a redirection.
func (w *redirections) target(s *state, r *syntax.Redirect, v value, fd string, was *ioState,
	flags command.Flags) {
	span := w.span(r.Word)
	reads := r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut
	writes := r.Op != syntax.RdrIn
	if f := behind(v); f != nil {
		if reads {
			w.input(s, fd, f)
		}
		if writes {
			s.capture, s.out, was.moved = false, nil, true
		}
		return
	}
	if w.device(s, v, writes, span) {
		if reads {
			w.input(s, fd, &stream{from: Network, why: "what comes from the network"})
		}
		return
	}
	name := w.name(s, v)
	place := InRead
	if reads {
		w.reaches(s, Effect{Right: command.Read, Name: name, Span: span})
		w.input(s, fd, w.reading(s, v, name))
	}
	if writes {
		place = InWrite
		e := Effect{Right: command.Write, Flags: flags, Name: name, Span: span}
		if below, ok := v.foundBelow(); ok {
			e.Name, e.Flags, e.Base = w.name(s, known(below.Text)), flags|command.Below, below.Base
		}
		w.reaches(s, e)
		switch {
		case r.Op != syntax.RdrInOut && w.outputToName(s, fd, name, was):
			w.doubled = w.doubled || r.Op == syntax.RdrAll || r.Op == syntax.AppAll
		case r.Op != syntax.RdrInOut && (fd == "" || fd == "1"):
			s.capture, s.out, was.file, was.moved = true, nil, v, true
			was.span = span
			was.more = flags&command.Append != 0
		default:
			w.wrote(s, v, &stream{from: Unknown, why: "what is written to a descriptor of a file"},
				flags&command.Append != 0)
		}
	}
	if !name.Static && !name.Glob && name.User == "" {
		w.opaque(s, place, v.word().Why, span)
	}
}
