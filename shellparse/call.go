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
	var args []value
	var spans []Span
	gone := false
	for _, word := range n.Args {
		span := w.span(word)
		fields := w.fields(s, word)
		if len(fields) == 0 && isPlainParam(word) {
			gone = true
			fields = w.goneSecret(s, word, len(args) > 0)
			if len(args) == 0 {
				w.opaque(s, InProgram, "which program starts is not known: "+notSet, span)
			}
		}
		for _, f := range fields {
			args, spans = append(args, f), append(spans, span)
		}
	}
	if len(args) == 0 {
		for _, a := range n.Assigns {
			w.assignment(s, a, variable{}, true)
		}
		if len(n.Args) > 0 || len(n.Assigns) > 0 {
			s.status = either
		}
		return worlds{s}
	}
	c := w.newCall(args, spans, w.span(n))
	c.plain, c.redirected, c.gone = len(n.Assigns) == 0, redirected, gone
	restore := w.prefix(s, c, n.Assigns)
	ws := w.invoke(s, c)
	for _, s := range ws {
		restore(s)
	}
	return ws
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

// isPlainParam reports whether a word is $x or ${x} and nothing else, of one value.
func isPlainParam(word *syntax.Word) bool {
	if len(word.Parts) != 1 {
		return false
	}
	p, ok := word.Parts[0].(*syntax.ParamExp)
	return ok && p.Exp == nil && p.Repl == nil && p.Slice == nil && p.Param != nil && !isAt(p) && !isStar(p)
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
		v, ok := s.env.get(name)
		if !ok {
			v, ok = w.lookup(s, name)
			v.set = ok
		}
		if _, done := old[name]; !done {
			old[name] = v
		}
		val := w.assignment(s, a, variable{exported: true}, false)
		c.assign = append(c.assign, Assign{Name: name, Value: val.quoted().word()})
		w.environ(s, name, val, w.span(a))
	}
	return func(s *state) {
		for n, v := range old {
			w.put(s, n, v)
		}
	}
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
	if b := builtinOf(name, w.o.Dialect); b.run != nil && (!c.program || b.also) {
		w.emit(s, c, name, !c.program, true, b.quiet)
		return b.run(w, s, c)
	}
	return w.external(s, c)
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

func base(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// emit writes the command into the result and makes it the current one.
func (w *walker) emit(s *state, c *call, name string, builtin, known, quiet bool) {
	if name == "" && c.words[0].Static {
		name = c.words[0].Text
	}
	cmd := Command{Name: name, Args: c.words, Assign: c.assign, Via: w.via, Dir: s.dir, Builtin: builtin, Known: known, ReadOnly: quiet, Span: c.span}
	for i := len(w.out.Commands) - 1; i >= 0 && i >= len(w.out.Commands)-32; i-- {
		if w.out.Commands[i].equal(cmd) {
			w.cmd = i
			return
		}
	}
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
		if f := w.made(s, c.args[0]); f != nil && !ok {
			w.runs(s, &f.flow, scriptLang(f), c.at(0))
		}
	}
	if !ok {
		w.unknownProgram(s, c)
	}
	w.use(s, c, use, base(name))
	s.status = either
	return worlds{s}
}

// spec is command.Lookup, which searches text, once for each name.
func (w *walker) spec(name string) (*command.Spec, bool) {
	if spec, done := w.specs[name]; done {
		return spec, spec != nil
	}
	spec, ok := w.o.Programs.Lookup(name)
	if !ok {
		spec = nil
	}
	if w.specs == nil {
		w.specs = map[string]*command.Spec{}
	}
	if len(w.specs) < maxNames {
		w.specs[name] = spec
	}
	return spec, ok
}

// unknownProgram says of the words of a program without an entry what is not known of them.
func (w *walker) unknownProgram(s *state, c *call) {
	if c.words[0].Text == "" {
		w.opaque(s, InProgram, "the name of the program is empty", c.at(0))
	}
}

