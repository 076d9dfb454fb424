package code

func (g *grammar) lex(src string) ([]token, bool) {
	l := &lexer{g: g, src: src, end: len(src), fresh: true}
	l.toks = make([]token, 0, len(src)/4+8)
	l.run()
	if len(l.frames) > 0 || len(l.brackets) > 0 {
		l.opaque = true // it would not compile as we read it, so we may have read it wrongly
	}
	l.emit(eof, "", l.end, l.end)
	return l.toks, l.opaque
}

// run lexes up to l.end.
func (l *lexer) run() {
	for l.pos < l.end {
		if len(l.frames) > maxDepth || len(l.brackets) > maxDepth {
			l.opaque = true
			l.pos = l.end
			return
		}
		if n := len(l.frames); n > 0 && !l.frames[n-1].code {
			l.inside(&l.frames[n-1])
		} else {
			l.code()
		}
	}
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
	l.pos++
	if l.g.newlines && len(l.brackets) == 0 {
		l.emit(newline, "\n", l.pos-1, l.pos)
	}
	l.spaced, l.fresh = true, true
}

// comment skips a comment, which is never code: that is why a mention in one is no fact.
func (l *lexer) comment() bool {
	rest := l.src[l.pos:l.end]
	for _, b := range l.g.blocks {
		if len(rest) >= len(b[0]) && rest[:len(b[0])] == b[0] &&
			!(b[0][0] == '=' && !l.lineStart()) {
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

func (l *lexer) number() {
	start := l.pos
	for l.pos < l.end && (isNameByte(l.src[l.pos]) || l.src[l.pos] == '.' && l.pos+1 < l.end &&
		isDigit(l.src[l.pos+1])) {
		l.pos++
	}
	l.emit(number, l.src[start:l.pos], start, l.pos)
}

// operators are those that must not be split, longest first.
var operators = [...]string{
	"<=>", "===", "!==", "**=", "||=", "&&=", "??=", "//=", "...", "<<=", ">>=",
	"=>", "->", "::", "?.", "..", "==", "!=", "<=", ">=", ":=", "+=", "-=", "*=", "/=", ".=", "%=",
	"|=", "&=", "^=",
	"=~", "!~", "&&", "||", "??", "**", "++", "--", "<<", ">>", "&.",
}

func (l *lexer) punctuation() {
	rest := l.src[l.pos:l.end]
	if n := len(l.frames); n > 0 && rest[0] == ':' && l.frames[n-1].format &&
		l.frames[n-1].depth == 0 {
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
