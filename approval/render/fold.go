package render

import "fmt"

// How much of one value is shown on a page that is not full: enough to judge, and little enough
// that the rest of the page stays in sight. What a danger span covers is always shown.
const (
	maxShown    = 1000 // characters of one value shown without a cut
	keepHead    = 600
	keepTail    = 200
	keepContext = 40 // around a danger span
)

// elide cuts a long value. It returns the units that stay, with a mark for each gap that counts the
// hidden characters, and whether anything was cut.
func elide(units []unit) ([]unit, bool) {
	total := 0
	for _, u := range units {
		total += max(u.chars, 0)
	}
	if total <= maxShown || len(units) <= keepHead+keepTail {
		return units, false
	}
	out, hidden := shorten(units, keepHead, keepTail, "truncated")
	return out, hidden > 0
}

// shorten keeps head units at the beginning, tail units at the end, and what must be shown with its
// context. It returns the number of hidden characters.
func shorten(units []unit, head, tail int, word string) (out []unit, all int) {
	keep := make([]bool, len(units))
	for i := range units {
		keep[i] = keep[i] || i < head || i >= len(units)-tail
		if !units[i].must {
			continue
		}
		for j := max(0, i-keepContext); j < min(len(units), i+keepContext+1); j++ {
			keep[j] = true
		}
	}
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
		out = append(out, truncation(word, hidden, at))
		all += hidden
	}
	return out, all
}

// truncation is the mark for hidden characters. No payload can show the brackets around it.
func truncation(word string, chars, at int) unit {
	text := fmt.Sprintf("%s[%s, %d chars]%s", openCode, word, chars, closeCode)
	return unit{text: text, cells: len(text) - len(openCode) - len(closeCode) + 2, at: at,
		must: true}
}

// wrap breaks units into lines of at most width cells: at hard ends, else after the last space of a
// line that is more than half full, else at the width. Nothing is dropped at a break. first and
// next are the prefixes of the first line and of every other line.
func wrap(units []unit, width int, first, next string) []string {
	var lines []string
	prefix := first
	for start := 0; start < len(units) || start == 0; {
		end := lineEnd(units[start:], width-cellCount(prefix)) + start
		lines = append(lines, prefix+textOf(units[start:end]))
		if end == len(units) {
			break
		}
		start, prefix = end, next
	}
	return lines
}

// lineEnd returns how many units fit on a line of room cells; at least one if there is one.
func lineEnd(units []unit, room int) int {
	used, space := 0, 0
	for i, u := range units {
		if used+u.cells > room && i > 0 {
			if space > i/2 {
				return space
			}
			return i
		}
		used += u.cells
		if u.hard {
			return i + 1
		}
		if u.text == " " {
			space = i + 1
		}
	}
	return len(units)
}

// cellCount measures the renderer's own words, which are one cell each.
func cellCount(s string) int {
	n := 0
	for _, r := range s {
		n += cellsOf(r)
	}
	return n
}
