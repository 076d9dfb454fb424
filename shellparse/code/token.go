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

// A token is one lexical element and where it stands in the program text.
type token struct {
	kind       kind
	text       string
	start, end int
	match      int  // of an opening or closing token: the index of its partner; -1 when there is none
	spaced     bool // blank or newline before it
	fresh      bool // first on its line
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

const (
	rawEscapes    escapes = iota // a backslash is an ordinary byte
	skipEscapes                  // a backslash stays, and protects the delimiter (python r'', regexps)
	quoteEscapes                 // only \\ and \delimiter
	cEscapes                     // \n \x41 \101 \u0041 and the like; an unknown one drops the backslash
	pythonEscapes                // as cEscapes; an unknown one keeps the backslash; \N{...}
	perlEscapes                  // as cEscapes; \x{41}; \L \U \Q \E
)

type holes uint8

const (
	noHoles     holes = iota
	braceHoles        // python f"{x}"
	dollarHoles       // javascript `${x}`
	hashHoles         // ruby "#{x}"
	perlHoles         // perl "$x @x @{[ ]} ${\ }"
)

// maxDepth bounds brackets and literals inside one another. Real programs stay below 50;
// the reader recurses on them.
const maxDepth = 200

// A frame is either code, which ends with a bracket, or the inside of a literal.
type frame struct {
	code    bool
	quoting quoting
	depth   int  // of nested delimiters of a literal, or of brackets in a hole
	opened  int  // index of the open or hole token
	until   byte // the bracket that ends a hole
	format  bool // a colon ends a hole too: a format specification follows
}

// A lexer turns a program text into tokens.
type lexer struct {
	g        *grammar
	src      string
	pos, end int
	toks     []token
	frames   []frame
	brackets []int       // indices of unmatched opening tokens
	skips    map[int]int // newline offset -> where the lexer goes on: here-document bodies
	eol      int         // the end of the line of the last here-document operator
	lost     bool        // a here-document had no end
	opaque   bool        // something could be read in two ways
	spaced   bool
	fresh    bool
}

func (g *grammar) lex(src string) ([]token, bool) {
	l := &lexer{g: g, src: src, end: len(src), fresh: true}
	l.toks = make([]token, 0, len(src)/4+8)
	l.run(0)
	if len(l.frames) > 0 || len(l.brackets) > 0 {
		l.opaque = true // it would not compile as we read it, so we may have read it wrongly
	}
	l.emit(eof, "", l.end, l.end)
	return l.toks, l.opaque
}

// run lexes up to l.end or until the frames are back to the given height.
func (l *lexer) run(height int) {
	for l.pos < l.end {
		if len(l.frames) > maxDepth || len(l.brackets) > maxDepth {
			l.opaque = true
			l.pos = l.end
			return
		}
		if n := len(l.frames); n > 0 && !l.frames[n-1].code {
			l.inside(&l.frames[n-1])
			if len(l.frames) < height {
				return
			}
			continue
		}
		l.code()
	}
}

func (l *lexer) emit(k kind, s string, start, end int) int {
	l.toks = append(l.toks, token{kind: k, text: s, start: start, end: end, match: -1, spaced: l.spaced, fresh: l.fresh})
	l.spaced, l.fresh = false, false
	return len(l.toks) - 1
}

// code reads one token of program text.
func (l *lexer) code() {
	c := l.src[l.pos]
	switch {
	case c == '\n':
		l.newline()
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v':
		l.pos++
		l.spaced = true
	case c == '\\' && l.pos+1 < l.end && l.src[l.pos+1] == '\n' && l.g.continuation:
		l.pos += 2
		l.spaced = true
	case l.comment():
	case l.g.literal(l):
	case isNameStart(c):
		start := l.pos
		l.pos = l.nameEnd(l.pos)
		l.emit(name, l.src[start:l.pos], start, l.pos)
	case c >= '0' && c <= '9':
		l.number()
	default:
		l.punctuation()
	}
}

func (l *lexer) newline() {
	if to, ok := l.skips[l.pos]; ok {
		l.pos = to
	} else {
		l.pos++
	}
	if l.g.newlines && len(l.brackets) == 0 {
		l.emit(newline, "\n", l.pos-1, l.pos)
	}
	l.spaced, l.fresh = true, true
}

// comment skips a comment, which is never code: that is why a mention in one is no fact.
func (l *lexer) comment() bool {
	rest := l.src[l.pos:l.end]
	for _, b := range l.g.blocks {
		if len(rest) >= len(b[0]) && rest[:len(b[0])] == b[0] && !(b[0][0] == '=' && !l.lineStart()) {
			n := indexFrom(rest, b[1], len(b[0]))
			if n < 0 {
				l.pos = l.end
			} else {
				l.pos += n + len(b[1])
			}
			l.spaced = true
			return true
		}
	}
	for _, s := range l.g.comments {
		if len(rest) >= len(s) && rest[:len(s)] == s {
			n := indexFrom(rest, "\n", 0)
			if n < 0 {
				n = len(rest)
			}
			l.pos += n
			return true
		}
	}
	return false
}

func (l *lexer) lineStart() bool { return l.pos == 0 || l.src[l.pos-1] == '\n' }

func (l *lexer) number() {
	start := l.pos
	for l.pos < l.end && (isNameByte(l.src[l.pos]) || l.src[l.pos] == '.' && l.pos+1 < l.end && isDigit(l.src[l.pos+1])) {
		l.pos++
	}
	l.emit(number, l.src[start:l.pos], start, l.pos)
}

// operators are those that must not be split, longest first.
var operators = [...]string{
	"<=>", "===", "!==", "**=", "||=", "&&=", "??=", "//=", "...", "<<=", ">>=",
	"=>", "->", "::", "?.", "..", "==", "!=", "<=", ">=", ":=", "+=", "-=", "*=", "/=", ".=", "%=", "|=", "&=", "^=",
	"=~", "!~", "&&", "||", "??", "**", "++", "--", "<<", ">>", "&.",
}

func (l *lexer) punctuation() {
	rest := l.src[l.pos:l.end]
	if n := len(l.frames); n > 0 && rest[0] == ':' && l.frames[n-1].format && l.frames[n-1].depth == 0 {
		l.endHole(l.pos)
		l.emit(dynamic, "", l.pos, l.pos+1)
		l.frames[n-2].depth++ // until the brace that ends the specification
		l.pos++
		return
	}
	for _, op := range operators {
		if len(rest) >= len(op) && rest[:len(op)] == op {
			l.emit(punct, op, l.pos, l.pos+len(op))
			l.pos += len(op)
			return
		}
	}
	c := rest[0]
	start := l.pos
	l.pos++
	switch c {
	case '(', '[', '{':
		if n := len(l.frames); n > 0 {
			l.frames[n-1].depth++
		}
		l.brackets = append(l.brackets, l.emit(punct, rest[:1], start, l.pos))
	case ')', ']', '}':
		l.closeBracket(c, start)
	default:
		l.opaque = l.opaque || c < ' '
		l.emit(punct, rest[:1], start, l.pos)
	}
}

func (l *lexer) closeBracket(c byte, start int) {
	n := len(l.frames)
	if n > 0 && l.frames[n-1].depth == 0 {
		if c == l.frames[n-1].until {
			l.endHole(start)
			return
		}
		l.opaque = true
	}
	if n > 0 && l.frames[n-1].depth > 0 {
		l.frames[n-1].depth--
	}
	i := l.emit(punct, l.src[start:start+1], start, start+1)
	if m := len(l.brackets); m > 0 {
		o := l.brackets[m-1]
		l.brackets = l.brackets[:m-1]
		l.toks[o].match, l.toks[i].match = i, o
		if !paired(l.toks[o].text[0], c) {
			l.opaque = true
		}
	} else {
		l.opaque = true
	}
}

func paired(o, c byte) bool {
	return o == '(' && c == ')' || o == '[' && c == ']' || o == '{' && c == '}'
}

// endHole returns from embedded code to the literal around it.
func (l *lexer) endHole(at int) {
	n := len(l.frames) - 1
	o := l.frames[n].opened
	l.frames = l.frames[:n]
	i := l.emit(holeEnd, "", at, at+1)
	l.toks[o].match, l.toks[i].match = i, o
}

func isDigit(c byte) bool     { return c >= '0' && c <= '9' }
func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }
func isNameByte(c byte) bool  { return isNameStart(c) || isDigit(c) }
func isSpace(c byte) bool     { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (l *lexer) nameEnd(i int) int {
	for i < l.end && (isNameByte(l.src[i]) || l.g.nameBytes != "" && indexByte(l.g.nameBytes, l.src[i])) {
		i++
	}
	return i
}

func indexByte(s string, c byte) bool {
	for i := range len(s) {
		if s[i] == c {
			return true
		}
	}
	return false
}
