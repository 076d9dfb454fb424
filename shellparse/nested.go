package shellparse

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// start evaluates what a program starts.
func (w *walker) start(s *state, c *call, n command.Nested, u command.Use, dir, program string) {
	child := w.fork(s)
	child.dir, child.traps = dir, nil
	child.remote = s.remote || n.Remote
	child.guess = s.guess || n.Possible
	if n.Remote {
		child.env, child.own, child.open, child.dir = nil, false, true, ""
		child.files, child.adrift = nil, ""
	}
	if n.Dir != nil {
		child.dir = w.within(s, c, *n.Dir)
	}
	w.removed(child, u)
	for _, a := range slices.Concat(u.Assign, n.Env) {
		w.put(child, a.Name, variable{val: w.fromArg(c, a.Arg, a.Value), set: true, exported: true})
	}
	via := n.Via
	if program != "" && !strings.Contains(via, " ") {
		via = program // an entry may stand for several names
	}
	defer func(old []string, cmd int) { w.via, w.cmd = old, cmd }(w.via, w.cmd)
	w.via = append(slices.Clip(w.via), via)
	switch {
	case n.Shell != nil:
		if isShell(program) {
			w.shellOptions(child, c, dialectOf(program))
		}
		if isShell(program) && n.Arg >= 0 && n.Arg < len(c.args) {
			child.passed, child.passing = c.args[min(n.Arg+2, len(c.args)):], true
			if n.Arg+1 < len(c.args) {
				child.called = c.args[n.Arg+1].quoted()
			}
		}
		w.shellArg(child, w.fromArg(c, n.Arg, *n.Shell), c.at(n.Arg), via)
	case n.Code != nil:
		w.codeArg(child, n.Code.Lang, w.fromArg(c, n.Arg, n.Code.Text), c.at(n.Arg))
	default:
		w.argv(child, c, n)
	}
	w.leave(s, worlds{child})
	w.takeOutput(s, child)
}

// removed takes names out of the environment of what env(1) starts.
func (w *walker) removed(s *state, u command.Use) {
	if u.Clear {
		s.env, s.own, s.bare = onlyFunctions(s.env), false, true
		w.touched(s)
	}
	for _, a := range u.Unset {
		if a.Static {
			w.put(s, a.Text, variable{})
			continue
		}
		s.env, s.own, s.open = onlyFunctions(s.env), false, true
		w.touched(s)
	}
}

// takeOutput takes over the output of what a wrapper started: it is the wrapper's own.
func (w *walker) takeOutput(s, child *state) {
	if s.capture && child.out != s.out {
		s.out = child.out
		w.touched(s)
	}
}

// argv evaluates a command that stands in the words of a wrapper: once, or once for each
// batch of operands that it gets from its input.
func (w *walker) argv(s *state, c *call, n command.Nested) {
	var args []value
	var spans []Span
	at := n.Arg
	inserts := false
	for _, a := range n.Argv {
		inserts = inserts || n.Stdin && n.Replace != "" && strings.Contains(a.Text, n.Replace)
		args, spans = append(args, w.original(c, a, &at)), append(spans, c.at(max(at-1, n.Arg)))
	}
	if !n.Stdin || n.Replace != "" && !inserts {
		w.argvWith(s, c, n, args, spans)
		return
	}
	for _, batch := range w.batches(s, c, n) {
		with, where := slices.Clone(args), slices.Clone(spans)
		for i, a := range n.Argv {
			if inserts && strings.Contains(a.Text, n.Replace) {
				with[i] = replaced(a.Text, n.Replace, batch)
			}
		}
		if !inserts {
			for _, v := range batch {
				with, where = append(with, v), append(where, c.span)
			}
		}
		w.argvWith(s, c, n, with, where)
	}
}

func (w *walker) argvWith(s *state, c *call, n command.Nested, args []value, spans []Span) {
	if len(args) == 0 {
		return
	}
	sub := w.newCall(args, spans, c.span)
	sub.program = true
	for i, a := range n.Argv {
		sub.argv[i].Below, sub.argv[i].Base = a.Below, a.Base
		if a.Below {
			sub.argv[i].Text = a.Text
			sub.args[i] = value{{text: a.Text}, {kind: open, why: whyFound}}
		}
	}
	for _, a := range n.Env {
		sub.assign = append(sub.assign, Assign{a.Name, w.fromArg(c, a.Arg, a.Value).word()})
	}
	ws := w.invoke(s, sub)
	if len(ws) > 0 {
		s.out, s.files = ws[0].out, ws[0].files
	}
}

// original returns the value of the word of c that a stands for, so that what is known of
// its origin is not lost on the way through the command table.
func (w *walker) original(c *call, a command.Arg, from *int) value {
	for i := max(*from, 0); i < len(c.argv); i++ {
		if c.argv[i] == a {
			*from = i + 1
			return c.args[i]
		}
	}
	return w.fromArg(c, -1, a)
}

