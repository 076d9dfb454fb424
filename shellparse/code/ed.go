package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// scanEd reads the commands of ed(1): `!` runs a shell, `w`, `W`, `r`, `e` and `f` name files,
// and everything else changes the buffer. A file that only the command line of ed names is
// not a fact of the text.
func scanEd(src string, nesting int, spent *budget) ([]Fact, bool) {
	s := &lines{src: src, nesting: nesting, spent: spent}
	text := false // inside the lines that a, i and c insert
	eachLine(src, func(line string, at int) {
		if text {
			text = line != "."
			return
		}
		text = s.edLine(line, at)
	})
	return s.facts, s.opaque
}

// edLine reads one command and reports whether lines of text follow it.
func (s *lines) edLine(line string, at int) (text bool) {
	end := at + len(line)
	rest := edAddress(line)
	switch {
	case rest == "":
	case rest[0] == '!':
		s.shell(rest[1:], at, end)
	case strings.IndexByte("wWreEf", rest[0]) >= 0:
		s.edFile(rest, at, end)
	case strings.IndexByte("aic", rest[0]) >= 0 && strings.Trim(rest[1:], "pln") == "":
		return true
	case strings.IndexByte("gGvV", rest[0]) >= 0:
		s.edGlobal(rest, at)
	}
	return false
}

// edAddress drops the address of a command: numbers, marks and patterns.
func edAddress(line string) string {
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c >= '0' && c <= '9', strings.IndexByte(".,;$%+- \t^", c) >= 0:
		case c == '\'':
			i++
		case c == '/' || c == '?':
			next := strings.IndexByte(line[i+1:], c)
			if next < 0 {
				return ""
			}
			i += next + 1
		default:
			return line[i:]
		}
	}
	return ""
}

// edFile is w FILE, wq FILE, r FILE and their kin; behind "!" stands a command instead.
func (s *lines) edFile(line string, at, end int) {
	verb := line[0]
	name := strings.TrimSpace(strings.TrimLeft(line[1:], "qQ"))
	switch {
	case strings.HasPrefix(name, "!"):
		s.shell(name[1:], at, end)
	case verb == 'w' || verb == 'W':
		s.file(command.Write, 0, name, at, end)
	case verb == 'f' && name != "":
		s.opaque = true // what is written later goes to this name
	default:
		s.file(command.Read, 0, name, at, end)
	}
}

// edGlobal is g/RE/COMMAND.
func (s *lines) edGlobal(rest string, at int) {
	if len(rest) < 2 {
		return
	}
	sep := rest[1]
	next := strings.IndexByte(rest[2:], sep)
	if next < 0 {
		return
	}
	if body := strings.TrimLeft(rest[2+next+1:], " "); body != "" && strings.IndexByte("gGvV", body[0]) < 0 {
		s.edLine(body, at+len(rest)-len(body))
	}
}
