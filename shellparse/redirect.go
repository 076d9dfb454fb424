package shellparse

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// An ioState is what a command's redirections have replaced.
type ioState struct {
	in, out *flow
	capture bool
	file    value // where standard output goes; nil when it is not redirected to a file
	more    bool
	moved   bool // standard output goes elsewhere
}

// restore undoes the redirections of one command, and records what it wrote into a file.
func (was ioState) restore(w *walker, s *state) {
	if was.file != nil {
		w.wrote(s, was.file, s.out, was.more)
	}
	if was.moved {
		s.out, s.capture = was.out, was.capture
	}
	if !s.keepIO {
		s.in = was.in
	}
	s.keepIO = false
}

// redirect evaluates redirections from left to right.
func (w *walker) redirect(s *state, list []*syntax.Redirect) ioState {
	was := ioState{in: s.in, out: s.out, capture: s.capture}
	for _, r := range list {
		fd := ""
		if r.N != nil {
			fd = r.N.Value
		}
		switch r.Op {
		case syntax.Hdoc, syntax.DashHdoc:
			w.input(s, fd, &flow{from: Literal, val: w.hereDoc(s, r)})
		case syntax.WordHdoc:
			text := append(value(nil), w.single(s, r.Word).quoted()...)
			w.input(s, fd, &flow{from: Literal, val: append(text, part{text: "\n"})})
		case syntax.DplIn, syntax.DplOut:
			w.duplicate(s, r, fd, &was)
		default:
			w.redirectFile(s, r, fd, &was)
		}
	}
	return was
}

func (w *walker) input(s *state, fd string, f *flow) {
	if fd == "" || fd == "0" {
		s.in = f
	}
}

func (w *walker) hereDoc(s *state, r *syntax.Redirect) value {
	if r.Hdoc == nil {
		return known("")
	}
	if _, quoted := delimiter(r.Word); quoted {
		var b strings.Builder
		for _, p := range r.Hdoc.Parts {
			if lit, ok := p.(*syntax.Lit); ok {
				b.WriteString(lit.Value)
			}
		}
		return known(untab(b.String(), r.Op))
	}
	v := w.body(s, r.Hdoc)
	if r.Op == syntax.DashHdoc {
		v = append(value(nil), v...)
		for i := range v {
			if v[i].known() {
				v[i].text = untab(v[i].text, r.Op)
			}
		}
	}
	return v
}

// untab takes the tabs off the front of each line, as <<- does.
func untab(text string, op syntax.RedirOperator) string {
	if op != syntax.DashHdoc || !strings.Contains(text, "\t") {
		return text
	}
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimLeft(lines[i], "\t")
	}
	return strings.Join(lines, "\n")
}

// duplicate is n>&m, or >&file.
func (w *walker) duplicate(s *state, r *syntax.Redirect, fd string, was *ioState) {
	v := w.single(s, r.Word)
	text, ok := v.text()
	digits := strings.TrimSuffix(text, "-")
	if ok && (text == "-" || digits != "" && strings.Trim(digits, "0123456789") == "") {
		if r.Op == syntax.DplOut && (fd == "" || fd == "1") && digits != "1" {
			s.capture, s.out, was.file, was.moved = false, nil, nil, true
		}
		if r.Op == syntax.DplIn && (fd == "" || fd == "0") {
			s.in = &flow{from: Unknown, why: "what comes through descriptor " + text}
		}
		return
	}
	if !ok && (len(v) == 1 && v[0].kind == number || r.Op == syntax.DplIn || fd != "") {
		w.opaque(s, InData, "which descriptor is not known", w.span(r.Word))
		return
	}
	w.target(s, r, v, fd, was, 0)
}

func (w *walker) redirectFile(s *state, r *syntax.Redirect, fd string, was *ioState) {
	fields := w.fields(s, r.Word)
	if len(fields) != 1 {
		w.opaque(s, InWrite, "a redirection to several names", w.span(r.Word))
		return
	}
	var flags command.Flags
	switch r.Op {
	case syntax.AppOut, syntax.AppAll, syntax.AppClob, syntax.AppAllClob:
		flags = command.Append
	}
	w.target(s, r, fields[0], fd, was, flags)
}

// target opens the file of a redirection.
func (w *walker) target(s *state, r *syntax.Redirect, v value, fd string, was *ioState, flags command.Flags) {
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
			w.input(s, fd, &flow{from: Network, why: "what comes from the network"})
		}
		return
	}
	name := w.name(s, v)
	place := InRead
	if reads {
		e := Effect{Right: command.Read, Name: name, Span: span}
		w.effect(s, e)
		w.through(s, e)
		w.input(s, fd, w.reading(s, v, name))
	}
	if writes {
		place = InWrite
		e := Effect{Right: command.Write, Flags: flags, Name: name, Span: span}
		w.effect(s, e)
		w.through(s, e)
		if r.Op != syntax.RdrInOut && (fd == "" || fd == "1") {
			s.capture, s.out, was.file, was.moved = true, nil, v, true
			was.more = flags&command.Append != 0
		}
	}
	if !name.Static && !name.Glob && name.User == "" {
		w.opaque(s, place, v.word().Why, span)
	}
}

// reading is what a file holds.
func (w *walker) reading(s *state, v value, name Name) *flow {
	if f := w.made(s, v); f != nil {
		return &f.flow
	}
	switch name.Text {
	case "/dev/null":
		return &flow{from: Literal, ended: true}
	case "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
		return s.input()
	}
	return &flow{from: File, name: name.Text, why: "the content of a file"}
}

// device is /dev/tcp/HOST/PORT and /dev/udp/HOST/PORT, which bash opens by itself.
func (w *walker) device(s *state, v value, writes bool, span Span) bool {
	text := v.prefix()
	scheme := ""
	for _, p := range []string{"tcp", "udp"} {
		if strings.HasPrefix(text, "/dev/"+p+"/") {
			scheme = p
		}
	}
	if scheme == "" || w.o.Dialect != Bash && w.o.Dialect != Bats {
		return false
	}
	host, port, _ := strings.Cut(text[len("/dev/tcp/"):], "/")
	_, whole := v.text()
	e := Endpoint{Scheme: scheme, Host: host, Upload: writes, Static: host != "" && (whole || port != "")}
	if n, ok := integer(port); ok {
		e.Port = int(n)
	}
	var flags command.Flags
	if writes {
		flags = command.Upload
	}
	w.effect(s, Effect{Right: command.Net, Flags: flags, Net: &e, Span: span})
	if !e.Static {
		w.opaque(s, InHost, "who is contacted is not known", span)
	}
	return true
}
