package code

// kind says what a token is. An interpolating literal becomes a sequence: open, then
// pieces and holes with the tokens of the embedded code between hole and holeEnd, then
// closing. One flat sequence keeps the time linear however deep the literals nest.
type kind uint8

const (
	eof kind = iota
	name
	text    // a literal without interpolation, decoded
	dynamic // a literal whose value is not known, such as one with a named character
	number
	punct
	newline
	open    // the start of an interpolating literal; token.text says which: "", "shell", "regexp"
	piece   // literal bytes between holes, decoded
	hole    // the start of embedded code
	holeEnd // its end
	closing // the end of the literal
	words   // a list of words such as qw(a b), separated by NUL
)

// A token is one lexical element and its place in the program text.
type token struct {
	kind       kind
	text       string
	start, end int
	// of an opening or closing token: the index of its partner; -1 when there is none
	match  int
	spaced bool // blank or newline before it
	fresh  bool // first on its line
}

func (t token) is(s string) bool { return t.kind == punct && t.text == s }

func (t token) word(s string) bool { return t.kind == name && t.text == s }

// A quoting says how a literal is read: how it ends, which escapes it has and what it
// interpolates.
type quoting struct {
	open    byte   // for bracket pairs: nests; 0 otherwise
	close   string // the closing delimiter
	what    string // token.text of the open token
	escapes escapes
	holes   holes
	line    bool // a newline ends it too, as an error
}

type escapes uint8

type holes uint8

const (
	rawEscapes escapes = iota // a backslash is an ordinary byte
	// a backslash stays, and protects the delimiter (python r'', regexps)
	skipEscapes
	quoteEscapes // only \\ and \delimiter
	// \n \x41 \101 \u0041 and the like; an unknown one drops the backslash
	cEscapes
	pythonEscapes // as cEscapes; an unknown one keeps the backslash; \N{...}
	perlEscapes   // as cEscapes; \x{41}; \L \U \Q \E
)

const (
	noHoles     holes = iota
	braceHoles        // python f"{x}"
	dollarHoles       // javascript `${x}`
	hashHoles         // ruby "#{x}"
	perlHoles         // perl "$x @x @{[ ]} ${\ }"
)
