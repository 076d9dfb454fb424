package command

import (
	"slices"
	"strconv"
	"strings"
)

// surroundings are what the marks of a role say of what it starts.
func (r role) surroundings() Surroundings {
	return Surroundings{Remote: slices.Contains(r.marks, "remote")}
}

func (m *matcher) nest(n Nested) {
	if len(n.Argv) == 0 && n.Shell == nil && n.Code == nil {
		m.use.Opaque = append(m.use.Opaque, Opaque{Arg: n.Arg, Right: Exec,
			Why: "a program without a name"})
		return
	}
	if n.Via == "" {
		n.Via = m.spec.Name
	}
	m.use.Nested = append(m.use.Nested, n)
}

func words(vs []value) []Arg {
	out := make([]Arg, len(vs))
	for i, v := range vs {
		out[i] = v.Arg
	}
	return out
}

// command is a command in words of its own, up to the end of the line.
func (m *matcher) command(r role, vs []value) {
	if r.param == "assign" {
		// env(1): a lone dash implies -i.
		if len(vs) > 0 && vs[0].Text == "-" {
			m.use.Clear = true
			vs = vs[1:]
		}
		// env(1) and sudo(8) take NAME=value up to the first word without "=".
		for len(vs) > 0 && strings.Contains(vs[0].Text, "=") {
			m.assign(r, vs[:1])
			vs = vs[1:]
		}
	}
	if len(vs) > 1 && vs[0].Static && vs[0].Text == "--" {
		vs = vs[1:] // kubectl exec POD -- CMD, npm explore PKG -- CMD
	}
	if len(vs) == 0 {
		return
	}
	if r.param == "tail" {
		// Words that look like options belong to the command as well.
		vs = append(vs[:1:1], m.from(vs[0].at+1)...)
	}
	n := Nested{Argv: words(vs), Arg: vs[0].at, Stdin: r.param == "stdin"}
	n.Surroundings = r.surroundings()
	if n.Stdin {
		if base(n.Argv[0].Text) == "kill" {
			// Numbers that a listing prints are not those of jobs that this shell started.
			m.hazard("proc.kill", n.Arg)
		}
		n.Replace = m.replace()
		m.input(&n)
	}
	m.nest(n)
}

// input is how xargs(1) cuts its operands apart, and where they come from.
func (m *matcher) input(n *Nested) {
	for _, g := range m.seen {
		switch {
		case g.option.has("-0"):
			n.Delim = "\x00"
		case !g.set:
		case g.option.has("-d"):
			n.Delim = delimiters.Replace(g.v.Text)
		case g.option.has("-n"), g.option.has("-L"):
			n.Max, _ = strconv.Atoi(g.v.Text)
		case g.option.has("-a"):
			file := g.v.Arg
			n.From, n.FromArg = &file, g.v.at
		}
	}
}

// delimiters are the escapes of xargs -d.
var delimiters = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\x00", `\r`, "\r")

// from returns the words from args[at] on.
func (m *matcher) from(at int) []value {
	var vs []value
	for ; at < len(m.args); at++ {
		vs = append(vs, value{m.args[at], at})
	}
	return vs
}

// replace is the string that xargs -I puts operands in the place of.
func (m *matcher) replace() string {
	mark := ""
	for _, g := range m.seen {
		switch {
		case g.option.has("-I"), g.option.has("--replace"):
			mark = "{}"
			if g.set && g.v.Text != "" {
				mark = g.v.Text
			}
		}
	}
	return mark
}

// shell is text for a shell. Several words are joined by blanks, as ssh(1) and watch(1) do.
func (m *matcher) shell(r role, vs []value) {
	if len(vs) == 0 {
		return
	}
	text := vs[0].Arg
	for _, v := range vs[1:] {
		if text.Static || text.Glob {
			text.Text += " " + v.Text
		}
		text.Static = text.Static && v.Static
		text.Glob = (text.Glob || v.Glob) && !text.Static
	}
	if r.param == "bang" {
		// A value that runs a program only behind a sign: strace -o '|cmd', git alias '!cmd'.
		rest, ok := strings.CutPrefix(text.Text, "!")
		if !ok {
			return
		}
		text.Text = rest
	}
	m.nest(Nested{Shell: &text, Arg: vs[0].at, Surroundings: r.surroundings()})
}

// code is program text in the language that the parameter names.
func (m *matcher) code(r role, vs []value) {
	for _, v := range vs {
		if r.param == "sh" {
			text := v.Arg
			m.nest(Nested{Shell: &text, Arg: v.at, Surroundings: r.surroundings()})
			continue
		}
		m.nest(Nested{Code: &Code{r.param, v.Arg}, Arg: v.at, Surroundings: r.surroundings()})
	}
}

// runner is program text, or the name of a file that is executed, as "rails runner" takes it.
func (m *matcher) runner(r role, vs []value) {
	for _, v := range vs {
		if v.Static && (v.Text == "-" || strings.HasSuffix(v.Text, ".rb") &&
			!strings.ContainsAny(v.Text, " \n\"'(")) {
			m.source(r, []value{v})
			continue
		}
		m.code(r, []value{v})
	}
}

