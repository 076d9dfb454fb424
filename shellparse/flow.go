package shellparse

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/code"
	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// substitution evaluates $(...) and returns what it prints, as far as that is known.
func (w *walker) substitution(s *state, c *syntax.CmdSubst) value {
	child := w.fork(s)
	child.capture, child.out, child.traps = true, nil, nil
	child.errexit = s.errexit && (s.inherit || w.o.Dialect != Bash && w.o.Dialect != Bats)
	if f := w.onlyFile(child, c.Stmts); f != nil {
		return f.printed()
	}
	ws := w.stmts(worlds{child}, c.Stmts)
	w.leave(s, ws)
	v := w.oneOutput(ws).printed()
	if strings.Contains(v.display(), "\x00") {
		return w.withoutNUL(v)
	}
	return v
}

// onlyFile is $(<file), which prints the file.
func (w *walker) onlyFile(s *state, list []*syntax.Stmt) *flow {
	if len(list) != 1 || list[0].Cmd != nil || len(list[0].Redirs) != 1 || list[0].Redirs[0].Op != syntax.RdrIn {
		return nil
	}
	w.visited[list[0]] = struct{}{}
	w.redirect(s, list[0].Redirs)
	return s.in
}

// printed is the value of a substitution that prints f: without the newlines at its end.
func (f *flow) printed() value {
	if f == nil {
		return known("")
	}
	if f.from != Literal {
		why := f.why
		if why == "" {
			why = "the output of a command"
		}
		return unknown(why, f.from).named(f)
	}
	v := append(value(nil), f.val...)
	for len(v) > 0 {
		last := &v[len(v)-1]
		if !last.known() {
			break
		}
		last.text = strings.TrimRight(last.text, "\n")
		if last.text != "" || len(v) == 1 {
			break
		}
		v = v[:len(v)-1]
	}
	if len(v) == 0 {
		return known("")
	}
	return v
}

// withoutNUL is a value that a command prints with NUL in it: bash drops them.
func (w *walker) withoutNUL(v value) value {
	if w.o.Dialect != Bash && w.o.Dialect != Bats {
		return unknown("what a command prints has a NUL in it", v.from())
	}
	for i := range v {
		v[i].text = strings.ReplaceAll(v[i].text, "\x00", "")
	}
	return v
}

// process evaluates <(...) or >(...) and returns the name that stands for it.
func (w *walker) process(s *state, p *syntax.ProcSubst) part {
	child := w.fork(s)
	child.out, child.traps = nil, nil
	child.capture = p.Op != syntax.CmdOut
	if p.Op == syntax.CmdOut {
		child.in = &flow{from: Unknown, why: "what is written to a process substitution"}
	}
	ws := w.stmts(worlds{child}, p.Stmts)
	w.leave(s, ws)
	f := w.oneOutput(ws)
	if f == nil {
		f = &flow{from: Literal}
	}
	return part{kind: literal, text: "/dev/fd/63", flow: f}
}

// runs executes the bytes of a flow as a language: a shell follows them as far as they are
// known, the rest is shown as code.
func (w *walker) runs(s *state, f *flow, lang string, span Span) {
	if f != nil && f.ended {
		return
	}
	if text, ok := f.whole(); ok {
		w.suspect(f.val, lang, false, span)
		w.literalCode(s, lang, text, span)
		return
	}
	from := f.source()
	if from == Literal {
		from = Unknown
	}
	w.code(Code{Lang: lang, Source: from, Span: span})
	switch from {
	case File, Stdin:
		// The caller's own input is his.
		if from == File && f.name == "" {
			w.opaque(s, InCode, "what is executed comes from a file that is changed or chosen at run time", span)
		} else if from == File {
			w.sourced(f.name)
		}
	default:
		w.opaque(s, InCode, executed(from, f), span)
	}
}

// sourced marks files that are read already as executed: bash < f is no better than bash f.
func (w *walker) sourced(names string) {
	recent := w.out.Effects[max(0, len(w.out.Effects)-few*few):]
	for word := range strings.FieldsSeq(names) {
		for i, e := range slices.Backward(recent) {
			if e.Right == command.Read && e.Flags == 0 && e.Name.Text == word {
				recent[i].Flags = command.Source
				break
			}
		}
	}
}

// runsWith is runs of a script whose arguments are known when certain.
func (w *walker) runsWith(s *state, f *flow, lang string, span Span, args []value, certain bool) {
	s.passed, s.passing = args, certain
	w.runs(s, f, lang, span)
	s.passed, s.passing = nil, false
}

func executed(from Source, f *flow) string {
	switch from {
	case Network:
		return "what is executed comes from the network"
	case Decoded:
		return "what is executed is decoded at run time"
	}
	if f != nil && f.why != "" {
		return "what is executed is not known: " + f.why
	}
	return "what is executed is not known"
}

