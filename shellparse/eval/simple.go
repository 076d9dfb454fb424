package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/catalog"
	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// call evaluates a simple command of the tree: its assignments, its words, and what the
// first word names.
func (w *commands) call(s *state, n *syntax.CallExpr) worlds {
	redirected := w.redirects
	w.redirects = false
	if w.wordCount > maxWords { // to expand another "$@" would take the time that the limit saves
		w.over(s, "more words than are followed")
		return worlds{s}
	}
	var args []value
	var spans []Span
	gone := false
	for _, word := range n.Args {
		span := w.span(word)
		fields := w.argument(s, n, word)
		if len(fields) == 0 && isPlainParam(word) {
			gone = true
			fields = w.goneSecret(s, word, len(args) > 0)
			if len(args) == 0 {
				w.opaque(s, InProgram, "which program starts is not known: "+notSet, span)
			}
		} else if len(fields) == 0 && isPiece(word) {
			fields = w.goneSecret(s, word, len(args) > 0)
		}
		for _, f := range fields {
			args, spans = append(args, f), append(spans, span)
		}
	}
	if len(args) == 0 {
		if len(n.Args) > 0 || len(n.Assigns) > 0 {
			s.status = either
		}
		w.outcomes = nil
		failed := w.assignments(s, n.Assigns)
		return append(w.divide(s, n.Assigns), failed...)
	}
	if w.wordCount += len(args); w.wordCount > maxWords {
		w.over(s, "more words than are followed")
		return worlds{s}
	}
	c := newCall(args, spans, w.span(n))
	c.plain, c.redirected, c.gone = len(n.Assigns) == 0, redirected, gone
	var restore func(*state)
	if assigns := func() { restore = w.prefix(s, c, n.Assigns) }; w.o.Dialect == Zsh &&
		expands(n.Assigns) {
		// There the child that becomes a program expands them, the shell those of a builtin.
		w.uncertainly(s, "what is before a command", assigns)
	} else {
		assigns()
	}
	if w.on.nullglob && slices.ContainsFunc(c.words, func(x Word) bool { return x.Glob }) {
		w.opaque(s, InCode, "a pattern that matches nothing is left out, or is not", c.span)
	}
	ws := append(w.failed(s), w.invoke(s, c)...)
	for _, s := range ws {
		switch name := c.words[0].Text; {
		case len(c.assign) > 0 && (w.doubtfulPrefix(name) || !c.words[0].Static):
			// which may be no word at all
			for _, a := range c.assign {
				w.doubt(s, a.Name, unknown("$"+a.Name+" is set in front of "+name, Unknown))
			}
		case !w.keepsPrefix(name):
			restore(s)
		}
	}
	return ws
}

// assignments makes the assignments of a statement that has nothing else, and returns the runs
// in which one of them is an error, so that those behind it are not made.
func (w *commands) assignments(s *state, list []*syntax.Assign) (failed worlds) {
	for _, a := range list {
		var old variable
		if a.Name != nil {
			old = w.standing(s, a.Name.Value)
		}
		w.assignment(s, a, variable{}, true)
		for _, end := range w.failed(s) {
			if a.Name != nil {
				w.restore(end, a.Name.Value, old)
			}
			failed = append(failed, end)
		}
	}
	return failed
}

// argument expands a word of a command. In `export x=$y` some versions of dash split the
// value, and others do not.
func (w *commands) argument(s *state, n *syntax.CallExpr, word *syntax.Word) []value {
	if w.o.Dialect != POSIX || allQuoted(word) {
		return w.fields(s, word)
	}
	switch n.Args[0].Lit() {
	case "export", "readonly", "local":
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && strings.Contains(lit.Value, "=") {
			name, _, _ := strings.Cut(lit.Value, "=")
			// bash expands braces here too
			w.uncertainly(s, "what is declared", func() { w.visitWord(s, word) })
			return []value{append(known(name+"="),
				unknown("shells split this differently", Unknown)...)}
		}
	}
	return w.fields(s, word)
}

// goneSecret keeps an empty word for the value of a secret, which the shell that the text is
// meant for may well have.
func (w *commands) goneSecret(s *state, word *syntax.Word, operand bool) []value {
	name := word.Parts[0].(*syntax.ParamExp).Param.Value
	if _, own := s.env.get(name); own || !operand || !catalog.SecretName(name) {
		return nil
	}
	return []value{{{why: ofSecret}}}
}

// prefix makes the assignments in front of a command, and returns what undoes them: they
// hold for that command alone.
func (w *commands) prefix(s *state, c *call, assigns []*syntax.Assign) func(*state) {
	if len(assigns) == 0 {
		return func(*state) {}
	}
	old := map[string]variable{}
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		if _, done := old[name]; !done {
			old[name] = w.standing(s, name)
		}
		val := w.assignment(s, a, variable{attributes: attributes{exported: true}}, false)
		c.assign = append(c.assign, Assign{Name: name, Value: val.quoted().word()})
		w.environ(s, name, val, w.span(a))
	}
	return func(s *state) {
		for n, v := range old {
			w.restore(s, n, v)
			if assignsIn(assigns, n) {
				w.doubt(s, n, unknown("the words before a command assign it twice", Unknown))
			}
		}
	}
}

