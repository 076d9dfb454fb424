package screen

import (
	"bytes"
	"slices"
	"unicode/utf8"
)

// A Color is the terminal's default (the zero value), one of its 256, or RGB.
type Color uint32

const (
	indexed = 1 << 24
	direct  = 2 << 24
)

// Indexed returns colour n of the terminal's palette.
func Indexed(n uint8) Color { return indexed | Color(n) }

// RGB returns a direct colour.
func RGB(r, g, b uint8) Color { return direct | Color(r)<<16 | Color(g)<<8 | Color(b) }

// Index returns the index in the palette; ok is false for other colours.
func (c Color) Index() (n uint8, ok bool) { return uint8(c), c>>24 == 1 }

// RGB returns a direct colour's parts; ok is false for other colours.
func (c Color) RGB() (r, g, b uint8, ok bool) {
	return uint8(c >> 16), uint8(c >> 8), uint8(c), c>>24 == 2
}

// An Attr is a set of renditions.
type Attr uint16

// The renditions of SGR 1 to 9.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Underline
	Blink
	Inverse
	Conceal
	Strike
)

// A Style is how a cell is drawn. Tag belongs to the caller: SetTag sets it, and it has no meaning
// here.
type Style struct {
	Fg, Bg Color
	Attr   Attr
	Tag    uint8
}

// A Cell is one place of the screen. Rune is a printable character; it is 0, as is Width, in the
// right half of a wide one. Marks are the combining characters on it, 0 where there is none. Only
// two are kept, because a program can put any number of them into one cell.
type Cell struct {
	Rune  rune
	Marks [2]rune
	Style
	Width uint8
}

// blank is what an erased cell looks like.
func blank(bg Color) Cell { return Cell{Rune: ' ', Width: 1, Style: Style{Bg: bg}} }

// A row is a line of the screen. Cells from len(cells) on look like fill, so erasing costs nothing,
// and a screen of any size takes memory only where something was written.
type row struct {
	cells   []Cell
	fill    Cell
	wrapped bool // continues in the next row
	changed bool // since the search looked at it
	match   bool // what the search found then
	told    bool // passed to Screen.Gone
}

func (r *row) clear(bg Color) {
	r.cells, r.fill = r.cells[:0], blank(bg)
	r.wrapped, r.changed, r.told = false, true, false
}

// reach makes the first n cells writable.
func (r *row) reach(n int) {
	if old := len(r.cells); old < n {
		r.cells = slices.Grow(r.cells, n-old)[:n]
		for i := old; i < n; i++ {
			r.cells[i] = r.fill
		}
	}
	r.changed, r.told = true, false
}

// replace returns the n cells from x on, to be written: what is in them is undefined.
func (r *row) replace(x, n int) []Cell {
	r.reach(x)
	r.split(x)
	r.split(x + n)
	if more := x + n - len(r.cells); more > 0 {
		r.cells = slices.Grow(r.cells, more)[:x+n]
	}
	return r.cells[x : x+n]
}

// cut ends the row at x; what was after it is erased.
func (r *row) cut(x int, bg Color) {
	if x < len(r.cells) {
		r.split(x)
		r.cells = r.cells[:x]
	} else {
		r.reach(x)
	}
	r.fill, r.wrapped, r.changed, r.told = blank(bg), false, true, false
}

// erase blanks the cells from x up to end; cols is the number of cells.
func (r *row) erase(x, end, cols int, bg Color) {
	if end >= cols {
		r.cut(x, bg)
		return
	}
	r.reach(end)
	r.split(x)
	r.split(end)
	for i := x; i < end; i++ {
		r.cells[i] = blank(bg)
	}
}

// split makes sure that no wide character crosses the left edge of x: half of one cannot be drawn.
func (r *row) split(x int) {
	if x > 0 && x < len(r.cells) && r.cells[x].Width == 0 {
		r.cells[x-1] = blank(r.cells[x-1].Bg)
		r.cells[x] = blank(r.cells[x].Bg)
	}
}

// at returns the cell at x, written or not.
func (r *row) at(x int) Cell {
	if x < len(r.cells) {
		return r.cells[x]
	}
	return r.fill
}

func (r *row) clone() *row {
	c := *r
	c.cells = append([]Cell(nil), r.cells...)
	return &c
}

// text returns what can be read in a row of cols columns, without the blanks at its end; if the row
// continues in the next one, they are part of the text.
func (r *row) text(cols int) string {
	var room [512]byte
	b := room[:0]
	for i := range r.cells {
		b = r.cells[i].appendTo(b)
	}
	if r.fill.Rune != ' ' {
		for range cols - len(r.cells) {
			b = r.fill.appendTo(b)
		}
	}
	if !r.wrapped {
		b = bytes.TrimRight(b, " ")
	}
	return string(b)
}

// empty reports whether text would be "".
func (r *row) empty() bool {
	for i := range r.cells {
		if c := &r.cells[i]; c.Rune != ' ' && c.Attr&Conceal == 0 {
			return false
		}
	}
	return r.fill.Rune == ' '
}

func (c *Cell) appendTo(b []byte) []byte {
	switch {
	case c.Width == 0:
		return b
	case c.Attr&Conceal != 0:
		return append(b, ' ')
	case c.Rune < utf8.RuneSelf:
		b = append(b, byte(c.Rune))
	default:
		b = utf8.AppendRune(b, c.Rune)
	}
	for _, m := range c.Marks {
		if m != 0 {
			b = utf8.AppendRune(b, m)
		}
	}
	return b
}
