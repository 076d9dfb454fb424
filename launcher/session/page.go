package session

import (
	"fmt"
	"strings"
	"unicode"
)

// A pager shows a text that may be longer than the screen, and knows which parts were shown: a
// person cannot approve what was never on the screen.
type pager struct {
	lines  []string
	top    int // first line of the window
	height int // lines of the window
	begin  int // what was shown without a gap from the first line: lines[:begin]
}

// footer is how many rows below the text are ours.
const footer = 2

// lay replaces the text, for a screen of cols by rows cells. What was shown before does not
// count for the new text.
func (p *pager) lay(text string, cols, rows int) {
	*p = pager{lines: wrap(text, max(cols, 1)), height: max(rows-footer, 1)}
	p.show()
}

// move scrolls by a number of lines.
func (p *pager) move(by int) {
	p.top = max(0, min(p.top+by, len(p.lines)-p.height))
	p.show()
}

func (p *pager) show() {
	if p.top <= p.begin {
		p.begin = max(p.begin, min(p.top+p.height, len(p.lines)))
	}
}

func (p *pager) window() []string {
	return p.lines[p.top:min(p.top+p.height, len(p.lines))]
}

// whole reports whether every line was on the screen.
func (p *pager) whole() bool { return p.begin >= len(p.lines) }

// position says where the window is, "" when everything fits.
func (p *pager) position() string {
	if len(p.lines) <= p.height {
		return ""
	}
	return fmt.Sprintf("lines %d-%d of %d", p.top+1, min(p.top+p.height, len(p.lines)),
		len(p.lines))
}

// wrap breaks text into lines of at most cols cells. The text should be inert already; what could
// still move the cursor, hide or reorder text becomes U+FFFD, except colours (ESC [ ... m), which
// end with their line. What is broken off begins with a mark: else a name could be made so that its
// end looks like a line of the page.
func wrap(text string, cols int) (lines []string) {
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		var b strings.Builder
		used, coloured := 0, false
		flush := func() {
			if coloured {
				b.WriteString("\x1b[0m")
			}
			lines = append(lines, b.String())
			b.Reset()
			used, coloured = 0, false
		}
		for len(line) > 0 {
			if n := colour(line); n > 0 {
				b.WriteString(line[:n])
				line, coloured = line[n:], true
				continue
			}
			r, size := decodeRune(line)
			line = line[size:]
			w := cells(r)
			if used > 0 && used+w > cols {
				if flush(); cols > 8 {
					b.WriteString(broken)
					used = len(broken)
				}
			}
			b.WriteRune(r)
			used += w
		}
		flush()
	}
	return lines
}

// broken begins what was broken off a line.
const broken = "  > "

// decodeRune returns the first rune of s, made harmless.
func decodeRune(s string) (r rune, size int) {
	for i, c := range s {
		if i > 0 {
			return r, i
		}
		r = c
		if !unicode.IsPrint(c) {
			r = unicode.ReplacementChar
		}
	}
	return r, len(s)
}

// narrow are the ranges from U+1100 on that take one cell on every terminal that does not
// double ambiguous characters (Unicode Standard Annex 11): punctuation, arrows and operators,
// boxes and blocks, brackets, and two dingbats that pages are drawn with.
var narrow = []struct{ first, last rune }{
	{0x1e00, 0x1fff}, {0x2010, 0x22ff}, {0x23ce, 0x23ce}, {0x2420, 0x2420}, {0x2500, 0x25fc},
	{0x270e, 0x270e}, {0x2717, 0x2717}, {0x27c0, 0x27ff},
}

// cells over-estimates on purpose: a line that is broken too early is ugly, one that the
// terminal breaks makes the count of rows wrong, and with it what is erased.
func cells(r rune) int {
	if r < 0x1100 {
		return 1
	}
	for _, n := range narrow {
		if n.first <= r && r <= n.last {
			return 1
		}
	}
	return 2
}

// colour returns the length of the SGR sequence at the start of s, 0 if there is none.
func colour(s string) int {
	if !strings.HasPrefix(s, "\x1b[") {
		return 0
	}
	for i := 2; i < len(s) && i < maxSequence; i++ {
		switch c := s[i]; {
		case c == 'm':
			return i + 1
		case c != ';' && (c < '0' || c > '9'):
			return 0
		}
	}
	return 0
}

// width counts the cells of a line that wrap made.
func width(line string) (sum int) {
	for len(line) > 0 {
		if n := colour(line); n > 0 {
			line = line[n:]
			continue
		}
		r, size := decodeRune(line)
		line = line[size:]
		sum += cells(r)
	}
	return sum
}
