package play

import (
	"strconv"

	"github.com/tada-run/tada-run/audit/screen"
)

// A painter writes frames to a terminal: of each, only the rows that changed.
type painter struct {
	cols, rows int
	shown      []string
	buf        []byte
}

const (
	// enter switches to the alternate screen, so that the viewer's own stays unchanged; without
	// wrapping, the last column can be written.
	enter = "\x1b[?1049h\x1b[?7l\x1b[0m\x1b[2J"
	leave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
	// A terminal that supports mode 2026 shows what is between as one picture.
	begin = "\x1b[?2026h\x1b[?25l"
	end   = "\x1b[?2026l"
)

// paint returns the bytes that show f. They are valid until the next call.
func (p *painter) paint(f Frame) []byte {
	p.buf = append(p.buf[:0], begin...)
	if f.Cols != p.cols || f.Rows != p.rows {
		p.cols, p.rows, p.shown = f.Cols, f.Rows, make([]string, f.Rows)
		p.buf = append(p.buf, "\x1b[0m\x1b[2J"...)
	}
	for y, line := range f.Lines {
		at := len(p.buf)
		p.buf = append(position(p.buf, 0, y), "\x1b[0m"...)
		p.buf = appendLine(p.buf, line)
		if row := string(p.buf[at:]); row != p.shown[y] {
			p.shown[y] = row
		} else {
			p.buf = p.buf[:at]
		}
	}
	if f.Cursor {
		p.buf = append(position(p.buf, f.CursorX, f.CursorY), "\x1b[?25h"...)
	}
	p.buf = append(p.buf, end...)
	return p.buf
}

func position(b []byte, x, y int) []byte {
	b = append(b, 0x1b, '[')
	b = strconv.AppendInt(b, int64(y+1), 10)
	b = append(b, ';')
	b = strconv.AppendInt(b, int64(x+1), 10)
	return append(b, 'H')
}

// appendLine writes cells. Terminals disagree about the width of some characters. After each of
// those the column is set again, so that a disagreement spoils one cell and not the row.
func appendLine(b []byte, line []screen.Cell) []byte {
	var st screen.Style
	for x, c := range line {
		if c.Width == 0 {
			continue
		}
		if c.Style != st {
			b = appendStyle(b, c.Style)
			st = c.Style
		}
		r := c.Rune
		if screen.Width(r) <= 0 || c.Attr&screen.Conceal != 0 {
			r = ' '
		}
		b = append(b, string(r)...)
		for _, m := range c.Marks {
			if m != 0 && screen.Width(m) == 0 {
				b = append(b, string(m)...)
			}
		}
		if r >= 0x7f && x+int(c.Width) < len(line) {
			b = append(b, 0x1b, '[')
			b = strconv.AppendInt(b, int64(x+int(c.Width)+1), 10)
			b = append(b, 'G')
		}
	}
	return b
}

func appendStyle(b []byte, st screen.Style) []byte {
	b = append(b, "\x1b[0"...)
	for i, n := range []byte{'1', '2', '3', '4', '5', '7', 0, '9'} {
		if st.Attr&(1<<i) != 0 && n != 0 {
			b = append(b, ';', n)
		}
	}
	b = appendColor(b, st.Fg, "38")
	b = appendColor(b, st.Bg, "48")
	return append(b, 'm')
}

func appendColor(b []byte, c screen.Color, which string) []byte {
	if n, ok := c.Index(); ok {
		b = append(append(append(b, ';'), which...), ";5;"...)
		return strconv.AppendInt(b, int64(n), 10)
	}
	if r, g, bl, ok := c.RGB(); ok {
		b = append(append(append(b, ';'), which...), ";2"...)
		for _, v := range []uint8{r, g, bl} {
			b = strconv.AppendInt(append(b, ';'), int64(v), 10)
		}
	}
	return b
}
