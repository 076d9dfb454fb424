package render

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// How much of one value the first page shows. What a reason points at is always shown.
const (
	maxForeign = 400 // characters of bytes that are not a plan
	maxName    = 160 // of a directory, the name of an agent, or another value
	maxMessage = 240 // of a reason
	maxReasons = 5   // reasons of one call
	maxUnknown = 3   // pieces that cannot be inspected
)

// keepContext is how much is shown around what a reason points at, in characters.
const keepContext = 40

// shorten keeps head units at the beginning, tail units at the end, and what must be shown with its
// context. It returns the number of hidden characters.
func shorten(units []unit, head, tail int, word string) (out []unit, hidden int) {
	keep := make([]bool, len(units))
	for i := range units {
		keep[i] = keep[i] || i < head || i >= len(units)-tail
		if units[i].must {
			keepAround(keep, i)
		}
	}
	return hide(units, keep, word)
}

func keepAround(keep []bool, i int) {
	for j := max(0, i-keepContext); j < min(len(keep), i+keepContext+1); j++ {
		keep[j] = true
	}
}

// hide returns the units that are kept, with a mark in each gap, and how many characters are
// hidden.
func hide(units []unit, keep []bool, word string) (out []unit, all int) {
	for i := 0; i < len(units); {
		if keep[i] {
			out = append(out, units[i])
			i++
			continue
		}
		hidden, at := 0, units[i].at
		for ; i < len(units) && !keep[i]; i++ {
			hidden += units[i].chars
		}
		if hidden > 0 {
			out = append(out, truncation(word, hidden, at))
		}
		all += hidden
	}
	return out, all
}

// truncation is the mark for hidden characters. No payload can show the brackets around it.
func truncation(word string, chars, at int) unit {
	text := fmt.Sprintf("%s[%s, %d chars]%s", openCode, word, chars, closeCode)
	return unit{text: text, cells: utf8.RuneCountInString(text), at: at, must: true}
}

// narrowed breaks marks that are wider than a line into their characters.
func narrowed(units []unit, room int) []unit {
	if !slices.ContainsFunc(units, func(u unit) bool { return u.cells > room && u.cells > 2 }) {
		return units
	}
	var out []unit
	for _, u := range units {
		if u.cells <= room || u.cells <= 2 {
			out = append(out, u)
			continue
		}
		parts := toned(u.tone, own(u.text))
		for i := range parts {
			parts[i].at, parts[i].must = u.at, u.must
		}
		parts[0].chars = u.chars
		out = append(out, parts...)
	}
	return out
}

// wrap breaks units into lines of at most width cells: at hard ends, else after the last space, or
// else the last slash, of a line that is more than half full, else at the width. Nothing is dropped
// at a break. first and next are the prefixes of the first line and of every other line.
func wrap(units []unit, width int, first, next string) [][]unit {
	var lines [][]unit
	prefix := toned(Label, own(first))
	units = narrowed(units, width-cellsIn(prefix))
	for start := 0; start < len(units) || start == 0; {
		end := lineEnd(units[start:], width-cellsIn(prefix)) + start
		lines = append(lines, slices.Concat(prefix, units[start:end]))
		if end == len(units) {
			break
		}
		start, prefix = end, toned(Label, own(next))
	}
	return lines
}

// lineEnd returns how many units fit on a line of room cells; at least one if there is one.
func lineEnd(units []unit, room int) int {
	used, space, slash := 0, 0, 0
	for i, u := range units {
		if used+u.cells > room && i > 0 {
			switch {
			case space > i/2:
				return space
			case slash > i/2:
				return slash
			}
			return i
		}
		used += u.cells
		switch {
		case u.hard:
			return i + 1
		case u.text == " ":
			space = i + 1
		case u.text == "/":
			slash = i + 1
		}
	}
	return len(units)
}

// cellsIn is how many columns units take.
func cellsIn(units []unit) int {
	n := 0
	for _, u := range units {
		n += u.cells
	}
	return n
}
