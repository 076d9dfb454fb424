package session

import "unicode/utf8"

// Keys that arrive as escape sequences, outside of Unicode.
const (
	keyEscape rune = utf8.MaxRune + 1 + iota
	keyUp
	keyDown
	keyPageUp
	keyPageDown
	keyHome
	keyEnd
)

// Control characters, as a terminal in raw mode delivers them.
const (
	ctrlC     = 0x03
	ctrlD     = 0x04
	backspace = 0x08
	tab       = 0x09
	ctrlU     = 0x15
	ctrlZ     = 0x1a
	escape    = 0x1b
	quit      = 0x1c // Ctrl-\
	del       = 0x7f
)

// sequences are the keys that mean something here, by what follows ESC [ or ESC O
// (xterm's ctlseqs; the numbered ones are VT220's). Every other sequence is ignored.
var sequences = [...]struct {
	text string
	key  rune
}{
	{"A", keyUp}, {"B", keyDown}, {"H", keyHome}, {"F", keyEnd},
	{"1~", keyHome}, {"4~", keyEnd}, {"5~", keyPageUp}, {"6~", keyPageDown},
	{"7~", keyHome}, {"8~", keyEnd},
}

// Bracketed paste: bytes in between are not keys that a person pressed.
const (
	pasteBegin = "200~"
	pasteEnd   = "201~"
)

// A decoder turns the bytes of a terminal into keys. It keeps what is incomplete: a
// sequence may arrive in pieces over a slow line.
type decoder struct {
	pending []byte
	paste   bool
}

// maxSequence is the longest sequence that is waited for; what is longer is no key.
const maxSequence = 32

// feed returns the keys that p completes.
func (d *decoder) feed(p []byte) (keys []rune) {
	d.pending = append(d.pending, p...)
	for len(d.pending) > 0 {
		key, n := d.next()
		if n == 0 {
			return keys
		}
		d.pending = d.pending[n:]
		if key != 0 && !d.paste {
			keys = append(keys, key)
		}
	}
	return keys
}

// waiting reports whether an escape sequence may have begun.
func (d *decoder) waiting() bool { return len(d.pending) > 0 && d.pending[0] == escape }

// expire says that nothing followed in time: an escape alone is the key Escape, anything
// else was no key.
func (d *decoder) expire() (keys []rune) {
	if len(d.pending) == 1 && d.waiting() && !d.paste {
		keys = []rune{keyEscape}
	}
	d.pending = nil
	return keys
}

// next takes one key from pending. n is 0 when more bytes are needed, key is 0 for what
// means nothing.
func (d *decoder) next() (key rune, n int) {
	if d.pending[0] != escape {
		if !utf8.FullRune(d.pending) {
			return 0, 0
		}
		r, n := utf8.DecodeRune(d.pending)
		if r == utf8.RuneError {
			r = 0
		}
		return r, n
	}
	if len(d.pending) == 1 {
		return 0, 0
	}
	if d.pending[1] == escape {
		return keyEscape, 1
	}
	if d.pending[1] != '[' && d.pending[1] != 'O' {
		return 0, 2 // Alt and a key
	}
	for i := 2; i < len(d.pending); i++ {
		if i >= maxSequence {
			return 0, i
		}
		if c := d.pending[i]; c >= 0x40 && c <= 0x7e {
			return d.sequence(string(d.pending[2 : i+1])), i + 1
		}
	}
	return 0, 0
}

func (d *decoder) sequence(text string) rune {
	switch text {
	case pasteBegin:
		d.paste = true
	case pasteEnd:
		d.paste = false
	}
	for _, s := range sequences {
		if s.text == text {
			return s.key
		}
	}
	return 0
}
