package shellparse

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A builtin is a command that the shell runs itself.
type builtin struct {
	run   func(*walker, *state, *call) worlds
	quiet bool // it changes nothing outside the shell
	also  bool // a program of the same name does the same
}

// builtinOf returns what the shell does for a name; run is nil when it does nothing.
func builtinOf(name string, d Dialect) builtin {
	switch name {
	case ":", "true", "false", "times", "jobs", "umask", "type", "suspend", "logout", "caller", "bg", "fg", "disown", "getconf", "unalias", "help":
		return builtin{(*walker).nothing, true, name == "true" || name == "false"}
	case "ulimit":
		return builtin{(*walker).limits, true, false}
	case "wait", "shopt", "set", "hash", "enable", "bind", "complete", "compgen", "compopt", "history", "fc":
		return shellOption(name)
	case "echo":
		return builtin{(*walker).echo, true, true}
	case "printf":
		return builtin{(*walker).printf, true, true}
	case "test", "[":
		return builtin{(*walker).testWords, true, true}
	case "pwd":
		return builtin{(*walker).pwd, true, true}
	case "kill":
		return builtin{(*walker).byTable, false, false}
	case "cd", "chdir":
		return builtin{(*walker).cd, true, false}
	case "pushd", "popd", "dirs":
		return builtin{(*walker).stack, true, false}
	case "eval":
		return builtin{(*walker).evalWords, false, false}
	case ".", "source":
		return builtin{(*walker).source, false, false}
	case "exec":
		return builtin{(*walker).exec, false, false}
	case "command", "builtin":
		return builtin{(*walker).commandWords, false, false}
	case "trap":
		return builtin{(*walker).trap, false, false}
	case "alias":
		return builtin{(*walker).aliasWords, false, false}
	case "read", "mapfile", "readarray", "getopts":
		return builtin{(*walker).reads, true, false}
	case "declare", "typeset", "local", "export", "readonly":
		return builtin{(*walker).declareWords, true, false}
	case "unset":
		return builtin{(*walker).unset, true, false}
	case "let":
		return builtin{(*walker).let, true, false}
	case "shift", "exit", "return", "break", "continue":
		return builtin{(*walker).leaves, true, false}
	}
	switch d {
	case Zsh, Mksh:
		return korn(name)
	case Bats:
		return builtin{run: batsFunction(name)}
	}
	return builtin{}
}

func shellOption(name string) builtin {
	switch name {
	case "set":
		return builtin{(*walker).set, true, false}
	case "shopt":
		return builtin{(*walker).shopt, true, false}
	case "hash":
		return builtin{(*walker).hash, true, false}
	case "enable":
		return builtin{(*walker).enable, false, false}
	case "bind":
		return builtin{(*walker).bind, false, false}
	case "complete", "compgen", "compopt":
		return builtin{(*walker).completion, true, false}
	case "history", "fc":
		return builtin{(*walker).history, true, false}
	}
	return builtin{(*walker).waits, true, false}
}

// waits is wait, whose -p names a variable: bash evaluates the subscript of one.
func (w *walker) waits(s *state, c *call) worlds {
	if _, values, _ := c.options("p"); values['p'] != nil {
		w.nameArg(s, values['p'], c.span)
		if name, ok := values['p'].text(); ok {
			w.assignTo(s, name, unknown("the number of a job", Unknown))
		} else {
			w.forget(s)
		}
	}
	return w.nothing(s, c)
}

// korn are builtins of zsh and mksh alone.
func korn(name string) builtin {
	switch name {
	case "print":
		return builtin{(*walker).echo, true, false}
	case "noglob", "nocorrect", "-":
		return builtin{(*walker).commandWords, false, false}
	case "setopt", "unsetopt", "emulate", "zmodload", "autoload", "zle", "zstyle", "bindkey", "functions", "sched", "zpty", "ztcp", "zsocket", "zf_rm", "sysopen":
		return builtin{(*walker).strange, false, false}
	}
	return builtin{}
}

