package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// A tclWord is one word of a Tcl command.
type tclWord struct {
	text       string
	braced     bool
	known      bool // no variable or command substitution in it
	start, end int
}

// tclScanner reads Tcl and Expect, whose grammar is words: the rules of Tcl(n).
type tclScanner struct {
	lines
	pos    int
	shells bool // a program was spawned that executes what is sent to it
}

// tclDepth bounds braces inside braces: each level is read again by the level around it.
const tclDepth = 40

func scanTcl(src string, nesting int, spent *budget) ([]Fact, bool) {
	s := &tclScanner{lines: lines{src: src, nesting: nesting, spent: spent}}
	s.script(len(src), 0, false)
	return s.facts, s.opaque
}

// script reads commands up to the offset end, or up to the bracket that closes it.
func (s *tclScanner) script(end, depth int, bracket bool) {
	if depth > tclDepth {
		s.opaque = true
		s.pos = end
		return
	}
	var cmd []tclWord
	for s.pos < end {
		c := s.src[s.pos]
		switch {
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case c == '\\' && s.pos+1 < end && s.src[s.pos+1] == '\n':
			s.pos += 2
		case c == '\n' || c == ';':
			s.pos++
			s.command(cmd, depth)
			cmd = cmd[:0]
		case c == '#' && len(cmd) == 0:
			for s.pos < end && s.src[s.pos] != '\n' {
				if s.src[s.pos] == '\\' {
					s.pos++
				}
				s.pos++
			}
			s.pos = min(s.pos, end)
		case c == ']' && bracket:
			s.command(cmd, depth)
			s.pos++
			return
		default:
			cmd = append(cmd, s.word(end, depth, bracket))
		}
	}
	s.opaque = s.opaque || bracket
	s.command(cmd, depth)
}

func (s *tclScanner) word(end, depth int, bracket bool) tclWord {
	start := s.pos
	switch {
	case strings.HasPrefix(s.src[s.pos:end], "{*}") && s.pos+3 < end && !isSpace(s.src[s.pos+3]):
		s.pos += 3
		w := s.pieces(end, depth, false, bracket)
		w.known = false
		return w
	case s.src[s.pos] == '{':
		n := 0
		for ; s.pos < end; s.pos++ {
			switch s.src[s.pos] {
			case '\\':
				s.pos++
			case '{':
				n++
			case '}':
				n--
			}
			if n == 0 {
				s.pos++
				return tclWord{s.src[start+1 : s.pos-1], true, true, start, s.pos}
			}
		}
		s.pos = end
		s.opaque = true
		return tclWord{"", false, false, start, end}
	case s.src[s.pos] == '"':
		s.pos++
		w := s.pieces(end, depth, true, bracket)
		w.start = start
		return w
	}
	return s.pieces(end, depth, false, bracket)
}

// pieces reads a bare or quoted word with its substitutions.
func (s *tclScanner) pieces(end, depth int, quoted, bracket bool) tclWord {
	w := tclWord{known: true, start: s.pos}
	var b strings.Builder
	for s.pos < end {
		c := s.src[s.pos]
		switch {
		case quoted && c == '"':
			s.pos++
			w.text, w.end = b.String(), s.pos
			return w
		case !quoted && (isSpace(c) || c == ';' || c == ']' && bracket) && s.pos > w.start:
			w.text, w.end = b.String(), s.pos
			return w
		case c == '\\' && s.pos+1 < end:
			out, n, ok := decode(quoting{escapes: cEscapes}, s.src[s.pos:end])
			b.WriteString(out)
			w.known = w.known && ok
			s.pos += n
			continue
		case c == '[':
			w.known = false
			s.pos++
			s.script(end, depth+1, true)
			continue
		case c == '$':
			w.known = false
		}
		b.WriteByte(c)
		s.pos++
	}
	s.pos = min(s.pos, end)
	s.opaque = s.opaque || quoted
	w.text, w.end = b.String(), s.pos
	return w
}

// bodies reads the braced words of a command as scripts.
func (s *tclScanner) bodies(ws []tclWord, depth int) {
	pos := s.pos
	for _, w := range ws {
		if w.braced {
			s.pos = w.start + 1
			s.script(w.end-1, depth+1, false)
		}
	}
	s.pos = pos
}

