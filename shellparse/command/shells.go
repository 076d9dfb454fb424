package command

import (
	"path"
	"slices"
	"strings"
)

// shellArgs are the arguments after the options of a shell: with -c the program text and its $0,
// $1, ...; else a script and its arguments; else the shell reads standard input. The parameter is
// the dialect when it is not sh's.
func (m *matcher) shellArgs(r role, vs []value) {
	lang := r.param
	if lang == "" {
		lang = "sh"
	}
	switch {
	case m.has("-c") && len(vs) > 0:
		n := Nested{Arg: vs[0].at, Args: words(vs[1:])}
		if lang == "sh" {
			n.Shell = &vs[0].Arg
		} else {
			n.Code = &Code{lang, vs[0].Arg}
		}
		m.nest(n)
	case m.has("-c"):
	case len(vs) == 0 || m.has("-s"):
		if !m.info {
			m.use.StdinCode = lang
		}
	case m.has("-n") && !m.has("+n"):
		// It is parsed and not executed, and no option but +n changes that.
		m.path(role{kind: "R"}, vs[0])
		m.use.Opaque = slices.DeleteFunc(m.use.Opaque,
			func(o Opaque) bool { return o.Arg == vs[0].at })
	default:
		m.source(role{param: lang}, vs[:1])
		m.handedOn(role{}, vs[1:])
	}
}

// flock is FILE CMD..., or FILE -c TEXT.
func (m *matcher) flock(_ role, vs []value) {
	if len(vs) == 0 {
		return
	}
	m.path(role{kind: "A"}, vs[0])
	if rest := vs[1:]; len(rest) > 1 && (rest[0].Text == "-c" || rest[0].Text == "--command") {
		m.shell(role{}, rest[1:2])
	} else {
		m.command(role{}, rest)
	}
}

func (m *matcher) setarch(_ role, vs []value) {
	if len(vs) > 0 && slices.Contains(list("architectures"), vs[0].Text) {
		vs = vs[1:]
	}
	m.command(role{}, vs)
}

// startStop puts the program of start-stop-daemon(8) in front of what follows "--".
func (m *matcher) startStop(_ role, vs []value) {
	var argv []Arg
	at := 0
	for _, g := range m.seen {
		if g.set && (g.has("-x") || len(argv) == 0 && g.has("-a")) {
			argv, at = []Arg{g.v.Arg}, g.v.at
		}
	}
	if argv != nil && m.has("-S") {
		m.nest(Nested{Argv: append(argv, words(vs)...), Arg: at})
	}
}

// tmux takes one word as text for a shell, and several as a command.
func (m *matcher) tmux(_ role, vs []value) {
	if len(vs) == 1 {
		m.shell(role{}, vs)
		return
	}
	m.command(role{}, vs)
}

// scriptFile is the transcript of script(1), with a command behind "--". Without one it
// starts a shell that reads standard input.
func (m *matcher) scriptFile(_ role, vs []value) {
	for i, v := range vs {
		if m.dashes > 0 && v.at > m.dashes {
			m.command(role{}, vs[i:])
			return
		}
		m.path(role{kind: "W"}, v)
	}
	if !m.has("-c") {
		m.use.StdinCode = "sh"
	}
}

// outputPipe is strace -o: a file, or a command behind | or !.
func (m *matcher) outputPipe(_ role, vs []value) {
	for _, v := range vs {
		if v.Text != "" && (v.Text[0] == '|' || v.Text[0] == '!') {
			shell := v.piece(1).Arg
			m.nest(Nested{Shell: &shell, Arg: v.at})
			continue
		}
		m.path(role{kind: "W"}, v)
	}
}

// toolVersions is `mise exec TOOL@VERSION... -- CMD`.
func (m *matcher) toolVersions(_ role, vs []value) {
	for i, v := range vs {
		if v.Text == "--" {
			m.command(role{}, vs[i+1:])
			return
		}
	}
	for len(vs) > 0 && strings.Contains(vs[0].Text, "@") {
		vs = vs[1:]
	}
	m.command(role{}, vs)
}

