package code

import "strings"

// maxDepth bounds brackets and literals inside one another. Real programs stay below 50;
// the reader recurses on them.
const maxDepth = 200

func (l *lexer) emit(k kind, s string, start, end int) int {
	l.toks = append(l.toks, token{kind: k, text: s, start: start, end: end, match: -1,
		spaced: l.spaced, fresh: l.fresh})
	l.spaced, l.fresh = false, false
	return len(l.toks) - 1
}

func (l *lexer) nameEnd(i int) int {
	for i < l.end && (isNameByte(l.src[i]) || l.g.nameBytes != "" && indexByte(l.g.nameBytes,
		l.src[i])) {
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

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isNameStart(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80 }

func isNameByte(c byte) bool { return isNameStart(c) || isDigit(c) }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// indexFrom is strings.Index from a position, relative to the start of s.
func indexFrom(s, sep string, from int) int {
	if from > len(s) {
		return -1
	}
	if i := strings.Index(s[from:], sep); i >= 0 {
		return i + from
	}
	return -1
}

func (l *lexer) lineStart() bool { return l.pos == 0 || l.src[l.pos-1] == '\n' }

func paired(o, c byte) bool {
	return o == '(' && c == ')' || o == '[' && c == ']' || o == '{' && c == '}'
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

// endHole returns from embedded code to the literal around it.
func (l *lexer) endHole(at int) {
	n := len(l.frames) - 1
	o := l.frames[n].opened
	l.frames = l.frames[:n]
	i := l.emit(holeEnd, "", at, at+1)
	l.toks[o].match, l.toks[i].match = i, o
}