func (w *walker) nothing(s *state, c *call) worlds {
	for i := 1; i < len(c.args); i++ {
		if !c.words[i].Static && !c.words[i].Glob {
			w.opaque(s, InData, c.words[i].Why, c.at(i))
		}
		w.listed(s, c.args[i], c.at(i))
	}
	return worlds{s}
}

// strange is a builtin whose effects are not followed.
func (w *walker) strange(s *state, c *call) worlds {
	w.opaque(s, InCode, "what "+c.words[0].Text+" changes in the shell is not followed", c.span)
	w.havoc(s)
	return worlds{s}
}

// byTable is a builtin that the command table describes like a program.
func (w *walker) byTable(s *state, c *call) worlds {
	spec, ok := w.spec(c.words[0].Text)
	u := spec.Match(c.argv)
	if ok && w.cmd >= 0 {
		w.out.Commands[w.cmd].ReadOnly = u.ReadOnly
	}
	w.use(s, c, u, c.words[0].Text)
	w.strangers(c)
	return worlds{s}
}

// listings are programs that print the numbers of processes which this shell did not start.
var listings = []string{"pgrep", "pidof", "lsof", "fuser", "ps", "ss", "netstat", "awk", "docker", "systemctl"}

// strangers are processes that kill(1) is given by a listing, or the one above this shell: it
// belongs to whoever started the shell.
func (w *walker) strangers(c *call) {
	if len(c.words) > 1 && c.words[1].Text == "-0" {
		return
	}
	for i, word := range c.words {
		program, listed := strings.CutPrefix(word.Why, "the output of ")
		if listed && slices.Contains(listings, program) || strings.HasPrefix(word.Why, "$PPID ") {
			h, _ := command.LookupHazard("proc.kill")
			w.hazard(Hazard{Rule: h.Rule, Risk: h.Risk, Message: h.Message, Span: c.at(i)})
			return
		}
	}
}

// options returns the words of options at the front as one string of letters, and the index
// of the first operand.
func (c *call) options(withValue string) (letters string, values map[byte]value, first int) {
	for i := 1; i < len(c.words); i++ {
		text := c.words[i].Text
		if !c.words[i].Static || len(text) < 2 || text[0] != '-' {
			return letters, values, i
		}
		if text == "--" {
			return letters, values, i + 1
		}
		for j := 1; j < len(text); j++ {
			letters += text[j : j+1]
			if strings.IndexByte(withValue, text[j]) < 0 {
				continue
			}
			if values == nil {
				values = map[byte]value{}
			}
			if j+1 < len(text) {
				values[text[j]] = known(text[j+1:])
			} else if i+1 < len(c.args) {
				i++
				values[text[j]] = c.args[i]
			}
			break
		}
	}
	return letters, values, len(c.words)
}

func (w *walker) echo(s *state, c *call) worlds {
	w.nothing(s, c)
	w.shown(s, c)
	if !s.capture {
		return worlds{s}
	}
	i, newline, escapes := 1, true, w.o.Dialect != Bash && w.o.Dialect != Bats
	if w.o.Dialect == POSIX && !w.dash && len(c.args) > 1 && (strings.HasPrefix(c.words[1].Text, "-") || strings.Contains(joined(c.args).prefix(), "\\")) {
		w.write(s, &flow{from: Unknown, why: "the output of echo, which shells make differently"})
		return worlds{s}
	}
	for ; i < len(c.words) && c.words[i].Static; i++ {
		opt := c.words[i].Text
		if opt == "-" && w.o.Dialect == Zsh {
			i++
			break
		}
		if len(opt) < 2 || opt[0] != '-' || strings.Trim(opt[1:], w.echoOptions()) != "" {
			break
		}
		newline = newline && !strings.Contains(opt, "n")
		if at := strings.LastIndexAny(opt, "eE"); at >= 0 {
			escapes = opt[at] == 'e'
		}
	}
	v := joined(c.args[i:])
	if escapes && escaped(v.prefix()) {
		v = v.said(disguised)
	}
	if newline {
		v = v.add(part{text: "\n"})
	}
	if escapes {
		v = w.echoed(v, false)
	}
	w.write(s, &flow{from: Literal, val: v})
	return worlds{s}
}

