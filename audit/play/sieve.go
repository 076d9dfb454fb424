package play

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/audit"
)

// A Sieve sorts out the transcripts that cannot show a text.
type Sieve struct {
	want []byte
	all  bool // nothing is sorted out
	sieve
}

// NewSieve returns a Sieve for a text.
func NewSieve(text string) *Sieve {
	want := []byte(strings.Join(strings.Fields(text), ""))
	return &Sieve{want: want, all: len(want) == 0 || bytes.ContainsFunc(want,
		func(r rune) bool { return r < ' ' || r > '~' })}
}

// MayShow reports whether a line of what a person saw of a transcript can contain the text; false
// is certain. It reads the bytes of the transcript and neither draws nor proves, so it is some
// fifty times faster than Text, which knows. It is not to be called at the same time.
//
// It is false only where the text on the screen is the output in its order: plain lines, with
// colours. There the text must be in the output too. Blanks are left out of both, because a tab is
// shown as blanks, and so are characters beyond ASCII, because some are not shown.
func (v *Sieve) MayShow(transcript []byte) bool {
	if v.all {
		return true
	}
	s := &v.sieve
	*s = sieve{out: s.out[:0]}
	for first := true; len(transcript) > 0; first = false {
		line := transcript
		if i := bytes.IndexByte(line, '\n'); i >= 0 {
			line, transcript = line[:i], transcript[i+1:]
		} else {
			transcript = nil
		}
		if first {
			s.head(line)
			continue
		}
		if len(line) > 0 && line[0] == '#' {
			continue
		}
		if !s.event(line) {
			return true
		}
	}
	return s.state != plain || bytes.Contains(s.out, v.want)
}

// A sieve collects output as it is shown.
type sieve struct {
	out   []byte
	state sieveState
	cols  int  // of the screen
	pipe  bool // \n alone begins a line
	col   int  // where the cursor is at most
}

// A sieveState is where in the output the sieve is, also from one event to the next.
type sieveState int

const (
	plain    sieveState = iota
	carriage            // after \r
	escape              // after ESC
	colour              // in ESC [ ... m
)

// head takes the header.
func (s *sieve) head(line []byte) {
	_, rest, _ := bytes.Cut(line, []byte(`"cols":`))
	for _, c := range rest {
		if c < '0' || c > '9' || s.cols > 1<<20 {
			break
		}
		s.cols = s.cols*10 + int(c-'0')
	}
	_, tags, _ := bytes.Cut(line, []byte(`"tags":[`))
	tags, _, _ = bytes.Cut(tags, []byte("]"))
	s.pipe = bytes.Contains(tags, []byte(`"`+audit.TagPipe+`"`))
}

// event takes the line of an event; false if what it shows is not plain.
func (s *sieve) event(line []byte) bool {
	_, rest, ok := bytes.Cut(line, []byte(`,"`))
	if !ok || len(rest) < 6 || string(rest[1:4]) != `","` || !bytes.HasSuffix(rest, []byte(`"]`)) {
		return false
	}
	data := rest[4 : len(rest)-2]
	switch rest[0] {
	case audit.CodeOutput, audit.CodeStderr:
		return len(data) > 0 && s.output(data)
	case audit.CodeInput, audit.CodeStdin, audit.CodeMark, audit.CodeExit, audit.CodeSignal,
		audit.CodeTerm:
		return true
	}
	return false
}

// output takes the text of an event, as JSON has it.
func (s *sieve) output(data []byte) bool {
	for i := 0; i < len(data); i++ {
		if s.state == plain {
			i += s.letters(data[i:])
			if i == len(data) {
				break
			}
		}
		c := data[i]
		if c == '\\' {
			var n int
			if c, n = unescape(data[i:]); n == 0 {
				return false
			}
			i += n - 1
		}
		if !s.char(c) {
			return false
		}
	}
	return true
}

// letters takes the beginning of a text that is shown as it is, and returns its length.
func (s *sieve) letters(data []byte) (n int) {
	s.out = slices.Grow(s.out, len(data))
	out := s.out[len(s.out) : len(s.out)+len(data)]
	m := 0
	for n < len(data) {
		c := data[n]
		w := written[c]
		if w == 0 {
			break
		}
		out[m] = c
		m += int(w - 1) // a blank is overwritten
		n++
	}
	s.out = s.out[:len(s.out)+m]
	s.col += n
	return n
}

// written are the bytes that JSON spells as they are, and a terminal shows: 1 for a blank, 2 for
// others.
var written = func() (list [256]uint8) {
	for c := '!'; c <= '~'; c++ {
		list[c] = 2
	}
	list[' '], list['\\'] = 1, 0
	return list
}()

// unescape reads an escape of JSON. Characters beyond ASCII are returned as one byte that is not.
func unescape(b []byte) (c byte, n int) {
	if len(b) < 2 {
		return 0, 0
	}
	switch b[1] {
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case '"', '\\', '/':
		return b[1], 2
	case 'u':
		if len(b) < 6 {
			return 0, 0
		}
		v := 0
		for _, d := range b[2:6] {
			switch {
			case d >= '0' && d <= '9':
				v = v<<4 | int(d-'0')
			case d >= 'a' && d <= 'f':
				v = v<<4 | int(d-'a'+10)
			default:
				return 0, 0
			}
		}
		if v >= 0xa0 {
			v = 0xff
		}
		return byte(v), 6
	}
	return 0, 0
}

// char takes a byte of the output; false if it does more than to show it, or to end a line.
func (s *sieve) char(c byte) bool {
	switch s.state {
	case carriage:
		s.state, s.col = plain, 0
		if c == '\n' {
			s.out = append(s.out, c)
		}
		return c == '\n'
	case escape:
		s.state = colour
		return c == '['
	case colour:
		if c == 'm' {
			s.state = plain
			return true
		}
		return c >= '0' && c <= '9' || c == ';'
	}
	s.col++
	switch {
	case c > ' ' && c <= '~':
		s.out = append(s.out, c)
	case c == '\n':
		s.out = append(s.out, c)
		if s.pipe {
			s.col = 0
		}
	case c == '\t': // at the right margin it does not move, and what follows overwrites
		s.col += 7
		return s.col < s.cols
	case c == ' ' || c >= 0xc3: // characters up to U+009F begin with C2
	case c >= 0x80 && c < 0xc2: // the rest of a character
	case c == '\r':
		s.state = carriage
	case c == '\x1b':
		s.state = escape
	default:
		return false
	}
	return true
}
