package code

import (
	"strings"
	"unicode/utf8"
)

// begin starts a literal whose content begins at content.
func (l *lexer) begin(q quoting, content int) {
	i := l.emit(open, q.what, l.pos, content)
	l.frames = append(l.frames, frame{quoting: q, opened: i})
	l.pos = content
}

// inside reads the next piece of a literal: up to its end or to the next hole.
func (l *lexer) inside(f *frame) {
	q := f.quoting
	start := l.pos
	var buf []byte
	copied := false // buf holds the bytes from start to kept
	kept := l.pos
	known := true
	flush := func() {
		if !known {
			l.emit(dynamic, "", start, l.pos)
		} else if copied {
			l.emit(piece, string(append(buf, l.src[kept:l.pos]...)), start, l.pos)
		} else if l.pos > start {
			l.emit(piece, l.src[start:l.pos], start, l.pos)
		}
	}
	for l.pos < l.end {
		c := l.src[l.pos]
		switch {
		case f.depth == 0 && q.close != "" && strings.HasPrefix(l.src[l.pos:l.end], q.close):
			flush()
			l.finish(l.pos + len(q.close))
			return
		case q.line && c == '\n':
			l.opaque = true
			flush()
			l.finish(l.pos)
			return
		case q.open != 0 && c == q.open:
			f.depth++
		case q.open != 0 && f.depth > 0 && q.close[0] == c:
			f.depth--
		case q.holes == braceHoles && f.depth > 0 && c == '}':
			f.depth-- // of the format specification; what it shows is not known anyway
			buf, copied = append(buf, l.src[kept:l.pos]...), true
			kept = l.pos + 1
		case c == '\\' && q.escapes != rawEscapes && l.pos+1 < l.end:
			out, n, ok := decode(q, l.src[l.pos:l.end])
			buf, copied = append(append(buf, l.src[kept:l.pos]...), out...), true
			known = known && ok
			l.pos += n
			kept = l.pos
			continue
		case q.holes == braceHoles && (c == '{' || c == '}') && l.pos+1 < l.end &&
			l.src[l.pos+1] == c && f.depth == 0:
			buf, copied = append(buf, l.src[kept:l.pos+1]...), true
			l.pos += 2
			kept = l.pos
			continue
		case q.holes != noHoles && l.holeAt(q.holes):
			flush()
			l.enterHole(q.holes)
			return
		}
		l.pos++
	}
	flush()
	l.opaque = l.opaque || q.close != ""
	l.finish(l.end)
}

// finish ends the literal of the top frame; the text continues at next.
func (l *lexer) finish(next int) {
	f := l.frames[len(l.frames)-1]
	l.frames = l.frames[:len(l.frames)-1]
	l.pos = next
	o := &l.toks[f.opened]
	if f.quoting.what == "" {
		switch rest := l.toks[f.opened+1:]; {
		case len(rest) == 0:
			o.kind, o.end = text, next
			return
		case len(rest) == 1 && rest[0].kind == piece:
			o.kind, o.text, o.end = text, rest[0].text, next
			l.toks = l.toks[:f.opened+1]
			return
		case len(rest) == 1 && rest[0].kind == dynamic:
			o.kind, o.end = dynamic, next
			l.toks = l.toks[:f.opened+1]
			return
		}
	}
	i := l.emit(closing, f.quoting.what, next, next)
	l.toks[f.opened].match, l.toks[i].match = i, f.opened
}

// holeAt reports whether embedded code starts at the present position of a literal.
func (l *lexer) holeAt(h holes) bool {
	c := l.src[l.pos]
	var next byte
	if l.pos+1 < l.end {
		next = l.src[l.pos+1]
	}
	switch h {
	case braceHoles:
		return c == '{'
	case dollarHoles:
		return c == '$' && next == '{'
	case hashHoles:
		return c == '#' && (next == '{' || next == '$' || next == '@')
	case perlHoles:
		return (c == '$' || c == '@') && (isNameStart(next) || next == '{' || next == ':' ||
			next == '$') ||
			c == '$' && (isDigit(next) || next == '&' || next == '0' || next == '!' || next == '@')
	}
	return false
}

// enterHole starts the embedded code at the present position.
func (l *lexer) enterHole(h holes) {
	c, start := l.src[l.pos], l.pos
	push := func(until byte, skip int) {
		i := l.emit(hole, "", start, start+skip)
		l.pos += skip
		l.frames = append(l.frames, frame{code: true, opened: i, until: until,
			format: h == braceHoles})
	}
	switch {
	case h == braceHoles:
		push('}', 1)
	case l.src[l.pos+1] == '{':
		if h == perlHoles {
			l.emit(dynamic, "", start, start) // a reference or a symbolic name
		}
		push('}', 2)
	case h == hashHoles:
		l.pos += 2
		l.emit(dynamic, "", start, l.pos)
	default:
		l.variable(c)
	}
}