// tclCommands are the commands that run scripts, start programs or reach files.
var tclCommands = [...]struct{ name, does string }{
	{"after", "eval"},
	{"apply", "bodies"},
	{"auto_execok", "pure"},
	{"catch", "bodies"},
	{"cd", "opaque"},
	{"dict", "bodies"},
	{"eval", "eval"},
	{"exec", "exec"},
	{"expect", "bodies"},
	{"expect_after", "bodies"},
	{"expect_before", "bodies"},
	{"file", "file"},
	{"for", "bodies"},
	{"foreach", "bodies"},
	{"glob", "list"},
	{"http::geturl", "url"},
	{"if", "bodies"},
	{"interact", "bodies"},
	{"interp", "opaque"},
	{"lmap", "bodies"},
	{"load", "opaque"},
	{"log_file", "log"},
	{"namespace", "bodies"},
	{"open", "open"},
	{"proc", "bodies"},
	{"rename", "opaque"},
	{"send", "send"},
	{"socket", "socket"},
	{"source", "source"},
	{"spawn", "spawn"},
	{"subst", "opaque"},
	{"switch", "bodies"},
	{"system", "system"},
	{"time", "bodies"},
	{"trace", "opaque"},
	{"try", "bodies"},
	{"unknown", "opaque"},
	{"uplevel", "eval"},
	{"while", "bodies"},
}

func (s *tclScanner) command(ws []tclWord, depth int) {
	if len(ws) == 0 {
		return
	}
	head, args := ws[0], ws[1:]
	if !head.known {
		s.opaque = true // the command is computed
		return
	}
	name := strings.TrimPrefix(head.text, "::")
	for _, r := range tclCommands {
		if r.name == name {
			s.does(r.does, args, depth, head.start, ws[len(ws)-1].end)
			return
		}
	}
}

func (s *tclScanner) does(what string, args []tclWord, depth, start, end int) {
	switch what {
	case "bodies":
		s.bodies(args, depth)
	case "eval":
		s.eval(args, depth, start, end)
	case "opaque":
		s.opaque = true
	case "exec":
		s.exec(args, start, end)
	case "spawn":
		s.spawn(args, start, end)
	case "system":
		if line, ok := tclJoin(args); ok {
			s.shell(line, start, end)
		} else {
			s.opaque = true
		}
	case "send":
		s.send(args, start, end)
	case "open":
		s.open(args, start, end)
	case "file":
		s.fileCommand(args)
	case "source":
		s.each(args, command.Read, command.Source)
	case "list":
		s.each(args, command.Read, command.List)
	case "log":
		s.each(args, command.Write, 0)
	case "url":
		s.url(args, start, end)
	case "socket":
		s.socket(args, start, end)
	}
}

// tclJoin joins words with blanks, as eval does.
func tclJoin(ws []tclWord) (string, bool) {
	words := make([]string, len(ws))
	for i, w := range ws {
		if !w.known {
			return "", false
		}
		words[i] = w.text
	}
	return strings.Join(words, " "), true
}

func (s *tclScanner) eval(args []tclWord, depth, start, end int) {
	if len(args) > 1 && args[0].known && args[0].text != "" && isDigit(strings.TrimLeft(args[0].text, "#")[:1][0]) {
		args = args[1:] // a level, or a delay
	}
	if len(args) == 1 && args[0].braced {
		s.bodies(args, depth)
		return
	}
	line, ok := tclJoin(args)
	if !ok {
		s.opaque = true
		return
	}
	s.program("tcl", line, start, end)
}

// each touches every word that is not an option.
func (s *tclScanner) each(ws []tclWord, right command.Right, flags command.Flags) {
	for _, w := range ws {
		switch {
		case !w.known:
			s.opaque = s.opaque || right != command.Read || flags&command.Source != 0
		case strings.HasPrefix(w.text, "-"):
		default:
			s.file(right, flags, w.text, w.start, w.end)
		}
	}
}

