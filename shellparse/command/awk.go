package command

import "strings"

// outside is no depth of parentheses: the cursor is in no print statement, and > compares.
const outside = -1 << 30

// awk reads a program of awk(1) for what leaves it: system(), pipes, redirections, getline
// from a file or a command, and the loading of other programs.
func (m *matcher) awk(_ role, vs []value) {
	for _, v := range vs {
		if v.Like != "" {
			v.Arg = Arg{Text: v.Like, Static: true}
		}
		if !v.Static {
			m.opaque(v, Exec, "the awk program is not known")
		}
		tokens := awkTokens(v.Text)
		held := m.awkAssigned(tokens)
		depth, printing := 0, outside
		for i, t := range tokens {
			switch {
			case t.string:
				m.awkName(v, tokens[:i], t.text)
			case t.is("(") || t.is("["):
				depth++
			case t.is(")") || t.is("]"):
				depth--
			case t.is(";") || t.is("}") || t.is("{") || t.is("\n"):
				printing = outside
			case t.is("print") || t.is("printf"):
				printing = depth
			case t.is("@"):
				m.awkLoad(v, tokens[i+1:])
			case t.is("system"):
				m.awkRun(v, held, tokens[i+1:])
			case t.is("|") || t.is("|&"):
				m.awkPipe(v, held, tokens, i)
			case t.is(">") && printing == depth:
				m.awkFile(v, held, tokens[i+1:], "W")
			case t.is(">>") && printing == depth:
				m.awkFile(v, held, tokens[i+1:], "A")
			case t.is("<") && i > 0 && getlineBefore(tokens[:i]):
				m.awkFile(v, held, tokens[i+1:], "R")
			}
		}
	}
}

// awkName is a literal that is passed on: the name of a file if it looks like one, for ARGV or for
// the reader of what is printed.
func (m *matcher) awkName(v value, before []awkToken, text string) {
	if len(before) == 0 || !strings.HasPrefix(text, "/") || strings.HasPrefix(text, "/inet") ||
		len(text) < 2 || strings.ContainsAny(text, " \n\\*<>") {
		return
	}
	if t := before[len(before)-1]; t.is("print") || t.is("printf") || t.is("=") || t.is(",") {
		m.touch(Read, Possible, value{Arg{Text: text, Static: true}, v.at}, true)
	}
}

// getlineBefore reports whether `<` redirects a getline: it follows the word, or the word and one
// variable.
func getlineBefore(tokens []awkToken) bool {
	for back := 1; back <= 3 && back <= len(tokens); back++ {
		if t := tokens[len(tokens)-back]; t.is("getline") {
			return true
		}
	}
	return false
}

// awkRun reads system("literal").
func (m *matcher) awkRun(v value, held awkHeld, tokens []awkToken) {
	if len(tokens) > 0 && tokens[0].is("(") {
		m.awkCommand(v, held, tokens[1:])
	}
}

func (m *matcher) awkCommand(v value, held awkHeld, tokens []awkToken) {
	if text, rest, ok := held.text(tokens); ok && ends(rest) {
		if strings.HasPrefix(text, "/inet") {
			m.awkFile(v, held, tokens, "W")
			return
		}
		m.nest(Nested{Via: m.spec.Name + " system", Shell: &Arg{Text: text, Static: true},
			Arg: v.at})
		return
	}
	m.hazard("code.from-data", v.at)
	m.opaque(v, Exec, "awk runs a command that it puts together")
}

// awkPipe reads `print | "cmd"` and `"cmd" | getline`.
func (m *matcher) awkPipe(v value, held awkHeld, tokens []awkToken, i int) {
	if i+1 < len(tokens) && tokens[i+1].is("getline") {
		whole := i < 2 || ends(tokens[i-2:i-1]) || tokens[i-2].is("{") || tokens[i-2].is("(") ||
			tokens[i-2].is("while")
		if i > 0 && whole {
			m.awkCommand(v, held, tokens[i-1:i])
			return
		}
		m.awkCommand(v, held, nil)
		return
	}
	m.awkCommand(v, held, tokens[i+1:])
}

// awkFile reads the name behind a redirection. gawk takes /inet/tcp/0/host/port for a
// connection.
func (m *matcher) awkFile(v value, held awkHeld, tokens []awkToken, kind string) {
	name, rest, ok := held.text(tokens)
	if !ok || !ends(rest) {
		right := Write
		if kind == "R" {
			right = Read
		}
		if right == Write && len(tokens) > 0 && tokens[0].is("ENVIRON") {
			right = Delete // a name from the environment is meant to be outside of what is read
		}
		m.opaque(v, right, "awk puts the name of a file together")
		return
	}
	if parts := strings.Split(name, "/"); len(parts) == 6 && strings.HasPrefix(name, "/inet") {
		h, port := hostPort(parts[4] + ":" + parts[5])
		m.addHost(Host{Scheme: "tcp", Host: h, Port: port, Static: true, Upload: true}, v)
		return
	}
	if name == "/dev/stderr" || name == "/dev/stdout" {
		return
	}
	m.path(role{kind: kind}, value{Arg{Text: name, Static: true}, v.at})
}

// awkLoad reads @load, @include and the indirect call @name().
func (m *matcher) awkLoad(v value, tokens []awkToken) {
	if len(tokens) > 1 && tokens[1].string && (tokens[0].is("include") || tokens[0].is("load")) {
		m.touch(Read, Source, value{Arg{Text: tokens[1].text, Static: true}, v.at}, true)
		return
	}
	m.opaque(v, Exec, "awk calls a function whose name it puts together")
}
