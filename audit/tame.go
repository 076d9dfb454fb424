package audit

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A tame passes terminal output on without what could touch the viewer's
// terminal beyond its screen: a recording is text by whoever was recorded, and
// terminals obey text. Dropped are all strings (OSC 52 writes the clipboard,
// DCS can define keys, titles can be read back as typed input: CVE-2003-0063,
// CVE-2022-45063), all questions a terminal would answer on the viewer's
// keyboard (DA, DSR, DECRQM, ENQ), modes that change what keys send, printing,
// and the erasing of the viewer's scrollback. Only what is listed passes, so
// an unknown sequence is dropped too. C1 controls are dropped in both their
// spellings; what followed them is then plain text.
type tame struct {
	state tameState
	seq   []byte // of the sequence being read
	n     int    // bytes of the string being skipped
	used  bool   // some sequence passed: the screen needs a reset afterwards
	plain bool   // drop all sequences but those a line of text needs
}

type tameState int

const (
	ground     tameState = iota
	escape               // after ESC
	csi                  // after ESC [
	oscOrOther           // in a string, up to BEL or ST
	stringEsc            // ESC inside a string
)

// maxString is where a string without an end is taken for text again, so
// that one stray byte cannot hide the rest of a session.
const maxString = 64 << 10

// maxSequence bounds a control sequence; real ones stay below 100 bytes.
const maxSequence = 256

// append adds what may be shown of p to dst.
func (t *tame) append(dst, p []byte) []byte {
	for len(p) > 0 {
		if t.state == ground {
			n := 0
			for n < len(p) && p[n] >= ' ' && p[n] < 0x7f {
				n++
			}
			dst = append(dst, p[:n]...)
			p = p[n:]
			if len(p) == 0 {
				break
			}
			if p[0] >= utf8.RuneSelf {
				r, size := utf8.DecodeRune(p)
				if r > 0x9f {
					dst = utf8.AppendRune(dst, r)
				}
				p = p[size:]
				continue
			}
		}
		dst = t.control(dst, p[0])
		p = p[1:]
	}
	return dst
}

// control takes one byte that is not plain text in the present state.
func (t *tame) control(dst []byte, c byte) []byte {
	switch t.state {
	case ground:
		switch {
		case c == 0x1b:
			t.begin(escape)
		case strings.IndexByte("\t\n\v\f\r\b\x0e\x0f", c) >= 0:
			return append(dst, c)
		}
	case escape:
		return t.escaped(dst, c)
	case csi:
		return t.inCSI(dst, c)
	case oscOrOther, stringEsc:
		t.n++
		switch {
		case c == 0x07, c == 0x18, c == 0x1a, c == '\\' && t.state == stringEsc, t.n >= maxString:
			t.state = ground
		case c == 0x1b:
			t.state = stringEsc
		default:
			t.state = oscOrOther
		}
	}
	return dst
}

func (t *tame) begin(s tameState) {
	t.state, t.seq, t.n = s, t.seq[:0], 0
}

// escaped takes the bytes after ESC.
func (t *tame) escaped(dst []byte, c byte) []byte {
	switch {
	case c == 0x1b:
		t.begin(escape)
		return dst
	case len(t.seq) == 0 && c == '[':
		t.begin(csi)
		return dst
	case len(t.seq) == 0 && strings.IndexByte("]PX^_", c) >= 0:
		t.begin(oscOrOther)
		return dst
	case c >= ' ' && c <= '/' && len(t.seq) < 2:
		t.seq = append(t.seq, c)
		return dst
	}
	t.state = ground
	inter := string(t.seq)
	ok := inter == "" && strings.IndexByte("78DEHM=>", c) >= 0 ||
		(inter == "(" || inter == ")") && strings.IndexByte("0AB", c) >= 0
	if !ok || t.plain {
		return dst
	}
	t.used = true
	return append(append(append(dst, 0x1b), t.seq...), c)
}

// inCSI takes the bytes after ESC [.
func (t *tame) inCSI(dst []byte, c byte) []byte {
	switch {
	case c >= ' ' && c <= '?' && len(t.seq) < maxSequence:
		t.seq = append(t.seq, c)
		return dst
	case c == 0x1b:
		t.begin(escape)
		return dst
	}
	t.state = ground
	if c < '@' || c > '~' || !allowedCSI(t.seq, c) || t.plain && c != 'K' {
		return dst
	}
	t.used = true
	dst = append(dst, 0x1b, '[')
	return append(append(dst, t.seq...), c)
}

// privateModes are the DEC modes that only change the picture: reverse video,
// origin, wrap, cursor blink and visibility, and the alternate screens.
var privateModes = []string{"5", "6", "7", "12", "25", "47", "1047", "1048", "1049"}

// allowedCSI is the list of control sequences that only draw.
func allowedCSI(params []byte, final byte) bool {
	for _, c := range params {
		if c < '0' {
			return false // intermediates: reports, resets, rectangles
		}
	}
	private := len(params) > 0 && params[0] >= '<'
	if private && params[0] != '?' {
		return false
	}
	p := strings.FieldsFunc(string(bytes.TrimPrefix(params, []byte("?"))), func(r rune) bool { return r == ';' || r == ':' })
	for _, n := range p {
		// A count in the millions would keep the viewer's terminal busy for hours.
		if v, err := strconv.Atoi(n); err != nil || v > 9999 {
			return false
		}
	}
	switch {
	case final == 'J':
		return len(p) == 0 || p[0] != "3" // 3 erases the viewer's own scrollback
	case private && (final == 'h' || final == 'l'):
		for _, mode := range p {
			if !slices.Contains(privateModes, mode) {
				return false
			}
		}
		return len(p) > 0
	case private:
		return final == 'K'
	case final == 'h' || final == 'l':
		return len(p) == 1 && p[0] == "4" // insert mode; 2 would lock the keyboard
	}
	return strings.IndexByte("@ABCDEFGHIKLMPSTXZ`abdefgmrsu", final) >= 0
}

// reset puts the viewer's terminal back after whatever was drawn: main
// screen, no attributes, cursor shown, whole screen scrolling, ASCII.
func (t *tame) reset() []byte {
	if !t.used {
		return nil
	}
	return []byte("\x1b[?1049l\x1b[!p\x1b[?7h\x1b[?25h\x1b[0m\x1b(B\x0f")
}