// source is a file that is executed as the language of the parameter; "-" and no operand
// at all mean standard input.
func (m *matcher) source(r role, vs []value) {
	for _, v := range vs {
		if v.Static && (v.Text == "-" || v.Text == "/dev/stdin") {
			m.use.StdinCode = r.param
			continue
		}
		if scheme, _, ok := strings.Cut(v.Text, ":"); ok && remoteSource(scheme) {
			m.hazard("code.remote", v.at)
			m.url(role{kind: "URL", param: scheme}, []value{v})
			continue
		}
		if isFile(v.Text) {
			rest := v.Text[len("file:"):]
			if name, ok := strings.CutPrefix(rest, "//"); ok { // a host comes first
				rest = name[max(0, strings.IndexByte(name, '/')):]
			}
			v = v.piece(len(v.Text) - len(rest))
		}
		if !v.Static && !v.Glob && !v.Below {
			m.opaque(v, Exec, "which file is executed is not known")
		}
		m.touch(Read, Source, v, true)
		m.setup(r, v)
		m.projectScript(r, v)
	}
}

// isFile reports whether a text is a URL of a file of this machine.
func isFile(text string) bool {
	return len(text) > len("file:") && strings.EqualFold(text[:len("file:")], "file:")
}

// setup is the setup.py of a Python project, whose arguments can install or publish.
func (m *matcher) setup(r role, v value) {
	if r.param != "python" || base(v.Text) != "setup.py" {
		return
	}
	for at := v.at + 1; at < len(m.args); at++ {
		switch m.args[at].Text {
		case "install", "develop":
			m.hazard("pkg.install-global", at)
		case "upload", "register":
			m.hazard("pkg.publish", at)
		}
	}
}

// remoteSource reports whether deno(1) and bun(1) execute an address of this scheme like a file.
func remoteSource(scheme string) bool {
	return scheme == "http" || scheme == "https" || scheme == "npm" || scheme == "jsr"
}

// program is the name of a program, alone in its word or with arguments behind it. The
// parameter "file" adds an operand that only the run will tell.
func (m *matcher) program(r role, vs []value) {
	for _, v := range vs {
		if v.Static && v.Text == "" {
			continue
		}
		argv := split(v.Arg)
		if r.param == "file" {
			argv = append(argv, Arg{})
			if slices.Contains(list("dangerous"), base(argv[0].Text)) {
				m.hazard("code.from-data", v.at)
			}
		}
		m.nest(Nested{Argv: argv, Arg: v.at})
	}
}

// argv is a whole command line in one word, split at blanks without a shell (env -S). What
// follows it on the line are further words of the same command.
func (m *matcher) argv(r role, vs []value) {
	for _, v := range vs {
		argv := split(v.Arg)
		for len(argv) > 0 && r.param == "assign" && strings.Contains(argv[0].Text, "=") {
			m.assign(r, []value{{argv[0], v.at}})
			argv = argv[1:]
		}
		if r.param == "assign" {
			argv = append(argv, m.args[min(len(m.args), v.at+1):]...)
			m.skip = len(m.args)
			// env -S reads options in the word too.
			if len(argv) > 0 && strings.HasPrefix(argv[0].Text, "-") {
				argv = append([]Arg{{Text: m.spec.Name, Static: true}}, argv...)
			}
		}
		if len(argv) > 0 {
			m.nest(Nested{Argv: argv, Arg: v.at})
		}
	}
}

// Words cuts a text at blanks outside quotes, without a shell: the words of env -S and of
// the variables that hold options.
func Words(text string) []string {
	args := split(Arg{Text: text, Static: true})
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.Text
	}
	return out
}

// split cuts a word at blanks outside quotes. Of a word that is not known it returns one
// unknown word, because the unknown part could hold blanks.
func split(a Arg) []Arg {
	if !a.Static {
		return []Arg{a}
	}
	var out []Arg
	var word strings.Builder
	in, quote := false, byte(0)
	for i := 0; i < len(a.Text); i++ {
		c := a.Text[i]
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case c == '\\' && quote != '\'' && i+1 < len(a.Text):
			i++
			word.WriteByte(a.Text[i])
			in = true
		case quote == 0 && (c == '\'' || c == '"'):
			quote, in = c, true
		case quote == 0 && (c == ' ' || c == '\t' || c == '\n'):
			if in {
				out = append(out, Arg{Text: word.String(), Static: true})
				word.Reset()
				in = false
			}
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		out = append(out, Arg{Text: word.String(), Static: true})
	}
	return out
}

// scripts are programs of a project that an interpreter is given as its file, and that have
// an entry of their own: `python3 manage.py flush` is `manage.py flush`.
var scripts = []struct{ lang, name string }{
	{"php", "artisan"}, {"php", "console"}, {"python", "manage.py"}, {"ruby", "rails"},
}

// projectScript nests the words of such a script.
func (m *matcher) projectScript(r role, v value) {
	if v.Static && r.param == "javascript" && strings.Contains(v.Text, "node_modules/.bin/") {
		argv := append([]Arg{{Text: base(v.Text), Static: true}}, m.args[v.at+1:]...)
		m.nest(Nested{Via: m.spec.Name, Argv: argv, Arg: v.at})
	}
	for _, s := range scripts {
		if v.Static && s.lang == r.param && base(v.Text) == s.name {
			argv := append([]Arg{{Text: s.name, Static: true}}, m.args[v.at+1:]...)
			m.nest(Nested{Via: m.spec.Name, Argv: argv, Arg: v.at})
		}
	}
}