// parallel is CMD ::: ARG... :::: FILE... of GNU parallel, which joins the words and gives
// them to a shell. Without CMD the arguments themselves are the commands, and without any
// they come from standard input.
func (m *matcher) parallel(_ role, vs []value) {
	cut := slices.IndexFunc(vs, func(v value) bool { return strings.HasPrefix(v.Text, ":::") })
	head, rest := vs, []value(nil)
	if cut >= 0 {
		head, rest = vs[:cut], vs[cut:]
	}
	var inputs []value
	files, mode := m.has("-a"), ""
	for _, v := range rest {
		switch {
		case strings.HasPrefix(v.Text, ":::"):
			mode = v.Text
		case strings.HasPrefix(mode, "::::"):
			files = true
			m.path(role{kind: "R"}, v)
		default:
			inputs = append(inputs, v)
		}
	}
	if len(head) == 1 && head[0].Static && !strings.ContainsAny(head[0].Text, parallelShell) {
		head = nil
		for _, word := range split(vs[0].Arg) { // a shell would read the same words
			head = append(head, value{word, vs[0].at})
		}
	}
	switch {
	case len(head) == 0 && len(inputs) > 0:
		m.code(role{param: "sh"}, inputs)
	case len(head) == 0:
		m.use.StdinCode = "sh"
	case slices.ContainsFunc(head, func(v value) bool {
		return strings.ContainsAny(v.Text,
			" \t;|&<>()$`")
	}):
		m.shell(role{}, append(slices.Clone(head), inputs...))
	default:
		mark := ""
		if slices.ContainsFunc(head, func(v value) bool { return strings.Contains(v.Text, "{}") }) {
			mark = "{}"
		}
		m.nest(Nested{
			Argv: append(words(head), words(inputs)...), Arg: head[0].at,
			Stdin: cut < 0 || files, Replace: mark,
		})
	}
}

// parallelShell are characters that mean more to a shell than what cuts words apart.
const parallelShell = "\t\n;|&<>()$`\\\"'*?[~#!="

// onChange is PATTERN... -- CMD.
func (m *matcher) onChange(_ role, vs []value) {
	for i, v := range vs {
		if m.dashes > 0 && v.at > m.dashes {
			m.command(role{}, vs[i:])
			return
		}
		m.path(role{kind: "N"}, v)
	}
}

// crontab replaces the table of the account, by a file or by standard input.
func (m *matcher) crontab(_ role, vs []value) {
	at := 0
	for _, v := range vs {
		at = v.at
		m.path(role{kind: "R"}, v)
	}
	m.hazard("schedule.job", at)
}

// bashArgs are words for bash, behind "--" alone (capsh).
func (m *matcher) bashArgs(_ role, vs []value) {
	if m.dashes > 0 {
		m.nest(Nested{Argv: append([]Arg{{Text: "bash", Static: true}}, words(vs)...),
			Arg: m.dashes})
	}
}

// chroot is DIR CMD... The root of this system is no other.
func (m *matcher) chroot(_ role, vs []value) {
	if len(vs) > 1 {
		m.elsewhere(path.Clean(vs[0].Text) != "/", vs[1:])
	}
}

// machineShell is [USER@]MACHINE CMD...; a dot means this machine.
func (m *matcher) machineShell(_ role, vs []value) {
	if len(vs) > 1 {
		name := vs[0].Text[strings.LastIndexByte(vs[0].Text, '@')+1:]
		m.elsewhere(name != "" && name != "." && name != ".host", vs[1:])
	}
}

func (m *matcher) elsewhere(remote bool, vs []value) {
	r := role{}
	if remote {
		r.marks = []string{"remote"}
	}
	m.command(r, vs)
}
