package render

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// A plain page is for a screen reader, and for a terminal that has ASCII only: no line is drawn, no
// character is a symbol. What the ordinary page marks by symbols, it writes after a backslash:
//
//	\u{00E9}             a character that is not ASCII, or is invisible
//	\x{FF}               a byte that is not UTF-8
//	\{truncated, 20 chars}   and the like
//
// A backslash of the payload before a brace, u{ or x{ is doubled, so that no payload can write one
// of these. What a reason points at is in a line of its own.

// plainWords are the symbols of the ordinary page, and what stands for them.
var plainWords = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(openDanger, "", closeDanger, "", showNewline, `\u{000A}`,
		showTab, `\u{0009}`, showSpace, " ", "·", ",", "→", "->", empty, "none:",
		gutter, ":", wrapGutter, " ", ruleGlyph, "", "«", `"`, "»", `"`,
		"✗", "", "✎", "", "▸", "", "⇡", "")
})

// plain returns the text of a unit in plain form.
func plain(s string) string {
	var out string
	for s != "" {
		before, rest, coded := strings.Cut(s, openCode)
		inside, after, closed := strings.Cut(rest, closeCode)
		if !coded || !closed {
			return out + words(s)
		}
		switch code, isCode := strings.CutPrefix(inside, "U+"); {
		case isCode: // the letter before it is told by it
			_, size := utf8.DecodeLastRuneInString(before)
			if size > 1 {
				before = before[:len(before)-size]
			}
			out += words(before) + `\u{` + code + "}"
		case strings.HasPrefix(inside, "x"):
			out += words(before) + `\x{` + inside[1:] + "}"
		case strings.HasPrefix(inside, "×"):
			out += words(before) + `\{` + strings.TrimPrefix(inside, "×") + " times}"
		default:
			out += words(before) + `\{` + strings.Trim(inside, "[]") + "}"
		}
		s = after
	}
	return out
}

// words is a text without codes in ASCII.
func words(s string) string {
	var b strings.Builder
	for _, r := range plainWords().Replace(s) {
		if r < 0x7f {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\u{%04X}`, r)
		}
	}
	return b.String()
}

// plainLine is a line in plain form. The frame of the page becomes a line of words, and the end of
// a line of the command needs no sign.
func plainLine(units []unit) []unit {
	var out []unit
	for i, u := range units {
		text, found := strings.CutPrefix(u.text, `\`)
		switch {
		case found && (text != "" || isTaken(units[i+1:])):
			text = `\\` + plain(text)
		case u.text == showNewline && i == len(units)-1:
			continue
		default:
			text = plain(u.text)
		}
		out = append(out, toned(u.tone, own(text))...)
	}
	if len(units) > 0 && units[0].text == ruleGlyph {
		out = trimmed(out)
	}
	return out
}

// isTaken reports whether a backslash before units could be taken for the beginning of a mark, or
// for a part of one: where the line ends, that is not known.
func isTaken(units []unit) bool {
	var ahead string
	for _, u := range units {
		if u.text == `\` || u.text == openDanger || u.text == closeDanger {
			continue
		}
		if ahead += u.text; len(ahead) > 1 {
			break
		}
	}
	return ahead == "" || ahead[0] == '{' || ahead[0] >= 0x80 || strings.HasPrefix(ahead, "u{") ||
		strings.HasPrefix(ahead, "x{")
}

// trimmed drops the spaces at both ends.
func trimmed(units []unit) []unit {
	for len(units) > 0 && units[0].text == " " {
		units = units[1:]
	}
	for len(units) > 0 && units[len(units)-1].text == " " {
		units = units[:len(units)-1]
	}
	return units
}