// variable reads $x in a literal, and where subscripts follow it, their code.
func (l *lexer) variable(sigil byte) {
	start := l.pos
	const home = "$ENV{HOME}"
	if strings.HasPrefix(l.src[l.pos:l.end], home) && l.g.name == "perl" {
		l.pos += len(home)
		l.simpleHole(home, start)
		return
	}
	l.pos++
	for l.pos < l.end && (isNameByte(l.src[l.pos]) || l.src[l.pos] == ':' && l.g.name == "perl" &&
		l.pos+2 < l.end && l.src[l.pos+1] == ':' && isNameStart(l.src[l.pos+2])) {
		if l.src[l.pos] == ':' {
			l.pos++
		}
		l.pos++
	}
	if l.pos == start+1 {
		l.pos++
		l.emit(dynamic, "", start, l.pos)
		return
	}
	subscript := l.pos
	if strings.HasPrefix(l.src[l.pos:l.end], "->") {
		subscript += 2
	}
	if subscript < l.end && (l.src[subscript] == '[' || l.src[subscript] == '{' &&
		l.g.name == "perl") {
		l.emit(dynamic, "", start, subscript)
		i := l.emit(hole, "", subscript, subscript+1)
		until := byte(']')
		if l.src[subscript] == '{' {
			until = '}'
		}
		l.pos = subscript + 1
		l.frames = append(l.frames, frame{code: true, opened: i, until: until})
		return
	}
	if sigil == '@' || subscript > l.pos {
		l.emit(dynamic, "", start, l.pos)
		return
	}
	l.simpleHole(l.src[start:l.pos], start)
}

func (l *lexer) simpleHole(variable string, start int) {
	o := l.emit(hole, "", start, start)
	l.emit(name, variable, start, l.pos)
	c := l.emit(holeEnd, "", l.pos, l.pos)
	l.toks[o].match, l.toks[c].match = c, o
}

// decode reads one escape sequence at the start of s, which is a backslash and at least
// one more byte. ok is false when its value is not known here.
func decode(q quoting, s string) (out string, n int, ok bool) {
	c := s[1]
	closes := q.close != "" && c == q.close[0] || c == q.open && q.open != 0
	switch q.escapes {
	case skipEscapes:
		return s[:2], 2, true
	case quoteEscapes:
		if c == '\\' || closes {
			return s[1:2], 2, true
		}
		return s[:2], 2, true
	case perlEscapes:
		if strings.IndexByte("LUQElucN", c) >= 0 {
			return "", 2, false
		}
	case pythonEscapes:
		if c == 'N' {
			return "", 2, false
		}
	}
	if i := strings.IndexByte("ntrabfve", c); i >= 0 && !(c == 'e' && q.escapes == pythonEscapes) {
		return "\n\t\r\a\b\f\v\x1b"[i : i+1], 2, true
	}
	switch c {
	case '\n':
		return "", 2, true
	case '0', '1', '2', '3', '4', '5', '6', '7':
		return digits(s, 1, 3, 8)
	case 'x':
		return braced(s, 2)
	case 'u':
		return braced(s, 4)
	case 'U':
		if q.escapes == pythonEscapes {
			return digits(s, 2, 8, 16)
		}
	}
	if q.escapes == pythonEscapes && c != '\\' && c != '\'' && c != '"' {
		return s[:2], 2, true
	}
	_, size := utf8.DecodeRuneInString(s[1:])
	return s[1 : 1+size], 1 + size, true
}

// braced reads \xHH and \x{H...}.
func braced(s string, width int) (string, int, bool) {
	if len(s) > 2 && s[2] == '{' {
		stop := strings.IndexByte(s[:min(len(s), 16)], '}')
		if stop < 0 {
			return "", 2, false
		}
		out, n, ok := digits(s[:stop], 3, 8, 16)
		return out, stop + 1, ok && n == stop
	}
	return digits(s, 2, width, 16)
}

// digits reads up to width digits of a character number that start at from. Two
// hexadecimal digits are a byte, more are a code point, as all of these languages have it.
func digits(s string, from, width, base int) (string, int, bool) {
	v, i := 0, from
	for i < len(s) && i < from+width {
		d := -1
		if isDigit(s[i]) {
			d = int(s[i] - '0')
		} else if c := s[i] | 0x20; c >= 'a' && c <= 'f' {
			d = int(c-'a') + 10
		}
		if d < 0 || d >= base {
			break
		}
		v = v*base + d
		i++
	}
	if i == from || v > utf8.MaxRune {
		return "", max(i, 2), false
	}
	if v < 0x80 {
		return string([]byte{byte(v)}), i, true
	}
	if v < 0x100 && width <= 3 {
		// a byte in some languages, a character in others
		return string(rune(v)), i, false
	}
	return string(rune(v)), i, true
}
