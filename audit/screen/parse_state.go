package screen

import "unicode/utf8"

// A parser splits the bytes into characters, controls and sequences.
type parser struct {
	state state
	text  []byte // of a string; of a sequence, what is between ESC and its end
	n     int    // bytes of the string so far
	part  [utf8.UTFMax]byte
	parts int // bytes of an unfinished character

	params params // of the last sequence
}

const (
	ground state = iota
	escape
	csi
	osc       // ESC ]: kept, for the title
	ignored   // DCS, SOS, PM, APC
	oscEsc    // ESC in osc
	ignoreEsc // ESC in ignored
)

type state uint8

func (q *parser) begin(st state) { q.state, q.text, q.n = st, q.text[:0], 0 }
