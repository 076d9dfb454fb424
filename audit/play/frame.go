package play

import (
	"fmt"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit/screen"
)

// A Frame is a picture for the viewer's terminal.
type Frame struct {
	Cols, Rows       int
	Lines            [][]screen.Cell // Rows of them, each Cols long
	CursorX, CursorY int
	Cursor           bool // is shown
}

// statusRows are the rows below the session's screen: the position, and what happens.
const statusRows = 2

// blank is a frame of spaces, of the nearest size that a screen can have.
func blank(cols, rows int) Frame {
	cols, rows = min(max(cols, 1), screen.MaxCols), min(max(rows, 1), screen.MaxRows)
	f := Frame{Cols: cols, Rows: rows, Lines: make([][]screen.Cell, rows)}
	for y := range f.Lines {
		f.Lines[y] = make([]screen.Cell, cols)
		for x := range f.Lines[y] {
			f.Lines[y][x] = screen.Cell{Rune: ' ', Width: 1}
		}
	}
	return f
}

// Frame draws what the viewer sees on a terminal of that size: the session's screen (or, if that is
// larger, the part of it around the cursor) and the status below.
func (p *Player) Frame(cols, rows int) Frame {
	f := blank(cols, rows)
	cols, rows = f.Cols, f.Rows
	area := max(1, rows-statusRows)
	if p.help {
		f.help(area)
	} else {
		f.session(p, area)
	}
	if rows > area {
		f.text(0, area, p.bar(cols), screen.Style{Attr: screen.Inverse})
	}
	if rows > area+1 {
		p.below(&f, area+1)
	}
	return f
}

// offset is how far a screen of size n must be moved so that the cursor is inside an area.
func offset(n, area, cursor int) int {
	if n <= area {
		return 0
	}
	return min(max(0, cursor-area+1), n-area)
}

func (f *Frame) session(p *Player, area int) {
	s := p.Screen()
	cols, rows := s.Size()
	cx, cy, shown := s.Cursor()
	dx, dy := offset(cols, f.Cols, cx), offset(rows, area, cy)
	for y := range min(area, rows) {
		line := f.Lines[y]
		for x := range min(f.Cols, cols) {
			line[x] = p.author(s.Cell(x+dx, y+dy))
		}
		mend(line)
		if p.query.text != "" {
			highlight(line[:min(f.Cols, cols)], p.query)
		}
		if cols < f.Cols { // where the session's terminal ended
			line[cols] = screen.Cell{Rune: '│', Width: 1, Style: screen.Style{Attr: screen.Faint}}
		}
	}
	f.CursorX, f.CursorY, f.Cursor = cx-dx, cy-dy, shown && p.prompt == nil && cy-dy < area
}

// mend blanks halves of wide characters that the edge cut.
func mend(line []screen.Cell) {
	if n := len(line); n > 0 {
		if line[0].Width == 0 {
			line[0].Rune, line[0].Width = ' ', 1
		}
		if line[n-1].Width == 2 {
			line[n-1].Rune, line[n-1].Width = ' ', 1
		}
	}
}

// authorColors are the colours of typed text, by the first word of its author.
var authorColors = map[string]screen.Color{
	"human": screen.Indexed(3), "person": screen.Indexed(3), "agent": screen.Indexed(6),
	"term": screen.Indexed(5),
}

func authorColor(author string) screen.Color {
	kind, _, _ := strings.Cut(author, ":")
	return authorColors[kind]
}

// author colours a cell that was typed.
func (p *Player) author(c screen.Cell) screen.Cell {
	if c.Tag != 0 {
		c.Fg = authorColor(p.tape.stage.cast.name(c.Tag))
		c.Attr |= screen.Underline
		c.Tag = 0
	}
	return c
}

// highlight inverts what was searched for.
func highlight(line []screen.Cell, q query) {
	var text strings.Builder
	var at []int // byte -> column
	for x, c := range line {
		if c.Width == 0 {
			continue
		}
		text.WriteRune(c.Rune)
		for _, m := range c.Marks {
			if m != 0 {
				text.WriteRune(m)
			}
		}
		for len(at) < text.Len() {
			at = append(at, x)
		}
	}
	row := text.String()
	for from := 0; ; {
		i := q.in(row[from:])
		if i < 0 {
			return
		}
		end := from + i + len(q.text)
		for b := from + i; b < end && b < len(at); b++ {
			line[at[b]].Attr |= screen.Inverse | screen.Bold
		}
		from = end
	}
}

