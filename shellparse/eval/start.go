package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// start evaluates what a program starts.
func (w *commands) start(s *state, c *call, n command.Nested, u command.Use, dir, program string) {
	child := s.fork()
	child.dir, child.traps = dir, nil
	child.remote = s.remote || n.Remote
	child.guess = s.guess || n.Possible
	child.filled = s.filled || n.Secrets
	if n.Remote {
		child.env, child.own, child.open, child.dir, child.near = nil, false, true, "", ""
		child.files, child.movedBy = nil, ""
	}
	if n.Dir != nil {
		child.dir, child.near = w.within(s, c, *n.Dir), ""
	}
	w.removed(child, u)
	for _, a := range slices.Concat(u.Assign, n.Env) {
		w.put(child, a.Name, environmental(w.fromArg(c, a.Arg, a.Value)))
	}
	via := n.Via
	if program != "" && !strings.Contains(via, " ") {
		via = program // an entry may be for several names
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
func (w *commands) removed(s *state, u command.Use) {
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
func (w *commands) takeOutput(s, child *state) {
	if s.capture && child.out != s.out {
		s.out = child.out
		w.touched(s)
	}
}

// argv evaluates a command that is in the words of a wrapper: once, or once for each
// batch of operands that it gets from its input.
func (w *commands) argv(s *state, c *call, n command.Nested) {
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
	if in := s.in; n.From == nil && in != nil && len(in.found) > 0 && c.asFound(n) {
		w.argvFound(s, c, n, args, spans, in.found)
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

func (w *commands) argvWith(s *state, c *call, n command.Nested, args []value, spans []Span) {
	if len(args) == 0 {
		return
	}
	sub := newCall(args, spans, c.span)
	sub.program = true
	for i, a := range n.Argv {
		sub.argv[i].Below, sub.argv[i].Base = a.Below, a.Base
		if a.Below {
			sub.argv[i].Text = a.Text
			sub.args[i] = foundAs(a).certain()
		}
	}
	for _, a := range n.Env {
		sub.assign = append(sub.assign, Assign{a.Name, w.fromArg(c, a.Arg, a.Value).word()})
	}
	ws := w.interp.invoke(s, sub)
	if len(ws) > 0 {
		s.out, s.files = ws[0].out, ws[0].files
	}
}

// argvFound evaluates a command that gets names from xargs(1): all at once, or one for each of what
// they are below.
func (w *commands) argvFound(s *state, c *call, n command.Nested, args []value, spans []Span,
	found []command.Arg) {
	for _, a := range found {
		more, with, where := n, slices.Clone(args), slices.Clone(spans)
		more.Argv = slices.Clone(n.Argv)
		name := w.fromArg(c, -1, a)
		switch {
		case n.Replace == "":
			more.Argv = append(more.Argv, a)
			with, where = append(with, name), append(where, c.span)
		default:
			for i, old := range n.Argv {
				switch {
				case old.Text == n.Replace:
					more.Argv[i], with[i] = a, name
				case strings.Contains(old.Text, n.Replace):
					with[i] = replaced(old.Text, n.Replace,
						[]value{unknown("the names for it come from standard input", Unknown)})
				}
			}
		}
		w.argvWith(s, c, more, with, where)
	}
}

// original returns the value of the word of c that a is derived from, so that what is known about
// its origin is not lost on the way through the command table.
func (w *commands) original(c *call, a command.Arg, from *int) value {
	for i := max(*from, 0); i < len(c.argv); i++ {
		if c.argv[i] == a {
			*from = i + 1
			return c.args[i]
		}
	}
	return w.fromArg(c, -1, a)
}

// batches are the operands that xargs(1) reads, as many together as it gives to one command.
func (w *commands) batches(s *state, c *call, n command.Nested) [][]value {
	in := s.in
	if n.From != nil {
		v := w.fromArg(c, n.FromArg, *n.From)
		in = &stream{from: File, name: v.display(), why: "the content of a file"}
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
func operands(in *stream, n command.Nested) ([]value, bool) {
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