// echoOptions are the letters that echo takes for options: dash knows only -n.
func (w *walker) echoOptions() string {
	if w.o.Dialect == POSIX {
		return "n"
	}
	return "neE"
}

// shown finds secrets of the caller's environment among words that are printed for all to
// see.
func (w *walker) shown(s *state, c *call) {
	if s.capture {
		return
	}
	for i, v := range c.args {
		if v.is(ofSecret) {
			h, _ := command.LookupHazard("secret.print")
			w.hazard(Hazard{Rule: h.Rule, Risk: h.Risk, Message: h.Message, Span: c.at(i)})
		}
	}
}

// joined returns words with a blank between them.
func joined(args []value) value {
	var v value
	for i, a := range args {
		// Beside what may be no word at all there may be no space either: that is a part of what is not known.
		if i > 0 && !a.vanishes() && !args[i-1].vanishes() {
			v = v.add(part{text: " "})
		}
		if a.patterned() {
			v = append(v, part{kind: open, why: "the names that a pattern matches", from: File})
			continue
		}
		for _, p := range a {
			if p.kind == active {
				p.kind = literal
			}
			p.many = false
			v = v.add(p)
		}
	}
	return v
}

func (w *walker) pwd(s *state, c *call) worlds {
	v := orUnknown(s.dir, "the working directory is not known").val
	w.write(s, &flow{from: Literal, val: append(append(value(nil), v...), part{text: "\n"})})
	return worlds{s}
}

func (w *walker) testWords(s *state, c *call) worlds {
	for i := range c.words {
		if i+1 < len(c.words) && (c.words[i].Text == "-v" || c.words[i].Text == "-R") {
			w.nameArg(s, c.args[i+1], c.at(i+1))
		}
		w.testedFiles(s, c, i)
	}
	return w.nothing(s, c)
}

// testedFiles are the names that an operator of test(1) looks at.
func (w *walker) testedFiles(s *state, c *call, i int) {
	switch op := c.words[i].Text; {
	case i+1 >= len(c.words):
	case op == "-nt" || op == "-ot" || op == "-ef":
		w.tested(s, c.args[i-1], c.at(i-1))
		w.tested(s, c.args[i+1], c.at(i+1))
	case len(op) == 2 && op[0] == '-' && strings.IndexByte("abcdefghkprsuwxGLNOS", op[1]) >= 0:
		switch before := c.words[i-1].Text; {
		case i == 1, before == "!", before == "(", before == "-a", before == "-o":
			w.tested(s, c.args[i+1], c.at(i+1))
		}
	}
}

// tested is a file that is looked at but not opened.
func (w *walker) tested(s *state, v value, span Span) {
	if name := w.name(s, v); name.Static || name.Glob || name.User != "" {
		w.effect(s, Effect{Right: command.Read, Flags: command.List, Name: name, Span: span})
	}
}

func (w *walker) evalWords(s *state, c *call) worlds {
	i := 1
	if len(c.words) > 1 && c.words[1].Text == "--" {
		i = 2
		if w.o.Dialect == POSIX { // the name of a program in dash
			defer w.havoc(s)
		}
	}
	v := joined(c.args[i:])
	w.suspect(v, "sh", c.gone, c.span)
	if text, ok := v.text(); ok && !slices.ContainsFunc(c.words, func(x Word) bool { return x.Glob }) {
		return w.eval(s, text, "eval")
	}
	from := codeSource(v)
	w.code(Code{Lang: "sh", Source: from, Span: c.span})
	if from != File || v.why() != whySettings {
		w.opaque(s, InCode, executed(from, &flow{why: v.word().Why}), c.span)
	}
	child := w.fork(s)
	w.partial(child, v, c.span)
	if from == File && v.why() == whySettings {
		w.lost(s)
	} else {
		w.havoc(s)
	}
	return worlds{s}
}