// text writes one line of the player and returns the column after it. Only characters are written
// here too, because the line contains names and labels from the record.
func (f *Frame) text(x, y int, text string, st screen.Style) int {
	line := f.Lines[y]
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		w := screen.Width(r)
		if w < 0 {
			r, w = '·', 1
		}
		if w == 0 {
			continue
		}
		if x+w > len(line) {
			break
		}
		line[x] = screen.Cell{Rune: r, Width: uint8(w), Style: st}
		if w == 2 {
			line[x+1] = screen.Cell{Style: st}
		}
		x += w
	}
	return x
}

// bar returns the line that shows the position in the session, over the whole width.
func (p *Player) bar(cols int) string {
	state := "▶"
	switch {
	case p.job != nil:
		state = "…"
	case p.follow:
		state = "●"
	case p.paused:
		state = "‖"
	}
	left := fmt.Sprintf(" %s %s / %s ", state, clock(p.pos), clock(max(p.total, p.pos)))
	var right []string
	if p.speed != 1 {
		right = append(right, fmt.Sprintf("%gx", p.speed))
	}
	if p.idle {
		right = append(right, fmt.Sprintf("pauses %v", p.set.Idle))
	}
	sw, sh := p.Screen().Size()
	right = append(right, fmt.Sprintf("%dx%d", sw, sh))
	if p.set.Proof != "" {
		right = append(right, p.set.Proof)
	}
	right = append(right, "? help ")
	end := strings.Join(right, "  ")
	room := cols - len([]rune(left)) - len([]rune(end)) - 1
	if room < 8 {
		room, end = max(0, cols-len([]rune(left))), ""
	}
	return left + p.progress(room) + " " + end + strings.Repeat(" ", cols)
}

// progress returns a bar of width columns, with the marks of the session and those that were given.
func (p *Player) progress(width int) string {
	if width <= 0 {
		return ""
	}
	total := max(p.total, p.pos, 1)
	cells := make([]rune, width)
	done := int(float64(p.pos) / float64(total) * float64(width))
	for i := range cells {
		cells[i] = '─'
		if i < done {
			cells[i] = '━'
		}
	}
	mark := func(at time.Duration) {
		if at <= total {
			cells[min(width-1, int(float64(at)/float64(total)*float64(width)))] = '◆'
		}
	}
	for _, m := range p.set.Marks {
		mark(m.At)
	}
	for _, at := range p.tape.film.allMarks() {
		mark(at)
	}
	return string(cells)
}

// clock writes a time as people read it on a player.
func clock(d time.Duration) string {
	s := int64(d / time.Second)
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%02d:%02d.%d", s/60, s%60, d/(100*time.Millisecond)%10)
}

// below draws the last line: what is asked or went wrong, else who typed what, what happened, and
// the position in the session.
func (p *Player) below(f *Frame, y int) {
	switch {
	case p.prompt != nil:
		x := f.text(0, y, "/"+string(p.prompt.text), screen.Style{})
		f.CursorX, f.CursorY, f.Cursor = min(x, f.Cols-1), y, true
		return
	case p.job != nil:
		f.text(1, y, "searching; any key stops it", screen.Style{Attr: screen.Faint})
		return
	case p.message != "":
		f.text(1, y, p.message, screen.Style{Attr: screen.Bold})
		return
	case p.problem() != "" && p.tape.end:
		f.text(1, y, p.problem(), screen.Style{Fg: screen.Indexed(1), Attr: screen.Bold})
		return
	}
	s := p.tape.stage
	x := 1
	if n := s.typed; n.text != "" {
		st := screen.Style{Fg: authorColor(n.by)}
		x = f.text(x, y, n.by+" ", st)
		st.Attr = screen.Bold
		x = f.text(x, y, n.text, st) + 2
	}
	if n := s.said; n.text != "" && p.pos-n.at < 10*time.Second && x < f.Cols {
		x = f.text(x, y, n.text, screen.Style{}) + 2
	}
	if label := p.label(); label != "" && x < f.Cols {
		f.text(x, y, "◆ "+label, screen.Style{Attr: screen.Faint})
	}
}

// label returns the label of the last mark passed.
func (p *Player) label() string {
	m := p.tape.stage.mark
	for _, o := range p.set.Marks {
		if o.At <= p.pos && o.At >= m.At {
			m = o
		}
	}
	if m.Label == "" {
		return p.set.Title
	}
	return m.Label
}

// help lists the keys, in as many columns as needed.
func (f *Frame) help(area int) {
	width := max(1, f.Cols/((len(bindings)+area-1)/area))
	for i, b := range bindings {
		if x := i / area * width; x < f.Cols {
			end := min(f.Cols, x+width-1)
			part := Frame{Cols: end, Rows: f.Rows, Lines: [][]screen.Cell{f.Lines[i%area][:end]}}
			part.text(x, 0, fmt.Sprintf("%-10s %s", b.name(), b.help), screen.Style{})
		}
	}
}