// literalCode is a program whose text is known.
func (w *walker) literalCode(s *state, lang, text string, span Span) {
	if isShell(lang) {
		w.shell(w.fork(s), lang, text, span)
		return
	}
	if showsSecret(lang, text) {
		h, _ := command.LookupHazard("secret.print")
		w.hazard(Hazard{Rule: h.Rule, Risk: h.Risk, Message: h.Message, Span: span})
	}
	var facts []code.Fact
	opaque := false
	if lang == "make" {
		facts, opaque = code.Make(text, w.told())
	} else {
		facts, opaque = code.Scan(lang, text)
	}
	w.code(Code{Lang: lang, Text: text, Source: Literal, Opaque: opaque, Span: span})
	for _, f := range facts {
		w.fact(s, f, span)
	}
}

// told are the known words of the command that is being evaluated, without its name.
func (w *walker) told() (list []string) {
	if w.cmd < 0 || w.cmd >= len(w.out.Commands) {
		return nil
	}
	for _, word := range w.out.Commands[w.cmd].Args[1:] {
		if word.Static {
			list = append(list, word.Text)
		}
	}
	return list
}

func isShell(lang string) bool {
	switch lang {
	case "sh", "bash", "dash", "ksh", "zsh", "ash", "mksh", "shell":
		return true
	}
	return false
}

// fact is one thing that a program in another language certainly names.
func (w *walker) fact(s *state, f code.Fact, span Span) {
	switch {
	case f.Rule != "":
		w.hazard(Hazard{Rule: f.Rule, Risk: f.Risk, Message: f.Message, Span: span})
	case f.Shell != "":
		child := w.fork(s)
		if strings.Contains(f.Shell, code.Unknown) {
			w.put(child, "__unknown", variable{val: unknown("only make knows it", Unknown), set: true, exported: true})
		}
		w.shell(child, "sh", f.Shell, span)
	case len(f.Argv) > 0:
		args := make([]value, len(f.Argv))
		for i, a := range f.Argv {
			args[i] = known(a)
		}
		c := w.newCall(args, nil, span)
		c.program = true
		w.invoke(w.fork(s), c)
	case f.Right == command.Net:
		e := endpoint(f.Text)
		e.Upload = f.Flags&command.Upload != 0
		w.effect(s, Effect{Right: command.Net, Flags: f.Flags, Net: &e, Span: span})
	case f.Right != 0:
		w.effect(s, Effect{Right: f.Right, Flags: f.Flags, Name: w.nameIn(w.homely(s, f.Text), s.dir), Span: span})
	}
}

// homely reads a name in which ~ stands for the home directory.
func (w *walker) homely(s *state, text string) value {
	if text != "~" && !strings.HasPrefix(text, "~/") {
		return known(text)
	}
	e := expander{w: w, s: s}
	e.lit(part{text: e.tilde(text, true)})
	return e.cur
}

// endpoint reads a URL, host:port or host.
func endpoint(text string) Endpoint {
	e := Endpoint{Static: true}
	if scheme, rest, ok := strings.Cut(text, "://"); ok {
		e.Scheme, text = scheme, rest
	}
	if i := strings.IndexAny(text, "/?#"); i >= 0 {
		text = text[:i]
	}
	text = text[strings.LastIndexByte(text, '@')+1:]
	if i := strings.LastIndexByte(text, ':'); i >= 0 && !strings.HasSuffix(text, "]") {
		if n, ok := integer(text[i+1:]); ok && n > 0 && n < 65536 {
			e.Port, text = int(n), text[:i]
		}
	}
	e.Host = strings.Trim(text, "[]")
	e.Static = e.Host != ""
	return e
}

// input is what a command reads when nothing else is said: the caller's own input at least.
func (s *state) input() *flow {
	if s.in == nil {
		return &flow{from: Stdin, why: "the standard input of the caller"}
	}
	return s.in
}

// interpreter is the language that a program executes.
func interpreter(program string) string {
	switch {
	case strings.HasPrefix(program, "python"), program == "pypy", program == "pypy3":
		return "python"
	case program == "node", program == "bun", program == "deno", program == "nodejs", program == "tsx", program == "ts-node":
		return "javascript"
	case strings.HasPrefix(program, "perl"):
		return "perl"
	case strings.HasPrefix(program, "ruby"):
		return "ruby"
	case strings.HasPrefix(program, "php"):
		return "php"
	case isShell(program), program == "source", program == ".", program == "busybox", program == "at", program == "batch":
		return "sh"
	case program == "psql", program == "mysql", program == "sqlite3":
		return "sql"
	case program == "gawk", program == "mawk":
		return "awk"
	case program == "gmake":
		return "make"
	}
	return program
}

// scriptLang is the language of a file that is executed by its name.
func scriptLang(f *written) string {
	text, _ := f.flow.whole()
	line, _, _ := strings.Cut(text, "\n")
	if !strings.HasPrefix(line, "#!") {
		return "sh"
	}
	words := strings.Fields(line[2:])
	for _, word := range words {
		if name := base(word); name != "env" && !strings.HasPrefix(name, "-") {
			return interpreter(name)
		}
	}
	return "sh"
}