// use turns what the table says of a command into effects, hazards and nested commands.
func (w *walker) use(s *state, c *call, u command.Use, name string) {
	dir := s.dir
	if u.Dir != nil {
		dir = w.within(s, c, *u.Dir)
		v := w.fromArg(c, u.Dir.Arg, command.Arg{Text: u.Dir.Text, Static: u.Dir.Static, Glob: u.Dir.Glob})
		w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, v), Span: c.at(u.Dir.Arg)})
	}
	worst := map[int]Place{}
	for _, t := range u.Touches {
		w.touch(s, c, t, dir, name, worst)
	}
	for _, h := range u.Hosts {
		w.host(s, c, h)
	}
	for _, h := range u.Hazards {
		if !s.guess {
			w.hazard(Hazard{Rule: h.Rule, Risk: h.Risk, Message: h.Message, Span: c.at(h.Arg)})
		}
	}
	for _, a := range u.Assign {
		w.environ(s, a.Name, w.fromArg(c, a.Arg, a.Value), c.at(a.Arg))
	}
	for _, i := range u.Unknown {
		w.opaque(s, InOption, "an option that is not known", c.at(i))
	}
	for i, o := range u.Opaque {
		if o.Quiet && o.Arg >= 0 && o.Arg < len(c.args) && !planted(c.args[o.Arg].from()) {
			u.Opaque[i].Right = optional
		}
		setWorst(worst, o.Arg, placeOf(u.Opaque[i].Right))
	}
	nested := map[int]bool{}
	for _, n := range u.Nested {
		nested[n.Arg] = true
		w.start(s, c, n, u, dir, name)
	}
	w.unknownWords(s, c, u, worst, nested)
	for i := range c.words {
		if c.words[i].Glob && !touched(u, i) {
			w.listed(s, c.args[i], c.at(i))
		}
	}
	w.secrets(s, c)
	if c.gone && (u.StdinCode != "" || isShell(name)) {
		w.suspect(nil, interpreter(name), true, c.span)
	}
	w.project(s, c, u, dir)
	if u.StdinCode != "" {
		w.runs(s, s.in, u.StdinCode, c.span)
	}
	w.output(s, c, u)
}

// project is the file that a build tool executes by itself. That of the directory which the
// whole text starts in is the caller's choice; that of another is an effect.
func (w *walker) project(s *state, c *call, u command.Use, dir string) {
	if u.Project == "" || dir == "" || dir == w.o.Dir || s.remote {
		return
	}
	v := known(u.Project)
	name := w.nameIn(v, dir)
	at := w.fork(s)
	at.dir = dir
	w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: name, Span: c.span})
	if f := w.made(at, v); f != nil {
		w.runs(s, &f.flow, interpreter(base(c.words[0].Text)), c.span)
	}
}

// listed is a pathname pattern that the shell itself expands: it lists the directory.
func (w *walker) listed(s *state, v value, span Span) {
	if v.word().Glob {
		w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: w.name(s, v), Span: span})
	}
}

// unknownWords names each word that is not known, with the worst that it decides.
func (w *walker) unknownWords(s *state, c *call, u command.Use, worst map[int]Place, nested map[int]bool) {
	for _, o := range u.Opaque {
		if o.Arg >= 0 && o.Arg < len(c.words) && c.words[o.Arg].Static {
			w.opaque(s, placeOf(o.Right), o.Why, c.at(o.Arg))
		}
	}
	for i, word := range c.words {
		if i == 0 || word.Static || word.Glob || nested[i] || c.argv[i].Below {
			continue
		}
		place, ok := worst[i]
		if c.args[i][0].kind == account && c.args[i][1:].word().Static && touched(u, i) {
			continue // the account stands in the name of the effect
		}
		if !ok {
			place = InData
			if first := c.args[i][0]; first.kind == open && !u.ReadOnly {
				place = InOption
			}
		}
		w.opaque(s, place, word.Why, c.at(i))
	}
}