func (w *walker) source(s *state, c *call) worlds {
	i := 1
	if len(c.words) > 1 && c.words[1].Text == "--" {
		i = 2
	}
	if i >= len(c.args) {
		return worlds{s}
	}
	v := c.args[i]
	f := behind(v)
	if made := w.made(s, v); made != nil {
		f = &made.flow
	}
	if word := c.words[i]; word.Text == "/dev/stdin" || word.Text == "/dev/fd/0" {
		f = s.in
	}
	if f != nil {
		w.suspect(f.val, "sh", false, c.at(i))
	} else {
		w.suspect(v, "sh", false, c.at(i))
	}
	if f == nil {
		w.effect(s, Effect{Right: command.Read, Flags: command.Source, Name: w.name(s, v), Span: c.at(i)})
		w.code(Code{Lang: "sh", Source: File, Span: c.at(i)})
		if !c.words[i].Static {
			w.opaque(s, InCode, "which file is executed is not known", c.at(i))
		}
		if w.isSnapshot(c.words[i]) {
			return worlds{s}
		}
		// The file is named, and can do more than change names. It rarely changes the
		// directory; where it may, the names that depend on it are marked.
		s.open, s.env, s.own = true, nil, false
		if s.alias && (w.o.Dialect == Bash || w.o.Dialect == Bats) {
			w.opaque(s, InCode, "its aliases change what the lines after it mean", c.at(i))
		}
		if !onlySettings(c.words[i]) {
			s.adrift = c.words[i].Text
		}
		w.touched(s)
		return worlds{s}
	}
	if text, ok := f.whole(); ok {
		args, open := s.args, s.argsOpen
		if i+1 < len(c.args) {
			s.give(c.args[i+1:])
		}
		ws := w.eval(s, text, "source")
		for _, e := range ws {
			if i+1 < len(c.args) {
				e.args, e.argsOpen = args, open
			}
		}
		return ws
	}
	w.runs(s, f, "sh", c.at(i))
	w.havoc(s)
	return worlds{s}
}

// snapshots are where agent programs keep the functions, aliases and PATH of the person's own shell, below the home, to
// source them before each command. Nobody else writes there, and nothing but these is in them: what was known stays
// known.
var snapshots = []string{"/.claude/shell-snapshots/", "/.codex/shell_snapshots/"}

func (w *walker) isSnapshot(word Word) bool {
	home, known := w.o.Vars["HOME"]
	if !known {
		home = w.o.Home
	}
	return word.Static && strings.HasPrefix(home, "/") && slices.ContainsFunc(snapshots, func(dir string) bool {
		name, below := strings.CutPrefix(word.Text, strings.TrimRight(home, "/")+dir)
		return below && strings.HasSuffix(name, ".sh") && !strings.Contains(name, "/")
	})
}

// onlySettings reports whether a file is by its name one that sets variables for the shell
// which reads it, and by custom nothing else: those of a virtual environment, of a login
// shell and of version managers.
func onlySettings(word Word) bool {
	if !word.Static && word.Text == "" {
		return false
	}
	name := base(word.Text)
	switch name {
	case "activate", "env", "profile", "bashrc", "os-release", "lsb-release", "nvm.sh", "asdf.sh", "sdkman-init.sh", "conda.sh", "bash_completion", "emsdk_env.sh":
		return true
	}
	return strings.HasPrefix(name, ".") && strings.Trim(name, ".") != "" || strings.HasSuffix(name, ".env")
}

func (w *walker) exec(s *state, c *call) worlds {
	_, _, i := c.options("a")
	if i >= len(c.args) {
		s.keepIO = true
		return worlds{s}
	}
	return w.under(s, c, i, true)
}

// under runs the rest of the words as a command of its own.
func (w *walker) under(s *state, c *call, i int, program bool) worlds {
	defer func(via []string) { w.via = via }(w.via)
	w.via = append(slices.Clip(w.via), c.words[0].Text)
	sub := w.sub(c, i)
	sub.program, sub.noFunction = program, true
	return w.invoke(s, sub)
}

func (w *walker) commandWords(s *state, c *call) worlds {
	letters, _, i := c.options("")
	if strings.ContainsAny(letters, "vV") {
		w.write(s, &flow{from: Unknown, why: "where a program is found"})
		return worlds{s}
	}
	if i >= len(c.args) {
		return worlds{s}
	}
	return w.under(s, c, i, w.o.Dialect == Zsh && c.words[0].Text == "command")
}
