package screen

import (
	"slices"
	"strings"
)

// MaxCols and MaxRows limit a screen. No terminal in use is larger, and the size in a recording can
// be any number.
const (
	MaxCols = 1024
	MaxRows = 512
)

// A Screen is the model of a terminal. It must not be used by several goroutines.
type Screen struct {
	// Gone, if set, is called with each line of text when it can be seen for the last time: when it
	// leaves the screen at the top, when the screen is cleared, and, for what a full-screen program
	// drew, when that ends. wrapped says that the next line continues it. It must not call the
	// Screen.
	Gone func(text string, wrapped bool)
	// Told, if set, is called with each operating system command (OSC) of at most 4 KiB when it
	// ends: shells mark with them where commands begin and end. It must not call the Screen.
	Told func(text string)

	cols, rows int
	main, alt  page
	page       *page // main or alt, whichever is shown
	tabs       []bool
	title      string
	mode       modes
	pen        pen
	last       rune   // for REP
	keys       uint16 // of keyModes, the ones that are on
	parser     parser
}

// A page is one of the two screens.
type page struct {
	rows        []*row
	top, bottom int // scroll region, bottom excluded
	saved       pen
}

// A pen is where and how the next character is written; DECSC saves all of it.
type pen struct {
	x, y    int
	wrap    bool // the last column is written: the next character begins a row
	style   Style
	origin  bool
	graphic [2]bool // G0, G1 are DEC line drawing
	shift   uint8   // which of them is in use
}

type modes struct {
	noWrap, insert, hidden, inverse, newline bool
}

// New returns a blank screen. Sizes are limited to 1 and MaxCols or MaxRows.
func New(cols, rows int) *Screen {
	s := &Screen{cols: limit(cols, 1, MaxCols), rows: limit(rows, 1, MaxRows)}
	s.reset()
	return s
}

func limit(n, low, high int) int { return max(low, min(n, high)) }

// reset is RIS: as after power on.
func (s *Screen) reset() {
	if s.Gone != nil {
		s.keep(s.filled())
	}
	s.keys = 0
	s.mode, s.pen, s.title, s.last = modes{}, pen{style: Style{Tag: s.pen.style.Tag}}, "", 0
	for _, p := range []*page{&s.main, &s.alt} {
		p.resize(s.cols, s.rows)
		p.saved = pen{}
		for _, r := range p.rows {
			r.clear(0)
		}
	}
	s.page = &s.main
	s.defaultTabs()
}

func (s *Screen) defaultTabs() {
	s.tabs = slices.Grow(s.tabs[:0], s.cols)[:s.cols]
	for i := range s.tabs {
		s.tabs[i] = i%8 == 0
	}
}

// resize gives the page that many rows and resets its region to the whole.
func (p *page) resize(cols, rows int) {
	for len(p.rows) < rows {
		p.rows = append(p.rows, &row{fill: blank(0)})
	}
	clear(p.rows[rows:])
	p.rows = p.rows[:rows]
	for _, r := range p.rows {
		if len(r.cells) > cols {
			r.cut(cols, r.fill.Bg)
		}
	}
	p.top, p.bottom = 0, rows
}

// Resize changes the size as xterm does: lines are not broken again, and if rows are removed, they
// are removed at the top as long as the cursor would be lost below.
func (s *Screen) Resize(cols, rows int) {
	cols, rows = limit(cols, 1, MaxCols), limit(rows, 1, MaxRows)
	if cols == s.cols && rows == s.rows {
		return
	}
	for _, p := range []*page{&s.main, &s.alt} {
		y := p.saved.y
		if p == s.page {
			y = s.pen.y
		}
		if n := y - rows + 1; n > 0 {
			if p == s.page {
				s.keep(n)
				s.pen.y -= n
			}
			p.saved.y = max(0, p.saved.y-n)
			p.rows = append(p.rows[n:], p.rows[:n]...)
			for _, r := range p.rows[len(p.rows)-n:] {
				r.clear(0)
			}
		}
		p.resize(cols, rows)
		p.saved.x, p.saved.y = min(p.saved.x, cols-1), min(p.saved.y, rows-1)
	}
	s.cols, s.rows = cols, rows
	s.pen.x, s.pen.y, s.pen.wrap = min(s.pen.x, cols-1), min(s.pen.y, rows-1), false
	s.defaultTabs()
}

// Size returns columns and rows.
func (s *Screen) Size() (cols, rows int) { return s.cols, s.rows }