func touched(u command.Use, i int) bool {
	return slices.ContainsFunc(u.Touches, func(t command.Touch) bool { return t.Arg == i })
}

func setWorst(worst map[int]Place, i int, p Place) {
	if old, ok := worst[i]; !ok || p < old {
		worst[i] = p
	}
}

// optional stands for the right of a word that could be an option of a program that reads:
// rg "$x" and git log "$x" are everyday lines. Bytes that were fetched or decoded keep the
// worst that the option could do.
const optional command.Right = -1

// placeOf says what an unknown name with that right decides.
func placeOf(r command.Right) Place {
	switch r {
	case command.Exec:
		return InProgram
	case command.Delete:
		return InDelete
	case command.Write, command.Create:
		return InWrite
	case command.Net:
		return InHost
	case command.Read:
		return InRead
	case optional:
		return InOption
	}
	return InData
}

// fromArg returns the value behind a piece of a word: that of the word itself where the
// piece is the whole of it.
func (w *walker) fromArg(c *call, i int, a command.Arg) value {
	if i >= 0 && i < len(c.argv) && c.argv[i].Text == a.Text && c.argv[i].Static == a.Static {
		return c.args[i]
	}
	switch {
	case a.Static:
		return known(a.Text)
	case a.Glob:
		return value{{kind: pattern, text: a.Text}}
	}
	v := value{}
	if a.Text != "" {
		v = known(a.Text)
	}
	from, why := Unknown, "it is not known"
	if i >= 0 && i < len(c.args) && c.args[i].from() != Literal {
		from, why = c.args[i].from(), c.args[i].why()
		// A piece of the word keeps an account's home directory in front.
		if first := c.args[i][0]; first.kind == account && strings.HasPrefix(a.Text, first.text) {
			return append(value{first}, c.args[i][1:]...)
		}
	}
	return append(v, part{kind: open, why: why, from: from})
}

// touch adds the effect of one name.
func (w *walker) touch(s *state, c *call, t command.Touch, dir, program string, worst map[int]Place) {
	v := w.fromArg(c, t.Arg, command.Arg{Text: t.Text, Static: t.Static, Glob: t.Glob})
	f := behind(v)
	if f == nil {
		f = s.descriptor(v)
	}
	if f != nil {
		if t.Flags&command.Source != 0 {
			w.runs(s, f, interpreter(program), c.at(t.Arg))
		}
		return
	}
	at := s.dir
	if t.InDir {
		at = dir
	}
	name := w.nameIn(v, at)
	e := Effect{Right: t.Right, Flags: t.Flags, Name: name, Span: c.at(t.Arg)}
	w.effect(s, e)
	w.through(s, e)
	if !name.Static && !name.Glob && name.User == "" {
		setWorst(worst, t.Arg, placeOf(t.Right))
	}
	w.remembered(s, c, t, v, program)
}

// behind returns the flow of a process substitution.
func behind(v value) *flow {
	if len(v) == 1 {
		return v[0].flow
	}
	return nil
}

// host adds a place in the network.
func (w *walker) host(s *state, c *call, h command.Host) {
	var flags command.Flags
	if h.Upload {
		flags = command.Upload
	}
	e := Endpoint{Scheme: h.Scheme, Host: h.Host, Port: h.Port, Static: h.Static, Upload: h.Upload}
	remote := *s
	remote.remote = false
	w.effect(&remote, Effect{Right: command.Net, Flags: flags, Net: &e, Span: c.at(h.Arg)})
	if !h.Static {
		w.opaque(s, InHost, "who is contacted is not known", c.at(h.Arg))
	} else if h.Built {
		w.opaque(s, InHost, "the address is made at run time and could carry anything out", c.at(h.Arg))
	}
}

// planted reports whether bytes come from where an attacker would put them.
func planted(from Source) bool { return from == Network || from == Decoded }