// maxBatches bounds how often a wrapper's command is evaluated.
const maxBatches = 64

// batches are the operands that xargs(1) reads, as many together as it gives to one command.
func (w *walker) batches(s *state, c *call, n command.Nested) [][]value {
	in := s.in
	if n.From != nil {
		v := w.fromArg(c, n.FromArg, *n.From)
		in = &flow{from: File, name: v.display(), why: "the content of a file"}
		if f := behind(v); f != nil {
			in = f
		} else if f := w.made(s, v); f != nil {
			in = &f.flow
		}
	}
	words, ok := operands(in, n)
	each := len(words)
	if n.Replace != "" {
		each = 1
	} else if n.Max > 0 {
		each = n.Max
	}
	if !ok || each > 0 && len(words)/each > maxBatches {
		why := "the names for it come from standard input"
		if n.From != nil {
			why = "the names for it are read from a file"
		}
		return [][]value{{unknown(why, in.source()).named(in)}}
	}
	if len(words) == 0 {
		return [][]value{nil}
	}
	var out [][]value
	for chunk := range slices.Chunk(words, each) {
		out = append(out, chunk)
	}
	return out
}

// operands cuts the input of xargs: at blanks, where quotes keep a word together, or at the
// one character that an option names.
func operands(in *flow, n command.Nested) ([]value, bool) {
	text, ok := in.whole()
	if !ok {
		return nil, false
	}
	var words []string
	switch {
	case n.Delim != "":
		words = strings.Split(strings.TrimSuffix(text, n.Delim), n.Delim)
	case strings.ContainsAny(text, "'\"\\"):
		return nil, false
	case n.Replace != "":
		for line := range strings.Lines(text) {
			if line = strings.TrimLeft(strings.TrimSuffix(line, "\n"), " \t"); line != "" {
				words = append(words, line)
			}
		}
	default:
		words = strings.Fields(text)
	}
	if len(words) > maxFields {
		return nil, false
	}
	out := make([]value, len(words))
	for i, word := range words {
		out[i] = known(word)
	}
	return out, true
}

// replaced is an argument of xargs -I with the operand in it.
func replaced(text, mark string, batch []value) value {
	v := value{}
	for i, piece := range strings.Split(text, mark) {
		if i > 0 && len(batch) > 0 {
			for _, p := range batch[0] {
				v = v.add(p)
			}
		}
		if piece != "" {
			v = v.add(part{text: piece})
		}
	}
	return v
}

// shellArg is a word that a shell executes.
func (w *walker) shellArg(s *state, v value, span Span, via string) {
	w.suspect(v, "sh", false, span)
	if text, ok := v.text(); ok && v.word().Static {
		w.shell(s, via, text, span)
		return
	}
	w.code(Code{Lang: "sh", Source: codeSource(v), Span: span})
	w.opaque(s, InCode, executed(codeSource(v), &flow{why: v.word().Why}), span)
	w.partial(s, v, span)
}

// suspect names shell text that is known and still not what it seems: nothing, because a
// name has no value here that it may have where the text was meant for, or letters that
// were spelled so that nobody can read them.
func (w *walker) suspect(v value, lang string, gone bool, span Span) {
	text, ok := v.text()
	switch {
	case ok && strings.TrimSpace(text) == "" && (gone || v.is(notSet)):
		w.code(Code{Lang: lang, Source: Unknown, Span: span})
		w.opaque(nil, InCode, "what is executed is not known: "+notSet, span)
	case v.is(disguised):
		w.code(Code{Lang: lang, Text: v.display(), Source: Decoded, Span: span})
	}
}

// partial parses shell text with unknown pieces, for the effects of what is known: each
// piece becomes a variable of its own that nobody knows.
func (w *walker) partial(s *state, v value, span Span) {
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
	file, err := parse(text, w.o.Dialect)
	if err != nil {
		return
	}
	child := w.fork(s)
	w.put(child, "__unknown", variable{val: unknown(v.why(), v.from()), set: true})
	w.inside(child, file, text, span)
}

func codeSource(v value) Source {
	if from := v.from(); from != Literal {
		return from
	}
	return Unknown
}

func (w *walker) codeArg(s *state, lang string, v value, span Span) {
	if !v.is(disguised) {
		w.suspect(v, lang, false, span)
	}
	if text, ok := v.text(); ok && v.word().Static {
		w.literalCode(s, lang, text, span)
		return
	}
	from := codeSource(v)
	w.code(Code{Lang: lang, Text: v.display(), Source: from, Span: span})
	w.opaque(s, InCode, executed(from, &flow{why: v.word().Why}), span)
}

