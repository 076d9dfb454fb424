package eval

import (
	"slices"
	"strconv"
	"strings"
)

// maxRounds bounds how often the body of a loop over known words is evaluated.
const maxRounds = 256

// format is printf(1) for %s, %b, %d, %i, %c, %q of plain words and %%, whose format is used
// again while there are words.
func (w *settings) format(f value, args []value) (out value) {
	text, ok := f.text()
	hidden := escaped(text) || strings.Contains(text, "%b") &&
		slices.ContainsFunc(args, func(v value) bool { return escaped(v.prefix()) })
	if hidden {
		out = value{{why: disguised}}
	}
	if !ok || strings.Contains(text, "%n") || strings.Contains(text, `\c`) {
		return unknown("a format that is not known", worse(f.from(), joined(args).from()))
	}
	for round := 0; round < maxRounds; round++ {
		used := 0
		next := func() value {
			if used < len(args) {
				used++
				return args[used-1]
			}
			used++
			return known("")
		}
		rest := text
		for rest != "" {
			i := strings.IndexByte(rest, '%')
			if i < 0 {
				out = out.add(part{text: decoded(rest)})
				break
			}
			out = out.add(part{text: decoded(rest[:i])})
			rest = rest[i+1:]
			if rest == "" {
				return unknown("a format that ends in a percent sign", Literal)
			}
			switch rest[0] {
			case '%':
				out = out.add(part{text: "%"})
			case 's', 'b', 'd', 'i', 'c', 'q':
				v, fine := w.conversion(rest[0], next())
				if !fine {
					return unknown("a format that is not followed",
						worse(Literal, joined(args).from()))
				}
				for _, p := range v {
					out = out.add(p)
				}
			default:
				return unknown("a format that is not followed", worse(Literal, joined(args).from()))
			}
			rest = rest[1:]
		}
		if used == 0 || used >= len(args) {
			return out
		}
		args = args[used:]
	}
	return unknown("a format that is used very often", joined(args).from())
}

func (w *settings) conversion(verb byte, v value) (value, bool) {
	v = v.quoted()
	text, ok := v.text()
	switch verb {
	case 's':
		return v, true
	case 'b':
		return w.echoed(v, true), true
	case 'd', 'i':
		if n, fine := integer(text); ok && fine {
			return known(strconv.FormatInt(n, 10)), true
		}
		return value{{kind: number, why: "a number"}}, text == "" || !ok
	case 'c':
		if ok && text != "" && text[0] < 0x80 {
			return known(text[:1]), true
		}
	case 'q':
		if ok && text != "" && strings.Trim(text,
			"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./-") == "" {
			return v, true
		}
	}
	return nil, false
}

// echoed is a value as echo -e writes it, or with bare as %b of printf does.
func (w *settings) echoed(v value, bare bool) value {
	var out value
	for _, p := range v {
		if p.known() {
			text, fine := decodeEcho(p.text, bare, w.o.Dialect == Bash)
			if !fine {
				return unknown("an escape that shells decode differently, or that ends the output",
					Literal)
			}
			p.text = text
		}
		out = out.add(p)
	}
	return out
}

// decodeEcho decodes the escapes of echo. It is false where one ends the output, or where
// other shells than bash do not have it.
func decodeEcho(text string, bare, bash bool) (string, bool) {
	var b strings.Builder
	for {
		i := strings.IndexByte(text, '\\')
		if i < 0 || i+1 == len(text) {
			return b.String() + text, true
		}
		b.WriteString(text[:i])
		if text = text[i+1:]; text[0] == 'c' ||
			!bash && strings.IndexByte(`abfnrtv\0`, text[0]) < 0 {
			return "", false
		}
		r, width, isRune := echoEscape(text, bare)
		switch {
		case width == 0:
			b.WriteByte('\\')
			width = 1
			b.WriteByte(text[0])
		case isRune:
			b.WriteRune(r)
		default:
			b.WriteByte(byte(r))
		}
		text = text[width:]
	}
}

// echoEscape is escape for echo: octal digits follow \0, and a lone backslash only
// with bare, and quotes need no escape.
func echoEscape(s string, bare bool) (r rune, width int, isRune bool) {
	switch c := s[0]; {
	case c == '0':
		width = 1
		for width < min(len(s), 4) && digit(s[width]) < 8 {
			r = r*8 + digit(s[width])
			width++
		}
		return r & 0xff, width, false
	case c >= '1' && c <= '7' && !bare, strings.IndexByte(`'"?`, c) >= 0:
		return 0, 0, false
	}
	return escape(s)
}