// exec is a pipeline: words, redirections and bars.
func (s *tclScanner) exec(ws []tclWord, start, end int) {
	var argv []string
	for i := 0; i < len(ws); i++ {
		w := ws[i]
		bare := w.text
		if w.braced {
			bare = ""
		}
		switch {
		case !w.known:
			s.opaque = true
			if len(argv) > 0 {
				s.add(Fact{Right: command.Exec, Text: argv[0]}, start, end)
			}
			return
		case len(argv) == 0 && oneOf(bare, "-keepnewline", "-ignorestderr", "--"):
		case oneOf(bare, "|", "|&"):
			if len(argv) > 0 {
				s.add(Fact{Right: command.Exec, Argv: argv}, start, end)
			}
			argv = nil
		case strings.HasPrefix(bare, ">") || strings.HasPrefix(bare, "2>") || strings.HasPrefix(bare, "<") && bare != "<<":
			right, name := command.Write, strings.TrimLeft(bare, "2>&")
			if bare[0] == '<' {
				right, name = command.Read, strings.TrimLeft(bare, "<")
			}
			if name == "" && i+1 < len(ws) {
				i++
				name = ws[i].text
				s.opaque = s.opaque || !ws[i].known
			}
			if !strings.HasPrefix(name, "@") {
				s.file(right, 0, name, w.start, w.end)
			}
		case bare == "&" && i == len(ws)-1:
		default:
			argv = append(argv, w.text)
		}
	}
	if len(argv) > 0 {
		s.add(Fact{Right: command.Exec, Argv: argv}, start, end)
	}
}

func (s *tclScanner) spawn(ws []tclWord, start, end int) {
	for len(ws) > 0 && strings.HasPrefix(ws[0].text, "-") {
		ws = ws[1:]
	}
	var argv []string
	for _, w := range ws {
		if !w.known {
			s.opaque, s.shells = true, true
			return
		}
		argv = append(argv, w.text)
	}
	if len(argv) == 0 {
		return
	}
	name := argv[0][strings.LastIndexByte(argv[0], '/')+1:]
	s.shells = s.shells || oneOf(name, "sh", "bash", "dash", "zsh", "ksh", "ssh", "su", "sudo", "telnet", "docker", "env")
	s.add(Fact{Right: command.Exec, Argv: argv}, start, end)
}

// send types text into the spawned program; into a shell it is a command line.
func (s *tclScanner) send(ws []tclWord, start, end int) {
	if !s.shells || len(ws) == 0 {
		return
	}
	if w := ws[len(ws)-1]; w.known {
		s.shell(strings.ReplaceAll(w.text, "\r", "\n"), start, end)
	} else {
		s.opaque = true
	}
}

// open is open name ?access?, and open "|command".
func (s *tclScanner) open(ws []tclWord, start, end int) {
	if len(ws) == 0 {
		return
	}
	access := "r"
	if len(ws) > 1 {
		access = ws[1].text
	}
	switch name := ws[0]; {
	case !name.known:
		s.opaque = true // it may start with a bar
	case strings.HasPrefix(name.text, "|"):
		s.shell(name.text[1:], start, end)
	case strings.ContainsAny(access, "wa+W$"):
		s.file(command.Write, 0, name.text, start, end)
	default:
		s.file(command.Read, 0, name.text, start, end)
	}
}

func (s *tclScanner) url(ws []tclWord, start, end int) {
	if len(ws) == 0 || !ws[0].known {
		s.opaque = true
		return
	}
	f := Fact{Right: command.Net, Text: ws[0].text}
	for _, w := range ws[1:] {
		if strings.HasPrefix(w.text, "-query") {
			f.Flags = command.Upload
		}
	}
	s.add(f, start, end)
}

func (s *tclScanner) socket(ws []tclWord, start, end int) {
	n := len(ws)
	if n < 2 || !ws[n-1].known || !ws[n-2].known || ws[0].text == "-server" {
		s.opaque = true
		return
	}
	s.add(Fact{Right: command.Net, Flags: command.Upload, Text: ws[n-2].text + ":" + ws[n-1].text}, start, end)
}

func (s *tclScanner) fileCommand(ws []tclWord) {
	if len(ws) == 0 {
		return
	}
	verb := ws[0]
	if !verb.known {
		s.opaque = true
		return
	}
	var operands []tclWord
	for _, w := range ws[1:] {
		if !strings.HasPrefix(w.text, "-") {
			operands = append(operands, w)
		}
	}
	last := max(len(operands)-1, 0)
	switch verb.text {
	case "delete":
		s.each(operands, command.Delete, command.Recursive)
	case "mkdir":
		s.each(operands, command.Create, 0)
	case "rename":
		s.each(operands[:last], command.Delete, command.Recursive)
		s.each(operands[last:], command.Write, command.Recursive)
	case "copy":
		s.each(operands[:last], command.Read, command.Recursive)
		s.each(operands[last:], command.Write, command.Recursive)
	case "link":
		s.each(operands[:min(1, len(operands))], command.Create, command.Link)
		s.each(operands[min(1, len(operands)):], command.Read, 0)
	case "attributes":
		if len(ws) > 3 && len(operands) > 0 {
			s.each(operands[:1], command.Write, command.Meta)
		}
	}
}
