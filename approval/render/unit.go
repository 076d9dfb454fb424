package render

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A unit is the smallest piece of text that is shown whole: never wrapped or cut inside.
type unit struct {
	text  string
	cells int  // columns on a terminal
	chars int  // characters of the payload that it shows; 0 for the renderer's own words
	at    int  // their offset in the payload text, in bytes
	must  bool // part of a danger span: never elided
	hard  bool // the line ends after it
	tone  Tone
}

// How often the same character is written out before it becomes a count. Padding pushes things out
// of sight, so the padding itself must not take room.
const (
	maxSpaces   = 8
	maxNewlines = 2
	maxRepeat   = 16
)

// style says how non-ASCII letters are shown.
type style int

const (
	exact style = iota // letter and code point: commands, names, everything that is acted upon
	prose              // the letter alone: sentences for a person to read
)

// own makes units of the renderer's own words.
func own(s string) []unit {
	out := make([]unit, 0, len(s))
	for i, r := range s {
		n := utf8.RuneLen(r)
		out = append(out, unit{text: s[i : i+n], cells: cellsOf(r)})
	}
	return out
}

// toned gives units a tone.
func toned(t Tone, units []unit) []unit {
	for i := range units {
		units[i].tone = t
	}
	return units
}

// show turns payload text into units: every byte of s is represented and none can act on a
// terminal. It is injective for each style; the tests have its inverse. mark has, in ascending
// order, the offsets at which callers need a boundary between units: a repeat is not counted across
// one.
func show(s string, st style, mark []int) []unit {
	out := make([]unit, 0, len(s))
	for i := 0; i < len(s); {
		for len(mark) > 0 && mark[0] <= i {
			mark = mark[1:]
		}
		end := len(s)
		if len(mark) > 0 && mark[0] < end {
			end = mark[0]
		}
		one := s[i : i+charLen(s[i:])]
		n, limit := 1, repeatLimit(one)
		for j := i + len(one); j+len(one) <= end && s[j:j+len(one)] == one; j += len(one) {
			n++
		}
		u := showOne(one, st)
		if one == " " && (n > limit || i+n == len(s)) {
			u = unit{text: showSpace, cells: 1, chars: 1} // padding, or invisible at the end
		}
		if n > limit {
			hard := u.hard
			u.hard = false
			count := openCode + "×" + strconv.Itoa(n) + closeCode
			out = append(out, unit{text: u.text + count,
				cells: u.cells + utf8.RuneCountInString(count), chars: n, at: i, hard: hard})
		} else {
			for j := range n {
				u.at = i + j*len(one)
				out = append(out, u)
			}
		}
		i += n * len(one)
	}
	return out
}

// charLen returns the length of the first character; an invalid byte has length one.
func charLen(s string) int {
	if s[0] < utf8.RuneSelf {
		return 1
	}
	_, n := utf8.DecodeRuneInString(s)
	return n
}

func repeatLimit(one string) int {
	switch one {
	case " ":
		return maxSpaces
	case "\n":
		return maxNewlines
	}
	return maxRepeat
}

func showOne(one string, st style) unit {
	r, n := utf8.DecodeRuneInString(one)
	switch {
	case r == '\n':
		return unit{text: showNewline, cells: 1, chars: 1, hard: true, tone: Label}
	case r == '\t':
		return unit{text: showTab, cells: 1, chars: 1}
	case r == utf8.RuneError && n == 1:
		return unit{text: fmt.Sprintf("%sx%02X%s", openCode, one[0], closeCode), cells: 5, chars: 1}
	case r < utf8.RuneSelf && canShow(r):
		return unit{text: one, cells: 1, chars: 1}
	}
	code := fmt.Sprintf("%sU+%04X%s", openCode, r, closeCode)
	if !canShow(r) {
		return unit{text: code, cells: utf8.RuneCountInString(code), chars: 1}
	}
	if st == prose {
		return unit{text: one, cells: cellsOf(r), chars: 1}
	}
	return unit{text: one + code, cells: cellsOf(r) + utf8.RuneCountInString(code), chars: 1}
}

func textOf(units []unit) string {
	var b strings.Builder
	for _, u := range units {
		b.WriteString(u.text)
	}
	return b.String()
}

// spans joins neighbouring units of the same tone.
func spans(units []unit) []Span {
	var out []Span
	for from, at := 0, 0; at <= len(units); at++ {
		if at == len(units) || units[at].tone != units[from].tone {
			if at > from {
				out = append(out, Span{textOf(units[from:at]), units[from].tone})
			}
			from = at
		}
		if at == len(units) {
			break
		}
	}
	return out
}

// Inert returns s on one line, safe on any terminal, with every byte of s shown. What cannot be
// shown as itself becomes ⟦U+202E⟧ or ⟦xFF⟧, a newline ⏎, a long run a character and its count. No
// two strings have the same form. Use it for every text of an agent or a person that is shown
// outside a [Page].
func Inert(s string) string { return textOf(show(s, exact, nil)) }
