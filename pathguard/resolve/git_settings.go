package resolve

import "strings"

// A gitSetting is one value of git's settings (git-config(1)).
type gitSetting struct{ section, name, key, value string }

// gitSettings reads a file of settings as git does, byte by byte; ok is false where git would
// refuse it, because then nothing of it is in force.
func gitSettings(text string) (list []gitSetting, ok bool) {
	s := gitScanner{rest: strings.TrimPrefix(text, "\ufeff")}
	section, name := "", ""
	for {
		switch c, more := s.next(); {
		case !more:
			return list, true
		case isGitSpace(c):
		case c == '#' || c == ';':
			s.line()
		case c == '[':
			if section, name, ok = s.header(); !ok {
				return list, false
			}
		default:
			key, value, ok := s.setting(c)
			if !ok {
				return list, false
			}
			list = append(list, gitSetting{section, name, key, value})
		}
	}
}

// A gitScanner is what is left of a file of settings.
type gitScanner struct{ rest string }

// next is the next character; a carriage return before a line feed is none, and the end of the file
// is the end of a line.
func (s *gitScanner) next() (c byte, more bool) {
	if strings.HasPrefix(s.rest, "\r\n") {
		s.rest = s.rest[1:]
	}
	if s.rest == "" {
		return '\n', false
	}
	c, s.rest = s.rest[0], s.rest[1:]
	return c, true
}

// line skips the rest of a line. No backslash continues a comment.
func (s *gitScanner) line() {
	if _, after, found := strings.Cut(s.rest, "\n"); found {
		s.rest = after
		return
	}
	s.rest = ""
}

func isGitSpace(c byte) bool { return strings.IndexByte(" \t\n\r", c) >= 0 }

func isGitKey(c byte) bool {
	return c == '-' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// header is the name of a section, behind its bracket: section, section "name", section.name.
func (s *gitScanner) header() (section, name string, ok bool) {
	var b strings.Builder
	for {
		c, _ := s.next()
		section, name, dotted := strings.Cut(b.String(), ".")
		switch {
		case c == '\n':
			return "", "", false
		case c == ']':
			return section, name, section != "" && (name != "") == dotted
		case isGitSpace(c):
			sub, ok := s.subsection()
			if dotted {
				sub = name + "." + sub
			}
			return section, sub, ok && section != "" && (name != "") == dotted
		case !isGitKey(c) && c != '.':
			return "", "", false
		}
		b.WriteString(strings.ToLower(string(c)))
	}
}

// subsection is a name in quotes, and the bracket behind it.
func (s *gitScanner) subsection() (name string, ok bool) {
	s.rest = strings.TrimLeft(s.rest, " \t\r")
	if c, _ := s.next(); c != '"' {
		return "", false
	}
	var b strings.Builder
	for {
		c, _ := s.next()
		switch c {
		case '"':
			c, _ = s.next()
			return b.String(), c == ']' && b.Len() > 0
		case '\\':
			c, _ = s.next()
		}
		if c == '\n' {
			return "", false
		}
		b.WriteByte(c)
	}
}

// setting is a key that begins with a letter, and its value.
func (s *gitScanner) setting(first byte) (key, value string, ok bool) {
	if !isGitKey(first) || first == '-' || first >= '0' && first <= '9' {
		return "", "", false
	}
	end := 0
	for end < len(s.rest) && isGitKey(s.rest[end]) {
		end++
	}
	key = strings.ToLower(string(first) + s.rest[:end])
	s.rest = strings.TrimLeft(s.rest[end:], " \t")
	switch c, _ := s.next(); c {
	case '\n': // a switch that is on
		return key, "", true
	case '=':
		value, ok = s.value()
		return key, value, ok
	}
	return "", "", false
}

// value is what follows "=": blanks at both ends are left out, and in quotes nothing is.
func (s *gitScanner) value() (value string, ok bool) {
	var b strings.Builder
	quoted, kept := false, 0 // how much of b is not blanks at the end
	for {
		c, _ := s.next()
		switch {
		case c == '\n':
			return b.String()[:kept], !quoted
		case !quoted && isGitSpace(c):
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		case !quoted && (c == '#' || c == ';'):
			s.line()
			return b.String()[:kept], true
		case c == '"':
			quoted = !quoted
			continue
		case c == '\\':
			var more bool
			if c, more = s.next(); c == '\n' && more {
				continue
			}
			at := strings.IndexByte(`tbn\"`, c)
			if at < 0 {
				return b.String()[:kept], !more && !quoted
			}
			c = "\t\b\n\\\""[at]
		}
		b.WriteByte(c)
		kept = b.Len()
	}
}
