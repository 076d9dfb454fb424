package shellparse

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
	"mvdan.cc/sh/v3/syntax"
)

// A call is one simple command, ready to run.
type call struct {
	args       []value
	words      []Word        // the same for a reader
	argv       []command.Arg // the same for the command table
	spans      []Span
	assign     []Assign
	span       Span
	plain      bool // it has no assignments
	redirected bool
	gone       bool // a word of the tree was a name without a value, and made none here
	// what may answer to the name
	noFunction bool // command, builtin
	program    bool // only a program: what a wrapper starts
}

func (w *walker) newCall(args []value, spans []Span, span Span) *call {
	c := &call{args: args, spans: spans, span: span, words: make([]Word, len(args)), argv: make([]command.Arg, len(args))}
	for i, v := range args {
		c.words[i] = v.word()
		c.argv[i] = argOf(v, c.words[i])
	}
	return c
}

func argOf(v value, word Word) command.Arg {
	if root, ok := v.foundBelow(); ok {
		return command.Arg{Text: root, Below: true}
	}
	return command.Arg{Text: word.Text, Static: word.Static, Glob: word.Glob}
}

func (c *call) at(i int) Span {
	if i >= 0 && i < len(c.spans) {
		return c.spans[i]
	}
	return c.span
}

// call evaluates a simple command of the tree: its assignments, its words, and what the
// first word names.
func (w *walker) call(s *state, n *syntax.CallExpr) worlds {
	redirected := w.redirects
	w.redirects = false
	if w.words > maxWords { // to expand another "$@" would take the time that the limit saves
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
		return append(worlds{s}, w.assignments(s, n.Assigns)...)
	}
	if w.words += len(args); w.words > maxWords {
		w.over(s, "more words than are followed")
		return worlds{s}
	}
	c := w.newCall(args, spans, w.span(n))
	c.plain, c.redirected, c.gone = len(n.Assigns) == 0, redirected, gone
	var restore func(*state)
	if assigns := func() { restore = w.prefix(s, c, n.Assigns) }; w.o.Dialect == Zsh && expands(n.Assigns) {
		// There the child that becomes a program expands them, the shell those of a builtin.
		w.uncertainly(s, "what is before a command", assigns)
	} else {
		assigns()
	}
	failed := w.failed(s)
	failed = append(failed, w.unmatched(s, c)...)
	ws := append(w.invoke(s, c), failed...)
	for _, s := range ws {
		switch name := c.words[0].Text; {
		case len(c.assign) > 0 && (w.doubtfulPrefix(name) || !c.words[0].Static): // which may be no word at all
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
func (w *walker) assignments(s *state, list []*syntax.Assign) (failed worlds) {
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

// standing is what a name holds, in a form that restore takes.
func (w *walker) standing(s *state, name string) variable {
	v, ok := s.env.get(name)
	if !ok {
		v, ok = w.lookup(s, name)
		v.set = ok
	}
	return v
}

// argument expands a word of a command. In `export x=$y` some versions of dash split the
// value, and others do not.
func (w *walker) argument(s *state, n *syntax.CallExpr, word *syntax.Word) []value {
	if w.o.Dialect != POSIX || allQuoted(word) {
		return w.fields(s, word)
	}
	switch n.Args[0].Lit() {
	case "export", "readonly", "local":
		if lit, ok := word.Parts[0].(*syntax.Lit); ok && strings.Contains(lit.Value, "=") {
			name, _, _ := strings.Cut(lit.Value, "=")
			w.uncertainly(s, "what is declared", func() { w.visitWord(s, word) }) // bash expands braces here too
			return []value{append(known(name+"="), unknown("shells split this differently", Unknown)...)}
		}
	}
	return w.fields(s, word)
}

// goneSecret keeps an empty word for the value of a secret, which the shell that the text is
// meant for may well have.
func (w *walker) goneSecret(s *state, word *syntax.Word, operand bool) []value {
	name := word.Parts[0].(*syntax.ParamExp).Param.Value
	if _, own := s.env.get(name); own || !operand || !command.Secret(name) {
		return nil
	}
	return []value{{{why: ofSecret}}}
}

// isPiece reports whether a word is a piece of $x, as in ${x:0:4}, and nothing else.
func isPiece(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	p, ok := word.Parts[0].(*syntax.ParamExp)
	return ok && p.Param != nil && (p.Slice != nil || p.Repl != nil) && p.Exp == nil
}

// isPlainParam reports whether a word is $x or ${x} and nothing else, of one value.
func isPlainParam(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	p, ok := word.Parts[0].(*syntax.ParamExp)
	return ok && p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Param != nil && !isAt(p) && !isStar(p)
}

// expands reports whether an assignment has a value that is no plain text.
func expands(assigns []*syntax.Assign) bool {
	return slices.ContainsFunc(assigns, func(a *syntax.Assign) bool { return a.Value != nil && a.Value.Lit() == "" })
}

// prefix makes the assignments in front of a command, and returns what undoes them: they
// hold for that command alone.
func (w *walker) prefix(s *state, c *call, assigns []*syntax.Assign) func(*state) {
	if len(assigns) == 0 {
		return func(*state) {}
	}
	old := map[string]variable{}
	for _, a := range assigns {
		if a.Name == nil {
			continue
		}
		name := a.Name.Value
		for _, n := range w.assigns(s, name) {
			if _, done := old[n]; !done {
				old[n] = w.standing(s, n)
			}
		}
		val := w.assignment(s, a, variable{exported: true}, false)
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

// assignsIn reports whether an expansion in the values of assignments assigns a name.
func assignsIn(list []*syntax.Assign, name string) bool {
	return slices.ContainsFunc(list, func(a *syntax.Assign) bool {
		return a.Value != nil && anywhere(a.Value, func(n syntax.Node) bool {
			p, ok := n.(*syntax.ParamExp)
			return ok && p.Param != nil && p.Param.Value == name && p.Exp != nil && (p.Exp.Op == syntax.AssignUnset || p.Exp.Op == syntax.AssignUnsetOrNull)
		})
	})
}

// invoke finds who answers to the first word: a function, the shell itself, or a program.
func (w *walker) invoke(s *state, c *call) worlds {
	defer func(cmd int) { w.cmd = cmd }(w.cmd)
	if !c.words[0].Static {
		return w.dynamic(s, c)
	}
	name := c.words[0].Text
	if !c.program && !c.noFunction {
		if v, ok := s.env.get(name + "()"); ok && v.fn != nil {
			w.emit(s, c, "", true, false, false)
			return w.function(s, c, v.fn)
		} else if ok && v.set { // several runs that know different ones have been joined
			w.opaque(s, InCode, "which function answers to "+name+" depends on what happens before", c.at(0))
			ws := w.invoke(s, c.toProgram())
			for _, s := range ws {
				w.havoc(s)
			}
			return ws
		}
	}
	if v, ok := s.env.get("hash:" + name); ok {
		w.via = append(slices.Clip(w.via), name)
		defer func(via []string) { w.via = via }(w.via[:len(w.via)-1])
		c = w.newCall(append([]value{v.val}, c.args[1:]...), c.spans, c.span)
		if !c.words[0].Static {
			return w.dynamic(s, c)
		}
		return w.external(s, c)
	}
	if name == "time" && w.o.Dialect == POSIX && !w.dash && len(c.words) > 1 {
		defer w.forget(s) // a word of the grammar in bash, so that what follows may be an assignment
	}
	b := builtinOf(name, w.o.Dialect)
	lacks, maybe := w.lacks(name)
	if lacks && maybe && b.run != nil && !c.program {
		other := w.fork(s)
		other.status = failure
		return append(w.builtin(s, c, b), other)
	}
	if b.run != nil && !lacks && (!c.program || b.also) {
		return w.builtin(s, c, b)
	}
	return w.external(s, c)
}

// builtin runs what the shell does itself.
func (w *walker) builtin(s *state, c *call, b builtin) worlds {
	name := c.words[0].Text
	w.emit(s, c, name, !c.program, true, b.quiet)
	out, aborted := s.out, w.aborted(s, c)
	ws := b.run(w, s, c)
	if s.capture && printing(name) && len(ws) == 1 && ws[0].out == out {
		w.write(ws[0], &flow{from: Unknown, why: "the output of " + name})
	}
	return append(ws, aborted...)
}

// printing tells the builtins whose output is not followed.
func printing(name string) bool {
	switch name {
	case "alias", "bind", "caller", "command", "compgen", "complete", "dirs", "fc", "getconf", "hash", "help", "history", "jobs",
		"shopt", "times", "trap", "type", "ulimit", "umask":
		return true
	}
	return false
}

// dynamic is a command whose program is not known.
func (w *walker) dynamic(s *state, c *call) worlds {
	w.emit(s, c, "", false, false, false)
	why := "which program starts is not known"
	if reason := c.words[0].Why; reason != "" {
		why += ": " + reason
	}
	w.opaque(s, InProgram, why, c.at(0))
	var none *command.Spec
	w.use(s, c, none.Match(c.argv), "")
	w.remember(s, c)
	w.write(s, &flow{from: Unknown, why: "the output of a program that is not known"})
	// Without a slash the name may be that of eval, cd or export.
	if !c.program && !strings.Contains(c.words[0].Text, "/") {
		w.havoc(s)
	}
	return worlds{s}
}

// remember looks for a command inside the words of a program that is not known: if one of
// them is a known wrapper's or shell's name, what follows is looked at as a command too.
func (w *walker) remember(s *state, c *call) {
	for i := 1; i < len(c.args) && i < 8; i++ {
		word := c.words[i]
		if !word.Static || strings.HasPrefix(word.Text, "-") {
			continue
		}
		if _, ok := w.spec(base(word.Text)); ok {
			child := w.fork(s)
			child.guess = true
			sub := w.sub(c, i)
			w.invoke(child, sub)
		}
		return
	}
}

// sub is the command that starts at word i of c.
func (w *walker) sub(c *call, i int) *call {
	d := *c
	d.args, d.words, d.argv, d.spans = c.args[i:], c.words[i:], c.argv[i:], c.spans[min(i, len(c.spans)):]
	d.program = true
	return &d
}

// toProgram is c where no function answers to its name.
func (c *call) toProgram() *call {
	d := *c
	d.noFunction = true
	return &d
}

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// emit writes the command into the result and makes it the current one.
func (w *walker) emit(s *state, c *call, name string, builtin, known, quiet bool) {
	if name == "" && c.words[0].Static {
		name = c.words[0].Text
	}
	cmd := Command{Name: name, Args: c.words, Assign: c.assign, Via: w.via, Dir: s.dir, Remote: s.remote, Builtin: builtin, Known: known, ReadOnly: quiet, Span: c.span}
	for i := len(w.out.Commands) - 1; i >= 0 && i >= len(w.out.Commands)-32; i-- {
		if w.out.Commands[i].equal(cmd) {
			w.cmd = i
			return
		}
	}
	w.out.disguisedName(name, c.at(0))
	if len(w.out.Commands) >= maxEffects {
		w.over(s, "more commands than are listed")
		return
	}
	w.cmd = len(w.out.Commands)
	w.out.Commands = append(w.out.Commands, cmd)
}

func (c Command) equal(d Command) bool {
	return c.Span == d.Span && c.Name == d.Name && c.Dir == d.Dir && slices.Equal(c.Args, d.Args) &&
		slices.Equal(c.Via, d.Via) && slices.Equal(c.Assign, d.Assign)
}

// external evaluates a program by what the command table knows of it.
func (w *walker) external(s *state, c *call) worlds {
	name := c.words[0].Text
	spec, ok := w.spec(base(name))
	use := spec.Match(c.argv)
	w.emit(s, c, name, false, ok, use.ReadOnly && ok)
	if strings.Contains(name, "/") {
		w.effect(s, Effect{Right: command.Exec, Name: w.name(s, c.args[0]), Span: c.at(0)})
		if f := w.made(s, c.args[0]); f != nil && (!ok || planted(f.flow.source())) {
			w.runs(s, &f.flow, scriptLang(f), c.at(0))
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
func (w *walker) deletesMore(spec *command.Spec, c *call) bool {
	if len(c.argv) > 3 {
		return false
	}
	more := spec.Match(append(slices.Clip(c.argv), command.Arg{}))
	return slices.ContainsFunc(more.Touches, func(t command.Touch) bool { return t.Right == command.Delete })
}

// spec is command.Lookup, which searches text, once for each name.
func (w *walker) spec(name string) (*command.Spec, bool) {
	for _, e := range w.specs {
		if e.name == name {
			return e.spec, e.spec != nil
		}
	}
	spec, ok := w.o.Programs.Lookup(name)
	if !ok {
		spec = nil
	}
	if len(w.specs) < maxEntries {
		w.specs = append(w.specs, entry{name, spec})
	}
	return spec, ok
}

// An entry is what the command table says of a name; nil when it does not know it.
type entry struct {
	name string
	spec *command.Spec
}

// maxEntries bounds how many entries are kept for one text: few texts call more programs.
const maxEntries = 32

// unknownProgram says of the words of a program without an entry what is not known of them.
func (w *walker) unknownProgram(s *state, c *call) {
	if c.words[0].Text == "" {
		w.opaque(s, InProgram, "the name of the program is empty", c.at(0))
	}
}
