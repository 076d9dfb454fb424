package screen

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxSequence = 256     // real ones stay below 100 bytes
	maxTitle    = 4 << 10 // of an OSC that is kept
	maxString   = 1 << 20 // of any string: images in sixels come as one
)

// Write draws p. It accepts everything and never fails; sequences and characters may be split
// anywhere between two calls.
func (s *Screen) Write(p []byte) (int, error) {
	n := len(p)
	for len(p) > 0 {
		switch q := &s.parser; {
		case q.state != ground:
			s.control(p[0])
			p = p[1:]
		case q.parts > 0 || p[0] >= utf8.RuneSelf:
			p = s.character(p)
		case p[0] < ' ' || p[0] == 0x7f:
			s.control(p[0])
			p = p[1:]
		default:
			i := 1
			for i < len(p) && p[i] >= ' ' && p[i] < 0x7f {
				i++
			}
			s.ascii(p[:i])
			p = p[i:]
		}
	}
	return n, nil
}

// character takes one character that is not ASCII, or the part of it that is there.
func (s *Screen) character(p []byte) (rest []byte) {
	q := &s.parser
	if q.parts == 0 {
		if r, n := utf8.DecodeRune(p); n > 1 {
			s.put(r)
			return p[n:]
		}
	}
	if q.parts > 0 && utf8.RuneStart(p[0]) || q.parts == 0 && !utf8.RuneStart(p[0]) {
		q.parts = 0
		s.put(utf8.RuneError)
		if utf8.RuneStart(p[0]) {
			return p // it begins something else
		}
		return p[1:]
	}
	q.part[q.parts] = p[0]
	q.parts++
	if utf8.FullRune(q.part[:q.parts]) {
		r, _ := utf8.DecodeRune(q.part[:q.parts])
		q.parts = 0
		s.put(r)
	}
	return p[1:]
}

// control takes one byte that is not text.
func (s *Screen) control(c byte) {
	q := &s.parser
	switch q.state {
	case ground:
		s.c0(c)
	case escape, csi:
		s.sequence(c)
	case osc, ignored:
		s.inString(c)
	case oscEsc, ignoreEsc:
		ended := q.state
		q.state = ground
		if ended == oscEsc {
			s.command(string(q.text))
		}
		if c != '\\' { // not ST: the ESC ended the string all the same, and begins this
			q.begin(escape)
			s.control(c)
		}
	}
}

func (s *Screen) c0(c byte) {
	switch c {
	case 0x1b:
		s.parser.begin(escape)
	case '\b':
		s.pen.x, s.pen.wrap = max(0, s.pen.x-1), false
	case '\t':
		s.tab(1)
	case '\n', '\v', '\f':
		s.lineFeed()
		if s.mode.newline {
			s.pen.x = 0
		}
	case '\r':
		s.pen.x, s.pen.wrap = 0, false
	case 0x0e, 0x0f: // SO, SI
		s.pen.shift = 0x0f - c
	}
}

// sequence takes the bytes after ESC, or ESC [.
func (s *Screen) sequence(c byte) {
	q := &s.parser
	switch {
	case c == 0x1b:
		q.begin(escape)
	case c == 0x18 || c == 0x1a: // CAN, SUB
		q.state = ground
	case c < ' ':
		s.c0(c) // executed at once, as a terminal does
	case c == 0x7f:
	case c >= utf8.RuneSelf:
		q.state = ground
		s.Write([]byte{c})
	case q.state == csi && c < '@', q.state == escape && c < '0':
		if len(q.text) < maxSequence {
			q.text = append(q.text, c)
		}
	case q.state == csi:
		q.state = ground
		s.dispatchCSI(c)
	default:
		s.dispatchESC(c)
	}
}

// inString takes the bytes of an OSC, DCS, SOS, PM or APC.
func (s *Screen) inString(c byte) {
	q := &s.parser
	q.n++
	switch {
	case c == 0x1b:
		q.state += oscEsc - osc
	case c == 0x07 || q.n > maxString:
		kept := q.state == osc
		q.state = ground
		if kept {
			s.command(string(q.text))
		}
	case c == 0x18 || c == 0x1a:
		q.state = ground
	case q.state == osc && len(q.text) < maxTitle:
		q.text = append(q.text, c)
	}
}

// command is an OSC. Only 0 and 2, the title, affect nothing beyond the picture.
func (s *Screen) command(text string) {
	if s.Told != nil {
		s.Told(text)
	}
	n, title, ok := strings.Cut(text, ";")
	if !ok || n != "0" && n != "2" {
		return
	}
	title = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(title, "\ufffd"))
	if r := []rune(title); len(r) > 256 {
		title = string(r[:256])
	}
	s.title = title
}

// escapes are the sequences of two bytes.
var escapes = [256]func(*Screen){
	'7': (*Screen).save,
	'=': func(s *Screen) { s.setKeys(66, true) },
	'>': func(s *Screen) { s.setKeys(66, false) },
	'8': (*Screen).restore,
	'D': (*Screen).lineFeed,
	'E': func(s *Screen) { s.lineFeed(); s.pen.x = 0 },
	'H': func(s *Screen) { s.tabs[s.pen.x] = true },
	'M': (*Screen).reverseFeed,
	'c': (*Screen).reset,
	'[': func(s *Screen) { s.parser.begin(csi) },
	']': func(s *Screen) { s.parser.begin(osc) },
	'P': func(s *Screen) { s.parser.begin(ignored) },
	'X': func(s *Screen) { s.parser.begin(ignored) },
	'^': func(s *Screen) { s.parser.begin(ignored) },
	'_': func(s *Screen) { s.parser.begin(ignored) },
}

func (s *Screen) dispatchESC(c byte) {
	s.parser.state = ground
	switch inter := string(s.parser.text); {
	case inter == "":
		if f := escapes[c]; f != nil {
			f(s)
		}
	case inter == "(" || inter == ")":
		s.pen.graphic[inter[0]-'('] = c == '0'
	case inter == "#" && c == '8':
		s.align()
	}
}
