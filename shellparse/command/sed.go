package command

import "strings"

// sed reads a program of sed(1) for the commands that leave the stream: r R w W read and
// write files, e and the e flag of s run a shell.
func (m *matcher) sed(_ role, vs []value) {
	for _, v := range vs {
		if v.Like != "" {
			v.Arg = Arg{Text: v.Like, Static: true} // the numbers are addresses of lines
		}
		s := sedScanner{m: m, v: v, text: v.Text}
		for s.at < len(s.text) {
			s.address()
			s.command()
		}
		if !v.Static && !s.inData {
			m.opaque(v, Exec, "the sed program is not known")
		}
	}
}

type sedScanner struct {
	m      *matcher
	v      value
	text   string
	at     int
	inData bool // the text ended inside a pattern, a replacement or a line of text
}

// next returns the byte at the cursor and moves on; 0 at the end.
func (s *sedScanner) next() byte {
	if s.at >= len(s.text) {
		return 0
	}
	s.at++
	return s.text[s.at-1]
}

func (s *sedScanner) skip(set string) {
	for s.at < len(s.text) && strings.IndexByte(set, s.text[s.at]) >= 0 {
		s.at++
	}
}

// address skips what selects lines: 1,3 $ /re/I 0~4 \,re, +2 !
func (s *sedScanner) address() {
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case strings.IndexByte(" \t\n;,!$~+0123456789{}IM", c) >= 0:
			s.at++
		case c == '/':
			s.at++
			s.delimited('/')
		case c == '\\' && s.at+1 < len(s.text):
			s.at += 2
			s.delimited(s.text[s.at-1])
		default:
			return
		}
	}
}

// delimited moves behind the next delimiter that no backslash or bracket hides.
func (s *sedScanner) delimited(end byte) {
	for s.at < len(s.text) {
		switch c := s.next(); c {
		case '\\':
			s.at++
		case end:
			return
		}
	}
	s.inData = true
}

// parts moves behind both parts of s or y; false where what separates them is not known.
func (s *sedScanner) parts() bool {
	end := s.next()
	if end == 0 {
		return false
	}
	s.delimited(end)
	s.delimited(end)
	return true
}

// line returns the rest of the line, which is the argument of the command, and moves on.
func (s *sedScanner) line() value {
	s.skip(" \t")
	from := s.at
	nl := strings.IndexByte(s.text[from:], '\n')
	v := s.v.piece(from)
	if nl < 0 {
		s.at = len(s.text)
		return v
	}
	s.at = from + nl + 1
	v.Text, v.Static = v.Text[:nl], true
	return v
}

func (s *sedScanner) command() {
	switch c := s.next(); c {
	case 's':
		if s.parts() && !s.inData {
			s.flags()
		}
	case 'y':
		s.parts()
	case 'w', 'W':
		s.file("W", s.line())
	case 'r', 'R':
		s.file("R", s.line())
	case 'e':
		s.run(s.line())
	case 'a', 'i', 'c':
		s.body()
	case '#', ':', 'b', 't', 'T', 'v':
		s.label(c == '#')
	}
}

// flags reads the flags after s///.
func (s *sedScanner) flags() {
	for s.at < len(s.text) {
		switch c := s.next(); {
		case c == 'w':
			s.file("W", s.line())
			return
		case c == 'e':
			s.m.hazard("code.from-data", s.v.at)
			s.m.opaque(s.v, Exec, "sed runs the line that s///e makes")
		case strings.IndexByte("gpiImM0123456789", c) < 0:
			s.at--
			return
		}
	}
}

func (s *sedScanner) file(kind string, v value) {
	if v.Text == "/dev/stdout" || v.Text == "/dev/stderr" || v.Text == "/dev/stdin" {
		return
	}
	s.m.path(role{kind: kind}, v)
}

func (s *sedScanner) run(v value) {
	if strings.TrimSpace(v.Text) == "" && v.Static {
		s.m.hazard("code.from-data", s.v.at)
		s.m.opaque(s.v, Exec, "sed runs the lines that it reads")
		return
	}
	s.m.nest(Nested{Via: "sed e", Shell: &v.Arg, Arg: v.at})
}

// body skips the text of a, i and c: lines that end in a backslash continue.
func (s *sedScanner) body() {
	for s.at < len(s.text) {
		switch s.next() {
		case '\\':
			s.at++
		case '\n':
			return
		}
	}
	s.inData = true
}

func (s *sedScanner) label(comment bool) {
	for s.at < len(s.text) {
		c := s.next()
		if c == '\n' || c == ';' && !comment {
			return
		}
	}
}