// invoke finds what answers to the first word: a function, the shell itself, or a program.
func (w *commands) invoke(s *state, c *call) worlds {
	defer func(cmd int) { w.cmd = cmd }(w.cmd)
	if name, made := c.args[0].fresh(); made && strings.HasPrefix(name, "/") {
		return w.external(s, c)
	} else if d := c.installed(); d != nil {
		return w.external(s, d)
	} else if !c.words[0].Static {
		return w.dynamic(s, c)
	}
	name := c.words[0].Text
	if !c.program && !c.noFunction {
		if v, ok := s.env.get(name + "()"); ok && v.fn != nil {
			w.emit(s, c, "", true, false, false)
			return w.function(s, c, v.fn)
		} else if ok && v.set { // several runs that know different ones have been joined
			w.opaque(s, InCode, "which function answers to "+name+" depends on what happens before",
				c.at(0))
			ws := w.invoke(s, c.toProgram())
			for _, s := range ws {
				w.forgetAll(s)
			}
			return ws
		}
	}
	if name == "time" && w.o.Dialect == POSIX && !w.dash && len(c.words) > 1 {
		// a word of the grammar in bash, so that what follows may be an assignment
		defer w.forget(s)
	}
	b := builtinOf(name, w.o.Dialect)
	lacks, maybe := w.lacks(name)
	if lacks && maybe && b.run != nil && !c.program {
		other := s.fork()
		other.status = failure
		return append(w.builtin(s, c, b), other)
	}
	if b.run != nil && !lacks && (!c.program || b.also) {
		return w.builtin(s, c, b)
	}
	return w.external(s, c)
}

// builtin runs what the shell does itself.
func (w *commands) builtin(s *state, c *call, b builtin) worlds {
	name := c.words[0].Text
	w.emit(s, c, name, !c.program, true, b.quiet)
	out, aborted := s.out, w.aborted(s, c)
	ws := b.run(w, s, c)
	if s.capture && printing(name) && len(ws) == 1 && ws[0].out == out {
		w.write(ws[0], &stream{from: Unknown, why: "the output of " + name})
	}
	return append(ws, aborted...)
}

// printing lists the builtins whose output is not followed.
func printing(name string) bool {
	switch name {
	case "alias", "bind", "caller", "command", "compgen", "complete", "dirs", "fc", "getconf",
		"hash", "help", "history", "jobs",
		"shopt", "times", "trap", "type", "ulimit", "umask":
		return true
	}
	return false
}

// dynamic is a command whose program is not known.
func (w *commands) dynamic(s *state, c *call) worlds {
	w.emit(s, c, "", false, false, false)
	why := "which program starts is not known"
	if reason := c.words[0].Why; reason != "" {
		why += ": " + reason
	}
	w.opaque(s, InProgram, why, c.at(0))
	var none *command.Spec
	w.use(s, c, none.Match(c.argv), "")
	w.remember(s, c)
	w.write(s, &stream{from: Unknown, why: "the output of a program that is not known"})
	// Without a slash the name may be that of eval, cd or export.
	if !c.program && !strings.Contains(c.words[0].Text, "/") {
		w.forgetAll(s)
	}
	return worlds{s}
}

// remember looks for a command inside the words of a program that is not known: if one of
// them is a known wrapper's or shell's name, what follows is looked at as a command too.
func (w *commands) remember(s *state, c *call) {
	for i := 1; i < len(c.args) && i < 8; i++ {
		word := c.words[i]
		if !word.Static || strings.HasPrefix(word.Text, "-") {
			continue
		}
		if _, ok := w.spec(base(word.Text)); ok {
			child := s.fork()
			child.guess = true
			sub := c.from(i)
			w.invoke(child, sub)
		}
		return
	}
}

// external evaluates a program by what the command table knows of it.
func (w *commands) external(s *state, c *call) worlds {
	name := c.words[0].Text
	spec, ok := w.spec(base(name))
	use := spec.Match(c.argv)
	w.emit(s, c, name, false, ok, use.ReadOnly && ok)
	if strings.Contains(name, "/") {
		w.effect(s, Effect{Right: command.Exec, Name: w.name(s, c.args[0]), Span: c.at(0)})
		if f := w.made(s, c.args[0]); f != nil && (!ok || planted(f.flow.source())) {
			s.executes(c.args[0])
			w.runs(s, &f.flow, scriptLang(f), c.at(0))
			s.executes(nil)
		}
	}
	if !ok {
		w.unknownProgram(s, c)
	}
	if len(w.via) > 0 && ok && len(use.Touches) == 0 && w.deletesMore(spec, c) {
		w.opaque(s, InDelete, "what starts "+base(name)+" may give it names to delete", c.span)
	}
	w.standIns(s, c)
	w.use(s, c, use, base(name))
	s.status = either
	return worlds{s}
}

// deletesMore reports whether a program that was given no names would delete one more word:
// a pager, an editor or a hook is started with words of which the text does not know.
func (w *commands) deletesMore(spec *command.Spec, c *call) bool {
	if len(c.argv) > 3 {
		return false
	}
	more := spec.Match(append(slices.Clip(c.argv), command.Arg{}))
	return slices.ContainsFunc(more.Touches,
		func(t command.Touch) bool { return t.Right == command.Delete })
}

// unknownProgram says of the words of a program without an entry what is not known of them.
func (w *commands) unknownProgram(s *state, c *call) {
	if c.words[0].Text == "" {
		w.opaque(s, InProgram, "the name of the program is empty", c.at(0))
	}
}
