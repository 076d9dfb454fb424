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
	chars int  // characters of the payload that it stands for; 0 for the renderer's own words
	at    int  // where they begin in the payload text, in bytes
	must  bool // part of a danger span: never elided
	hard  bool // the line ends after it
}

// How often the same character is written out before it becomes a count. Padding serves to push
// something out of sight, so it is the padding that must not take room.
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

// show turns payload text into units: every byte of s is represented and none can act on a
// terminal. It is injective for each style; restore is its inverse. The offsets in mark, ascending,
// are where callers need a boundary of units: a repeat is not counted across one.
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
			out = append(out, unit{text: u.text + count, cells: u.cells + utf8.RuneCountInString(count), chars: n, at: i, hard: hard})
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

// charLen is the length of the first character; an invalid byte is one.
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
		return unit{text: showNewline, cells: 1, chars: 1, hard: true}
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

// Inert returns s in a form that is one line, safe on any terminal, and shows every byte of s:
// what cannot stand for itself stands as ⟦U+202E⟧ or ⟦xFF⟧, a newline as ⏎, long runs as a
// character and its count. No two strings have the same form, and [Restore] gives s back. Use it
// for every text of an agent or a person that is shown outside a [Page].
func Inert(s string) string { return textOf(show(s, exact, nil)) }

// Restore returns the string whose [Inert] form is t, or an error when t is no such form.
func Restore(t string) (string, error) {
	var out []byte
	last := "" // the character before, which a count repeats
	for i := 0; i < len(t); {
		rest := t[i:]
		if !strings.HasPrefix(rest, openCode) {
			r, n := utf8.DecodeRuneInString(rest)
			i += n
			switch string(r) {
			case showSpace:
				last = " "
			case showNewline:
				last = "\n"
			case showTab:
				last = "\t"
			default:
				last = rest[:n]
				if r >= utf8.RuneSelf && strings.HasPrefix(t[i:], openCode+"U+") {
					continue // its code point follows and says the same
				}
			}
			out = append(out, last...)
			continue
		}
		code, _, found := strings.Cut(rest[len(openCode):], closeCode)
		if !found {
			return "", fmt.Errorf("approval: %q does not end", openCode)
		}
		i += len(openCode) + len(code) + len(closeCode)
		add, err := restoreCode(code, last)
		if err != nil {
			return "", err
		}
		if !strings.HasPrefix(code, "×") {
			last = add
		}
		out = append(out, add...)
		if len(out) > maxRestored {
			return "", fmt.Errorf("approval: text is longer than %d bytes", maxRestored)
		}
	}
	// One spelling again: everything that show would not have written is refused here.
	if s := string(out); Inert(s) == t {
		return s, nil
	}
	return "", fmt.Errorf("approval: %q is not rendered text", t)
}

// maxRestored bounds what counts can make of a short text.
const maxRestored = 64 << 20

// restoreCode reads what stands between brackets.
func restoreCode(code, last string) (string, error) {
	switch {
	case strings.HasPrefix(code, "×"):
		n, err := strconv.Atoi(code[len("×"):])
		if err != nil || n < 2 || n > maxRestored {
			return "", fmt.Errorf("approval: %q is not a count", code)
		}
		return strings.Repeat(last, n-1), nil
	case strings.HasPrefix(code, "U+"):
		r, err := strconv.ParseUint(code[len("U+"):], 16, 32)
		if err != nil || !utf8.ValidRune(rune(r)) {
			return "", fmt.Errorf("approval: %q is not a code point", code)
		}
		return string(rune(r)), nil
	case strings.HasPrefix(code, "x"):
		c, err := strconv.ParseUint(code[1:], 16, 8)
		if err != nil {
			return "", fmt.Errorf("approval: %q is not a byte", code)
		}
		return string([]byte{byte(c)}), nil
	}
	return "", fmt.Errorf("approval: %q is unknown", code)
}
