package render

import "time"

// The least time that a page is shown before an answer counts. It is not the time that reading
// takes: even a reader who knows what to look for needs longer. It grows with the risk and the
// length.
const (
	readingStart = 400 * time.Millisecond // to see that the screen has changed
	readingLine  = 15 * time.Millisecond
	readingRisk  = 300 * time.Millisecond // for each step of the risk
	readingMost  = 3 * time.Second
)

// ReadingTime is how long the page of a plan must have been shown before its approval is accepted.
// It does not depend on the width of a screen, so that the prompt and the store agree.
func ReadingTime(payload []byte, risk int) time.Duration {
	if len(payload) > maxInlineBytes {
		return readingMost
	}
	page := Render(payload, Options{})
	if page.Truncated {
		page = Render(payload, Options{Full: true})
	}
	lines := readingLine * time.Duration(len(page.Lines))
	return min(readingStart+lines+readingRisk*time.Duration(risk), readingMost)
}

// A Reading records which lines a person has seen. A page on which something was cut may not be
// approved until every line of the full page was on the screen. Scrolling to the end in one jump is
// not reading, so lines count, not the position.
type Reading struct {
	seen []bool
	left int
}

// NewReading begins to read a page with this many lines.
func NewReading(lines int) *Reading {
	return &Reading{seen: make([]bool, max(lines, 0)), left: max(lines, 0)}
}

// Show records that the lines from up to but not including to were on the screen. Lines outside the
// page are ignored.
func (r *Reading) Show(from, to int) {
	for i := max(from, 0); i < min(to, len(r.seen)); i++ {
		if !r.seen[i] {
			r.seen[i] = true
			r.left--
		}
	}
}

// Done reports whether every line was shown.
func (r *Reading) Done() bool { return r != nil && r.left == 0 }

// Next returns the first line that was not shown, or the number of lines if there is none.
func (r *Reading) Next() int {
	for i, seen := range r.seen {
		if !seen {
			return i
		}
	}
	return len(r.seen)
}
