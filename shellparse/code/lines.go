package code

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// lines collects the facts of the languages that are lists of commands.
type lines struct {
	src     string
	facts   []Fact
	opaque  bool
	nesting int
	spent   *budget
}

func (s *lines) add(f Fact, start, end int) {
	f.Start, f.End = start, end
	s.facts = append(s.facts, f)
}

func (s *lines) file(right command.Right, flags command.Flags, name string, start, end int) {
	if name != "" {
		s.add(Fact{Right: right, Flags: flags, Text: name}, start, end)
	}
}

func (s *lines) shell(line string, start, end int) {
	if line = strings.TrimSpace(line); line != "" {
		s.add(Fact{Right: command.Exec, Shell: line}, start, end)
	}
}

// program reads text in another language.
func (s *lines) program(lang, text string, start, end int) {
	if !s.spent.take(len(text)) {
		s.opaque = true
		return
	}
	facts, opaque := scan(lang, text, s.nesting+1, s.spent)
	s.opaque = s.opaque || opaque
	for _, f := range facts {
		s.add(f, start, end)
	}
}

// eachLine calls f with every line that is not blank, and its offset.
func eachLine(src string, f func(line string, at int)) {
	for at := 0; at < len(src); {
		n := strings.IndexByte(src[at:], '\n')
		next := at + n + 1
		if n < 0 {
			n, next = len(src)-at, len(src)
		}
		line := src[at : at+n]
		trimmed := strings.TrimLeft(line, " \t")
		if t := strings.TrimRight(trimmed, " \t\r"); t != "" {
			f(t, at+len(line)-len(trimmed))
		}
		at = next
	}
}

func firstWord(s string) string {
	if f := strings.Fields(s); len(f) > 0 {
		return f[0]
	}
	return ""
}

// scanAppleScript reads AppleScript: `do shell script "..."`, and whether there is more
// than showing and computing.
func scanAppleScript(src string) ([]Fact, bool) {
	s := &lines{src: src}
	eachLine(src, func(line string, at int) {
		lower := strings.ToLower(line)
		end := at + len(line)
		if i := strings.Index(lower, "do shell script"); i >= 0 {
			lit, tail, ok := appleString(strings.TrimSpace(line[min(i+len("do shell script"), len(line)):]))
			if ok && !strings.HasPrefix(strings.TrimSpace(tail), "&") {
				s.shell(lit, at, end)
			} else {
				s.opaque = true
			}
			if strings.Contains(lower, "administrator privileges") {
				s.add(Fact{Rule: "code.privilege", Risk: 3, Message: "runs as the administrator"}, at, end)
			}
			return
		}
		switch firstWord(lower) {
		case "return", "log", "display", "--", "#", "get", "beep", "say", "delay", "count", "end", "if", "else":
		case "set":
			s.opaque = s.opaque || strings.Contains(lower, "tell ") || strings.Contains(lower, " read ")
		default:
			s.opaque = true
		}
	})
	return s.facts, s.opaque
}

// appleString reads a literal with \" and \\.
func appleString(s string) (value, rest string, ok bool) {
	if !strings.HasPrefix(s, `"`) {
		return "", s, false
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '\\' && i+1 < len(s):
			i++
			b.WriteByte(s[i])
		case s[i] == '"':
			return b.String(), s[i+1:], true
		default:
			b.WriteByte(s[i])
		}
	}
	return "", s, false
}
