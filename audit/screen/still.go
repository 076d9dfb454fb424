package screen

import (
	"slices"
	"unicode/utf8"
)

// A Still is a Screen at rest, in less than a fifth of its memory: the text of all cells, and where
// their style changes. It never changes, so that several goroutines may read it.
type Still struct {
	screen Screen        // without rows
	rows   [2][]stillRow // of main and alt
	text   []byte        // the runes of all cells, their marks after them
	styles []stretch
}

// A stillRow is a row without its cells, and how many they were.
type stillRow struct {
	row
	cells int
}

// A stretch is how many cells in a row have a style.
type stretch struct {
	style Style
	cells int32
}

// Still returns what Screen turns back into a copy of s.
func (s *Screen) Still() *Still {
	p := &Still{screen: *s}
	p.screen.tabs, p.screen.parser.text = slices.Clone(s.tabs), slices.Clone(s.parser.text)
	for i, page := range []*page{&s.main, &s.alt} {
		p.rows[i] = make([]stillRow, len(page.rows))
		for y, r := range page.rows {
			p.add(r.cells)
			p.rows[i][y] = stillRow{*r, len(r.cells)}
			p.rows[i][y].row.cells = nil
		}
	}
	p.screen.main.rows, p.screen.alt.rows, p.screen.page = nil, nil, nil
	if s.Alternate() {
		p.screen.page = &p.screen.alt
	}
	p.text, p.styles = slices.Clone(p.text), slices.Clone(p.styles) // no longer than they are
	return p
}

// add appends the cells of a row.
func (p *Still) add(cells []Cell) {
	for i := range cells {
		c := &cells[i]
		if n := len(p.styles); n > 0 && p.styles[n-1].style == c.Style {
			p.styles[n-1].cells++
		} else {
			p.styles = append(p.styles, stretch{c.Style, 1})
		}
		p.text = utf8.AppendRune(p.text, c.Rune)
		for _, m := range c.Marks {
			if m != 0 {
				p.text = utf8.AppendRune(p.text, m)
			}
		}
	}
}

// Screen returns a copy of the screen of which p was made. It shares nothing with it, or with
// another copy, except Gone and Told.
func (p *Still) Screen() *Screen {
	s := p.screen
	s.tabs, s.parser.text = slices.Clone(p.screen.tabs), slices.Clone(p.screen.parser.text)
	s.page = &s.main
	if p.screen.page != nil {
		s.page = &s.alt
	}
	from := stillCells{text: p.text, styles: p.styles}
	for i, page := range []*page{&s.main, &s.alt} {
		page.rows = make([]*row, len(p.rows[i]))
		for y, still := range p.rows[i] {
			r := still.row
			r.cells = make([]Cell, still.cells)
			for x := range r.cells {
				r.cells[x] = from.next()
			}
			page.rows[y] = &r
		}
	}
	return &s
}

// stillCells reads the cells of a Still in their order.
type stillCells struct {
	text   []byte
	styles []stretch
	used   int32 // cells of the first stretch
}

func (f *stillCells) next() Cell {
	c := Cell{Style: f.styles[0].style}
	if f.used++; f.used == f.styles[0].cells {
		f.styles, f.used = f.styles[1:], 0
	}
	var n int
	c.Rune, n = utf8.DecodeRune(f.text)
	f.text = f.text[n:]
	switch {
	case c.Rune == 0: // the right half of a wide character
		return c
	case c.Rune < utf8.RuneSelf:
		c.Width = 1
	default:
		c.Width = uint8(Width(c.Rune))
	}
	for i := range c.Marks {
		m, n := utf8.DecodeRune(f.text)
		if m < utf8.RuneSelf || Width(m) != 0 {
			break
		}
		c.Marks[i], f.text = m, f.text[n:]
	}
	return c
}

// Bytes estimates the memory of p.
func (p *Still) Bytes() int {
	const all, ofRow, ofStretch = 1024, 64, 16
	return all + len(p.text) + len(p.screen.tabs) + len(p.screen.parser.text) +
		ofStretch*len(p.styles) + ofRow*(len(p.rows[0])+len(p.rows[1]))
}
