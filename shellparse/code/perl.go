package code

import (
	_ "embed"
	"strings"
)

func perl() *grammar {
	return &grammar{
		name: "perl", comments: hashComment, blocks: podComment, literal: perlLiteral,
		concat: ".", bare: true, symbolic: true, braces: true, calls: perlCalls,
		reflects: perlReflects[:],
	}
}

var (
	podComment   = [][2]string{{"=pod", "\n=cut"}, {"=head", "\n=cut"}, {"=begin", "\n=cut"}}
	perlReflects = [...]string{"B", "Inline", "DynaLoader", "XSLoader", "AUTOLOAD", "%SIG", "*{"}
)

// perlLiteral reads what starts with a sigil or a quote, and the quote-like operators.
func perlLiteral(l *lexer) bool {
	c := l.src[l.pos]
	var next byte
	if l.pos+1 < l.end {
		next = l.src[l.pos+1]
	}
	switch {
	case c == '"':
		l.begin(quoting{close: `"`, escapes: perlEscapes, holes: perlHoles}, l.pos+1)
	case c == '\'':
		l.begin(quoting{close: "'", escapes: quoteEscapes}, l.pos+1)
	case c == '`':
		l.begin(quoting{close: "`", what: "shell", escapes: perlEscapes, holes: perlHoles}, l.pos+1)
	case c == '$' || c == '@' || (c == '%' || c == '&') && l.operand():
		return l.sigil(c, next)
	case c == '<' && next == '<':
		return l.here()
	case c == '<' && (l.operand() || l.toks[len(l.toks)-1].kind == name &&
		!strings.HasPrefix(l.toks[len(l.toks)-1].text, "$")):
		return l.angle()
	case c == '/' && l.operand():
		return l.perlQuote("m", l.pos)
	case c == '_' && l.lineStart() && strings.HasPrefix(l.src[l.pos:l.end], "__END__"), c == '_' &&
		l.lineStart() && strings.HasPrefix(l.src[l.pos:l.end], "__DATA__"):
		l.pos = l.end
	case isNameStart(c):
		return l.perlWord()
	default:
		return false
	}
	return true
}

// sigil reads $x, @x, %x, &x, and $ENV{HOME} as one name.
func (l *lexer) sigil(c, next byte) bool {
	start := l.pos
	for _, s := range []string{"$ENV{HOME}", "$ENV{'HOME'}", `$ENV{"HOME"}`} {
		if c == '$' && strings.HasPrefix(l.src[l.pos:l.end], s) {
			l.pos += len(s)
			l.emit(name, "$ENV{HOME}", start, l.pos)
			return true
		}
	}
	switch {
	case isNameStart(next):
		l.pos = l.nameEnd(l.pos + 1)
		for strings.HasPrefix(l.src[l.pos:l.end], "::") && l.pos+2 < l.end &&
			isNameStart(l.src[l.pos+2]) {
			l.pos = l.nameEnd(l.pos + 2)
		}
		l.emit(name, l.src[start:l.pos], start, l.pos)
	case c == '$' && next != 0 && strings.IndexByte("0123456789!@/\\,;.&_+-^|<>()[]`'\"?",
		next) >= 0:
		l.pos += 2
		l.emit(name, l.src[start:l.pos], start, l.pos)
	case c == '$' || c == '@' || c == '%' || c == '&':
		l.pos++
		l.emit(punct, "\\", start, l.pos) // a dereference: its value is that of the rest, unknown
		l.emit(dynamic, "", start, l.pos)
	}
	return true
}

// here finds the operator of a here-document. What is on that line and behind it is not read.
func (l *lexer) here() bool {
	rest := strings.TrimLeft(l.src[l.pos+2:l.end], "~-")
	if rest != "" && (strings.IndexByte("'\"`", rest[0]) >= 0 || isNameStart(rest[0])) &&
		strings.Contains(rest, "\n") {
		l.opaque, l.pos = true, l.end
		return true
	}
	return false
}

// angle reads <FH>, <$fh> and the glob <*.c>.
func (l *lexer) angle() bool {
	n := strings.IndexByte(l.src[l.pos:min(l.end, l.pos+256)], '>')
	if n < 0 || strings.ContainsAny(l.src[l.pos:l.pos+n], " \n;") {
		return false
	}
	s := l.src[l.pos+1 : l.pos+n]
	start := l.pos
	l.pos += n + 1
	if strings.ContainsAny(s, "*?/.") && !strings.Contains(s, "$") {
		l.emit(name, "glob", start, l.pos)
		l.emit(text, s, start+1, l.pos-1)
	} else {
		l.emit(dynamic, "", start, l.pos)
	}
	return true
}

