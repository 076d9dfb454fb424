package eval

import (
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// unescape appends an unquoted literal to v: a backslash makes the next character literal,
// the rest stays active.
func unescape(v value, s string) value {
	if strings.IndexByte(s, '\\') < 0 {
		return v.add(part{kind: active, text: s})
	}
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 >= len(s) {
			return v.add(part{kind: active, text: s})
		}
		if i > 0 {
			v = v.add(part{kind: active, text: s[:i]})
		}
		_, size := utf8.DecodeRuneInString(s[i+1:])
		if s[i+1] != '\n' {
			v = v.add(part{kind: literal, text: s[i+1 : i+1+size]})
		}
		s = s[i+1+size:]
	}
	return v
}

// unescapeQuoted returns a literal that is between double quotes: there a backslash is
// one unless $, `, ", \ or a newline follows.
func unescapeQuoted(s string) string { return unescapeSome(s, "$`\"\\\n") }

// unescapeHere returns a literal of a here-document body, in which " is ordinary.
func unescapeHere(s string) string { return unescapeSome(s, "$`\\\n") }

func unescapeSome(s, special string) string {
	if strings.IndexByte(s, '\\') < 0 {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte(special, s[i+1]) >= 0 {
			i++
			if s[i] != '\n' {
				b.WriteByte(s[i])
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func singleQuoted(q *syntax.SglQuoted) string {
	if !q.Dollar {
		return q.Value
	}
	return ansiC(q.Value)
}

// ansiC decodes the inside of $'...' as bash(1), QUOTING, says. A NUL ends the string, as
// it does in bash.
func ansiC(s string) string {
	text, _, _ := strings.Cut(decoded(s), "\x00")
	return text
}

// decoded is text with its escapes decoded, as echo and printf write it: NUL and all.
func decoded(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 >= len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		r, width, isRune := escape(s[i:])
		if width == 0 {
			b.WriteByte('\\')
			b.WriteByte(s[i])
			continue
		}
		if isRune {
			b.WriteRune(r)
		} else {
			b.WriteByte(byte(r))
		}
		i += width - 1
	}
	return b.String()
}

// simpleEscapes pairs each letter with its meaning.
const simpleEscapes = "a\ab\be\x1bE\x1bf\fn\nr\rt\tv\v\\\\''\"\"??"

// escape reads what follows a backslash: its value, how many bytes it takes, and whether
// the value is a code point, not a byte. A width of 0 means that it is no escape.
func escape(s string) (r rune, width int, isRune bool) {
	for i := 0; i < len(simpleEscapes); i += 2 {
		if s[0] == simpleEscapes[i] {
			return rune(simpleEscapes[i+1]), 1, false
		}
	}
	digits := func(from, most int, base rune) (rune, int, bool) {
		r, n := rune(0), 0
		for n < most && from+n < len(s) {
			d := digit(s[from+n])
			if d >= base {
				break
			}
			r, n = r*base+d, n+1
		}
		if n == 0 {
			return 0, 0, false
		}
		return r, from + n, false
	}
	switch c := s[0]; {
	case c >= '0' && c <= '7':
		r, width, _ = digits(0, 3, 8)
		return r & 0xff, width, false
	case c == 'x':
		if len(s) > 1 && s[1] == '{' {
			return 0, 0, false // bash ends it at }, which no tool writes: keep it a backslash
		}
		return digits(1, 2, 16)
	case c == 'u':
		r, width, _ = digits(1, 4, 16)
		return r, width, true
	case c == 'U':
		r, width, _ = digits(1, 8, 16)
		return r, width, true
	case c == 'c' && len(s) > 1:
		return rune(s[1]) & 0x1f, 2, false
	}
	return 0, 0, false
}

func digit(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return rune(c|0x20-'a') + 10
	}
	return 99
}
