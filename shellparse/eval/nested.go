package eval

import (
	"slices"
	"strings"

	shsyntax "github.com/tada-run/tada-run/shellparse/syntax"
	"mvdan.cc/sh/v3/syntax"
)

// shellArg is a word that a shell executes.
func (w *texts) shellArg(s *state, v value, span Span, via string) {
	w.suspect(v, "sh", false, span)
	if text, ok := v.text(); ok && v.word().Static {
		w.shell(s, via, text, span)
		return
	}
	w.code(Code{Lang: "sh", Source: codeSource(v), Span: span})
	w.opaque(s, InCode, executed(codeSource(v), &stream{why: v.word().Why}), span)
	w.partial(s, v, span)
}

// partial parses shell text with unknown pieces, for the effects of what is known: each
// piece becomes a variable of its own without a known value.
func (w *texts) partial(s *state, v value, span Span) {
	var b strings.Builder
	any := false
	for _, p := range v {
		if p.known() {
			b.WriteString(p.text)
			any = any || strings.TrimSpace(p.text) != ""
		} else {
			b.WriteString("${__unknown}")
		}
	}
	if !any {
		return
	}
	text := b.String()
	if !w.affordable(text) {
		return
	}
	file, err := shsyntax.Parse(text, w.o.Dialect)
	if err != nil {
		return
	}
	child := s.fork()
	w.put(child, "__unknown", holding(unknown(v.why(), v.from())))
	w.inside(child, file, text, span)
}

// shell evaluates text in a new shell of that name. What sh is depends on the machine, so
// text that dash and bash take apart differently is evaluated as both.
func (w *texts) shell(s *state, name, text string, span Span) {
	defer func(d Dialect, dash bool) { w.o.Dialect, w.dash = d, dash }(w.o.Dialect, w.dash)
	switch name {
	case "sh", "dash", "ash", "busybox":
		if differsInPOSIX(text) {
			w.o.Dialect, w.dash = POSIX, true
			other := s.fork()
			other.alias = true
			w.newShell(other, text, span)
			w.dash = false
		}
		w.o.Dialect = Bash
	case "zsh":
		w.o.Dialect = Zsh
	case "ksh", "mksh": // what they read otherwise is not known
		w.code(Code{Lang: name, Text: text, Source: Literal, Opaque: true, Span: span})
		w.o.Dialect = Bash
	default:
		w.o.Dialect = Bash
	}
	w.newShell(s, text, span)
}

// differsInPOSIX reports whether text has one of the constructs that dash reads otherwise
// than bash: $'..' and $".." quote nothing special there, &> is a job and a redirection,
// quotes inside "${x:-'}" are characters, and braces are not expanded.
func differsInPOSIX(text string) bool {
	for _, sign := range []string{"$'", `$"`, "&>", "<<<", "${", "{", "<(", ">(", "[["} {
		if strings.Contains(text, sign) {
			return true
		}
	}
	return false
}

// newShell evaluates text where only what is exported is known.
func (w *texts) newShell(s *state, text string, span Span) {
	s.env, s.own = s.env.exported(), false
	s.calling, s.traps, s.locals, s.depth, s.loops = nil, nil, nil, 0, 0
	s.give(s.passed)
	s.argsOpen = s.argsOpen || !s.passing
	s.passed, s.passing = nil, false
	s.zero, s.script, s.called, s.scripted = s.called, s.scripted, nil, false
	s.noglob, s.errexit, s.allexport, s.attrs, s.jump = false, false, false, false, onward
	w.touched(s)
	file, ok := w.read(s, text, span)
	if !ok {
		return
	}
	ws := w.inside(s, file, text, span)
	s.out = oneOutput(ws)
	w.leave(s, ws)
}

// read parses nested text, and says so when it cannot be read or is not what it seems.
func (w *texts) read(s *state, text string, span Span) (file *syntax.File, ok bool) {
	if !w.affordable(text) {
		w.opaque(s, InCode, "shells are nested too deeply", span)
		return nil, false
	}
	marks, err := shsyntax.Gate(text)
	f, perr := shsyntax.Parse(text, w.o.Dialect)
	if perr != nil {
		w.opaque(s, InCode, "shell text inside: "+perr.Text, span)
		w.code(Code{Lang: "sh", Text: text, Source: Literal, Span: span})
		return nil, false
	}
	if err == nil {
		err = shsyntax.Guard(f, text, marks, w.o.Dialect)
	}
	if err != nil {
		w.opaque(s, InCode, "shell text inside: "+err.Text, span)
		if err.TooDeep() {
			return nil, false
		}
	}
	return f, true
}

// affordable reports whether one more nested text may be parsed. Text that evaluates itself
// doubles with each level, so its sum is bounded as well as its depth.
func (w *texts) affordable(text string) bool {
	w.bytes += len(text) + 64
	return w.nested < maxNested && w.bytes <= max(1<<18, 2*len(w.out.Text))
}

// inside evaluates a nested tree, all of whose effects have the span of the outer word.
func (w *texts) inside(s *state, f *syntax.File, text string, span Span) worlds {
	defer func(src string, fixed *Span, cmd int) {
		w.src, w.fixed, w.cmd = src, fixed, cmd
		w.nested--
	}(w.src, w.fixed, w.cmd)
	w.src, w.fixed = text, &span
	w.nested++
	return w.interp.program(s, f)
}

// eval evaluates text in this very shell.
func (w *texts) eval(s *state, text, via string) worlds {
	span := w.here()
	file, ok := w.read(s, text, span)
	if !ok {
		w.forgetAll(s)
		return worlds{s}
	}
	defer func(old []string) { w.via = old }(w.via)
	w.via = append(slices.Clip(w.via), via)
	return w.inside(s, file, text, span)
}

// second evaluates a value that a builtin or arithmetic expands a second time: bash runs
// the substitutions in the subscript of a name that it is given as text.
func (w *texts) second(s *state, text string) {
	if !strings.ContainsAny(text, "$`") && !strings.Contains(text, "<(") || !Follows("subscript") {
		return
	}
	quoted := `: "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	w.eval(s.fork(), quoted, "subscript")
}

// partialText parses text for its effects only, when it is not certain to run.
func (w *texts) partialText(s *state, text string, span Span) {
	if !w.affordable(text) {
		return
	}
	if file, err := shsyntax.Parse(text, w.o.Dialect); err == nil {
		w.inside(s, file, text, span)
	}
}

// nameArg is a name given as text to a builtin that expands its subscript.
func (w *texts) nameArg(s *state, v value, span Span) {
	text, ok := v.text()
	if ok {
		if strings.Contains(text, "[") {
			w.second(s, text)
		}
		return
	}
	if from := v.from(); from == Network || from == Decoded {
		w.opaque(s, InCode, "a subscript that is not known is evaluated", span)
	}
}

// leave ends a subshell: its traps run, and what it leaves behind is taken over, the files it has
// written, and its output when that is read.
func (w *texts) leave(s *state, ws worlds) {
	for _, c := range ws {
		w.runTraps(c)
		if c.remote && !s.remote {
			continue // its files are not here
		}
		for _, f := range c.files {
			if !slices.ContainsFunc(s.files, func(g written) bool { return g.equal(f) }) &&
				len(s.files) < 256 {
				s.files = append(slices.Clip(s.files), f)
				w.touched(s)
			}
		}
	}
}

// runTraps evaluates what the shell runs when it ends.
func (w *texts) runTraps(s *state) {
	traps := s.traps
	s.traps = nil
	for _, text := range traps {
		end := s.fork()
		end.jump = onward
		w.eval(end, text, "trap")
	}
}