// perlWord reads a word that may be a quote-like operator.
func (l *lexer) perlWord() bool {
	i := l.nameEnd(l.pos)
	switch w := l.src[l.pos:i]; w {
	case "q", "qq", "qw", "qx", "qr", "m", "s", "y", "tr":
		if n := len(l.toks); n > 0 && l.toks[n-1].kind == punct && (l.toks[n-1].text == "->" ||
			l.toks[n-1].text == "{" && i < l.end && l.src[i] == '}' || l.toks[n-1].text == "::") {
			return false
		}
		j := i
		for j < l.end && isSpace(l.src[j]) {
			j++
		}
		if j >= l.end || strings.HasPrefix(l.src[j:l.end], "=>") || l.src[j] == ',' ||
			l.src[j] == ';' || l.src[j] == ')' || l.src[j] == '#' && j > i ||
			isNameByte(l.src[j]) || l.src[j] == '=' && (w == "s" || w == "y" || w == "m" ||
			w == "q") {
			return false
		}
		return l.perlQuote(w, j)
	}
	return false
}

// perlQuote reads the operator w whose opening delimiter is at at.
func (l *lexer) perlQuote(w string, at int) bool {
	start := l.pos
	opening := l.src[at]
	q := quoting{close: string([]byte{closer(opening)}), escapes: perlEscapes, holes: perlHoles}
	if closer(opening) != opening {
		q.open = opening
	}
	switch w {
	case "q":
		q.escapes, q.holes = quoteEscapes, noHoles
	case "qx":
		q.what = "shell"
	case "qq":
	default:
		return l.perlPattern(w, start, at)
	}
	if opening == '\'' {
		q.holes = noHoles
	}
	l.begin(q, at+1)
	return true
}

// perlPattern reads qw, m, qr, s, tr and y. Their text is data, except that a pattern can
// hold code, and that the replacement of s///e is code.
func (l *lexer) perlPattern(w string, start, at int) bool {
	end, ok := l.delimited(at)
	if !ok {
		return true
	}
	body := l.src[at+1 : end]
	l.pos = end + 1
	if w == "qw" {
		l.emit(words, strings.Join(strings.Fields(body), "\x00"), start, l.pos)
		return true
	}
	replacement := ""
	if w == "s" || w == "y" || w == "tr" {
		from := end
		if closer(l.src[at]) != l.src[at] {
			from = end + 1
			for from < l.end && isSpace(l.src[from]) {
				from++
			}
			if from >= l.end {
				l.opaque = true
				return true
			}
		}
		stop, ok := l.delimited(from)
		if !ok {
			l.opaque = true
			return true
		}
		replacement = l.src[from+1 : stop]
		l.pos = stop + 1
	}
	flags := l.pos
	l.pos = l.nameEnd(l.pos)
	if strings.Contains(body, "(?{") || strings.Contains(body, "(??{") || strings.Contains(body,
		"@{") || strings.Contains(body, "${") {
		l.opaque = true
	}
	replacement = plainNames().ReplaceAllString(replacement, "")
	if w == "s" && (strings.Contains(l.src[flags:l.pos], "e") || strings.Contains(replacement,
		"@{") || strings.Contains(replacement, "${")) {
		l.opaque = true
	}
	l.emit(dynamic, "", start, l.pos)
	return true
}

var plainNames = pattern(`\$\{\w+\}`)

// delimited finds the end of the text whose opening delimiter is at at.
func (l *lexer) delimited(at int) (int, bool) {
	o := l.src[at]
	c := closer(o)
	depth := 0
	for i := at + 1; i < l.end; i++ {
		switch {
		case l.src[i] == '\\':
			i++
		case l.src[i] == c && depth == 0:
			return i, true
		case l.src[i] == c:
			depth--
		case l.src[i] == o && o != c:
			depth++
		}
	}
	l.opaque = true
	l.pos = l.end // it does not compile; going on would search to the end again
	return 0, false
}

func closer(c byte) byte {
	switch c {
	case '(':
		return ')'
	case '[':
		return ']'
	case '{':
		return '}'
	case '<':
		return '>'
	}
	return c
}

//go:embed perl.txt
var perlCalls rules