// Cell returns the cell at x, y, counted from 0 at the upper left; outside the screen, a blank.
// Reverse video of the whole screen is included.
func (s *Screen) Cell(x, y int) Cell {
	c := blank(0)
	if y >= 0 && y < s.rows && x >= 0 && x < s.cols {
		c = s.page.rows[y].at(x)
		if s.mode.inverse {
			c.Attr ^= Inverse
		}
	}
	return c
}

// Cursor returns where the next character would be written, and whether the
// program shows it.
func (s *Screen) Cursor() (x, y int, visible bool) { return s.pen.x, s.pen.y, !s.mode.hidden }

// Title returns the last title that the program gave its window: printable text of at most 256
// characters.
func (s *Screen) Title() string { return s.title }

// Alternate reports whether the alternate screen is shown.
func (s *Screen) Alternate() bool { return s.page == &s.alt }

// SetTag marks the cells that are written from now on.
func (s *Screen) SetTag(tag uint8) { s.pen.style.Tag = tag }

// Text returns what can be read in row y, without blanks at its end.
func (s *Screen) Text(y int) string {
	if y < 0 || y >= s.rows {
		return ""
	}
	return strings.TrimRight(s.page.rows[y].text(s.cols), " ")
}

// String returns the screen's text, a line for each row down to the last that
// is not blank.
func (s *Screen) String() string {
	var b strings.Builder
	for y := range s.filled() {
		b.WriteString(s.Text(y))
		b.WriteByte('\n')
	}
	return b.String()
}

// filled counts the rows down to the last one that is not blank.
func (s *Screen) filled() int {
	if s.page == nil {
		return 0
	}
	for y := len(s.page.rows); y > 0; y-- {
		if !s.page.rows[y-1].empty() {
			return y
		}
	}
	return 0
}

// keep passes the first n rows to Gone.
func (s *Screen) keep(n int) {
	if s.Gone == nil || s.page == nil {
		return
	}
	for _, r := range s.page.rows[:min(n, len(s.page.rows))] {
		if !r.told {
			s.Gone(r.text(s.cols), r.wrapped)
			r.told = true
		}
	}
}

// Flush passes what is on the screen to Gone: nothing more will come.
func (s *Screen) Flush() {
	if s.Alternate() {
		s.leaveAlternate()
	}
	s.keep(s.filled())
}

// Appeared reports whether match is true for a row that was written since the last call, and was
// false for it before. A row that only moved, as when the screen scrolls, did not appear.
func (s *Screen) Appeared(match func(text string) bool) bool {
	found := false
	for _, r := range s.page.rows {
		if !r.changed {
			continue
		}
		was := r.match
		r.match, r.changed = match(strings.TrimRight(r.text(s.cols), " ")), false
		found = found || r.match && !was
	}
	return found
}

// Look makes Appeared start over, with what is on the screen now.
func (s *Screen) Look(match func(text string) bool) {
	for _, p := range []*page{&s.main, &s.alt} {
		for _, r := range p.rows {
			r.match, r.changed = match(strings.TrimRight(r.text(s.cols), " ")), false
		}
	}
}

// Clone returns a copy that shares nothing with s except Gone and Told.
func (s *Screen) Clone() *Screen {
	c := *s
	c.main, c.alt = s.main.clone(), s.alt.clone()
	c.page = &c.main
	if s.Alternate() {
		c.page = &c.alt
	}
	c.tabs = slices.Clone(s.tabs)
	c.parser.text = slices.Clone(s.parser.text)
	return &c
}

func (p *page) clone() page {
	c := *p
	c.rows = make([]*row, len(p.rows))
	for i, r := range p.rows {
		c.rows[i] = r.clone()
	}
	return c
}

// cellSize is the size of a Cell in memory.
const cellSize = 28

// Bytes estimates the memory of a Clone.
func (s *Screen) Bytes() int {
	n := len(s.parser.text) + len(s.tabs) + 1024
	for _, p := range []*page{&s.main, &s.alt} {
		for _, r := range p.rows {
			n += len(r.cells)*cellSize + 96
		}
	}
	return n
}

// leaveAlternate shows the main screen again. What the program drew last is passed to Gone now,
// after what was above it on the main screen: that is the order in which a person saw them.
func (s *Screen) leaveAlternate() {
	s.page = &s.main
	above := min(s.main.saved.y, s.filled())
	s.keep(above)
	s.page = &s.alt
	for _, r := range s.alt.rows {
		r.told = false
	}
	s.keep(s.filled())
	s.page = &s.main
}