// shell evaluates text in a new shell of that name. What sh is depends on the machine, so
// text that dash and bash take apart differently is evaluated as both.
func (w *walker) shell(s *state, name, text string, span Span) {
	defer func(d Dialect, dash bool) { w.o.Dialect, w.dash = d, dash }(w.o.Dialect, w.dash)
	switch name {
	case "sh", "dash", "ash", "busybox":
		if differsInPOSIX(text) {
			w.o.Dialect, w.dash = POSIX, true
			other := w.fork(s)
			other.alias = true
			w.newShell(other, text, span)
			w.dash = false
		}
		w.o.Dialect = Bash
	case "zsh":
		w.o.Dialect = Zsh
	case "ksh", "mksh":
		w.o.Dialect = Mksh
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
func (w *walker) newShell(s *state, text string, span Span) {
	s.env, s.own = w.exported(s), false
	s.funcs, s.calling, s.traps, s.locals, s.depth, s.loops = 0, nil, nil, nil, 0, 0
	s.give(s.passed)
	s.argsOpen = s.argsOpen || !s.passing
	s.passed, s.passing = nil, false
	s.zero, s.called = s.called, nil
	s.noglob, s.errexit, s.allexport, s.attrs, s.jump = false, false, false, false, onward
	w.touched(s)
	file, ok := w.read(s, text, span)
	if !ok {
		return
	}
	ws := w.inside(s, file, text, span)
	s.out = w.oneOutput(ws)
	w.leave(s, ws)
}

// read parses nested text, and says so when it cannot be read or is not what it seems.
func (w *walker) read(s *state, text string, span Span) (file *syntax.File, ok bool) {
	if !w.affordable(text) {
		w.opaque(s, InCode, "shells are nested too deeply", span)
		return nil, false
	}
	marks, err := gate(text)
	f, perr := parse(text, w.o.Dialect)
	if perr != nil {
		w.opaque(s, InCode, "shell text inside: "+perr.Text, span)
		w.code(Code{Lang: "sh", Text: text, Source: Literal, Span: span})
		return nil, false
	}
	if err == nil {
		err = differ(f, text, marks, w.o.Dialect)
	}
	if err != nil {
		w.opaque(s, InCode, "shell text inside: "+err.Text, span)
		if err.cause != nil {
			return nil, false
		}
	}
	return f, true
}

// affordable reports whether one more nested text may be parsed. Text that evaluates itself
// doubles with each level, so its sum is bounded as well as its depth.
func (w *walker) affordable(text string) bool {
	w.nestedBytes += len(text) + 64
	return w.nested < maxNested && w.nestedBytes <= max(1<<18, 2*len(w.out.Text))
}

// exported returns the names that a new program is given.
func (w *walker) exported(s *state) *scope {
	if s.env == nil {
		return nil
	}
	names := s.env.flat()
	for n, v := range names {
		if !v.exported || v.isList || v.isHash {
			if v.fn != nil && !v.exported {
				delete(names, n)
				continue
			}
			if v.fn == nil {
				names[n] = variable{}
			}
		} else if v.fixed {
			v.fixed = false // nobody inherits that
			names[n] = v
		}
	}
	return &scope{names: names}
}

// inside evaluates a nested tree, all of whose effects have the span of the outer word.
func (w *walker) inside(s *state, f *syntax.File, text string, span Span) worlds {
	defer func(src string, fixed *Span, cmd, cond int) {
		w.src, w.fixed, w.cmd, w.inCond = src, fixed, cmd, cond
		w.nested--
	}(w.src, w.fixed, w.cmd, w.inCond)
	w.src, w.fixed, w.inCond = text, &span, 0
	w.nested++
	return w.program(s, f)
}

// here is the span of the command that is being evaluated.
func (w *walker) here() Span {
	switch {
	case w.fixed != nil:
		return *w.fixed
	case w.cmd >= 0 && w.cmd < len(w.out.Commands):
		return w.out.Commands[w.cmd].Span
	}
	return Span{0, len(w.out.Text)}
}

// eval evaluates text in this very shell.
func (w *walker) eval(s *state, text, via string) worlds {
	span := w.here()
	file, ok := w.read(s, text, span)
	if !ok {
		w.havoc(s)
		return worlds{s}
	}
	defer func(old []string) { w.via = old }(w.via)
	w.via = append(slices.Clip(w.via), via)
	return w.inside(s, file, text, span)
}

// second evaluates a value that a builtin or arithmetic expands a second time: bash runs
// the substitutions in the subscript of a name that it is given as text.
func (w *walker) second(s *state, text string) {
	if !strings.ContainsAny(text, "$`") && !strings.Contains(text, "<(") {
		return
	}
	quoted := `: "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	w.eval(w.fork(s), quoted, "subscript")
}

// partialText parses text for its effects only, when it is not certain to run.
func (w *walker) partialText(s *state, text string, span Span) {
	if !w.affordable(text) {
		return
	}
	if file, err := parse(text, w.o.Dialect); err == nil {
		w.inside(s, file, text, span)
	}
}
