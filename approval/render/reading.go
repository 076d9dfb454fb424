package render

import "time"

// How long a page is before a person at least. It is not how long reading takes: it is what no
// reader undercuts, who knows what to look for. The riskier and the longer, the more.
const (
	readingStart = 400 * time.Millisecond // to see that the screen has changed
	readingLine  = 15 * time.Millisecond
	readingRisk  = 300 * time.Millisecond // for each step of the risk
	readingMost  = 3 * time.Second
)

// ReadingTime is how long the page of a plan must have been shown before an approval of it is
// accepted. It does not depend on the width of a screen, so that the prompt and the store agree.
func ReadingTime(payload []byte, risk int) time.Duration {
	page := Render(payload, Options{})
	if page.Truncated {
		page = Render(payload, Options{Full: true})
	}
	lines := readingLine * time.Duration(len(page.Lines))
	return min(readingStart+lines+readingRisk*time.Duration(risk), readingMost)
}

// A Reading follows what a person has had before their eyes. A page on which something was cut may
// not be approved until every line of the full page was on the screen; scrolling to the end in one
// jump is not reading, so lines count, not the position.
type Reading struct {
	seen []bool
	left int
}

// NewReading begins to read a page of so many lines.
func NewReading(lines int) *Reading {
	return &Reading{seen: make([]bool, max(lines, 0)), left: max(lines, 0)}
}

// Show says that lines from up to to, which is not included, were on the screen. What lies outside
// of the page is ignored.
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

// Next is the first line that was not shown; the number of lines when there is none.
func (r *Reading) Next() int {
	for i, seen := range r.seen {
		if !seen {
			return i
		}
	}
	return len(r.seen)
}
