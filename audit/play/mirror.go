package play

import (
	"strings"

	"github.com/tada-run/tada-run/audit/screen"
)

// A Mirror shows a screen that is kept elsewhere on a viewer's terminal, with one line of status
// below it. As in a replay, pictures reach the terminal and never the bytes that were recorded. The
// exception is what the keyboard of a viewer who types there has to know (Keys). The zero Mirror
// has no size; call Resize first.
type Mirror struct {
	Bar   string // the status, plain text
	Whole bool   // the status is shown elsewhere: all rows are the screen's
	Keys  bool   // the keys go to the program: the terminal gets the modes that it set

	shown      *screen.Screen
	painter    painter
	cols, rows int
	keys       string
}

// NewMirror returns a Mirror of a screen of that size.
func NewMirror(cols, rows int) *Mirror {
	return &Mirror{shown: screen.New(cols, rows)}
}

// Write takes what the program printed.
func (m *Mirror) Write(p []byte) (int, error) { return m.shown.Write(p) }

// Reset starts over with a blank screen of that size.
func (m *Mirror) Reset(cols, rows int) { m.shown = screen.New(cols, rows) }

// SetSize changes the size of the mirrored screen.
func (m *Mirror) SetSize(cols, rows int) { m.shown.Resize(cols, rows) }

// Size returns the size of the mirrored screen.
func (m *Mirror) Size() (cols, rows int) { return m.shown.Size() }

// Resize sets the size of the viewer's terminal. One of its rows is the status, if there is one.
func (m *Mirror) Resize(cols, rows int) { m.cols, m.rows = cols, rows }

// Forget makes the next Paint draw everything: something else was on the terminal.
func (m *Mirror) Forget() { m.painter, m.keys = painter{}, "" }

// Enter returns the bytes that take over the viewer's terminal.
func (m *Mirror) Enter() []byte { return []byte(enter) }

// Leave returns the bytes that restore it.
func (m *Mirror) Leave() []byte { return []byte(screen.NoKeys + leave) }

// Paint returns the bytes that bring the viewer's terminal up to date. They are valid until the
// next call.
func (m *Mirror) Paint() []byte {
	f := blank(m.cols, m.rows)
	area := max(1, f.Rows-1)
	if m.Whole {
		area = f.Rows
	}
	f.session(&Player{tape: &tape{stage: &stage{screen: m.shown}}}, area)
	if f.Rows > area {
		bar := m.Bar + strings.Repeat(" ", f.Cols)
		f.text(0, area, bar, screen.Style{Attr: screen.Inverse})
	}
	p := m.painter.paint(f)
	keys := ""
	if m.Keys {
		keys = m.shown.Keys()
	}
	if keys != m.keys {
		m.keys = keys
		p = append(append(p, screen.NoKeys...), keys...)
	}
	return p
}

// reset does mode by mode what a soft reset (DECSTR) does: tmux does not know that sequence, and a
// terminal larger than the program's would keep the margins of the smaller one.
const reset = "\x1b[!p\x1b[r\x1b[?6l\x1b[4l\x1b[20l\x1b[?7h\x1b[?25h\x1b(B\x1b)B\x0f\x1b[0m"

// Redraw returns bytes that make a terminal, or a Screen, of the same size show what s shows, and
// make its keyboard send what the program expects. What it showed before is gone.
func Redraw(s *screen.Screen) []byte {
	cols, rows := s.Size()
	b := []byte(reset + screen.NoKeys + "\x1b[?1049l")
	if s.Alternate() {
		b = append(b, "\x1b[?1049h"...)
	}
	b = append(b, "\x1b[H\x1b[2J"...)
	for y := range rows {
		line := make([]screen.Cell, cols)
		last := 0
		for x := range line {
			line[x] = s.Cell(x, y)
			if line[x].Rune != ' ' || line[x].Style != (screen.Style{}) {
				last = x + max(1, int(line[x].Width))
			}
		}
		if last == 0 {
			continue
		}
		b = append(position(b, 0, y), "\x1b[0m"...)
		b = appendLine(b, line[:min(last, cols)])
	}
	b = append(b, "\x1b[0m"...)
	b = append(b, s.State()...)
	b = append(b, s.Keys()...)
	x, y, visible := s.Cursor()
	b = position(b, x, y)
	if !visible {
		b = append(b, "\x1b[?25l"...)
	}
	return append(appendStyle(b, s.Pen()), s.Pending()...)
}
