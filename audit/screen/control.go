package screen

// controls are the sequences ESC [ ... that draw. Those that ask or report, or that change more
// than the picture, are not in it, and so do nothing.
var controls = [256]func(*Screen, *params){
	'@': func(s *Screen, p *params) { s.pen.wrap = false; s.insertCells(p.get(0, 1)) },
	'A': func(s *Screen, p *params) { s.up(p.get(0, 1)) },
	'B': func(s *Screen, p *params) { s.down(p.get(0, 1)) },
	'C': func(s *Screen, p *params) { s.column(s.pen.x + p.get(0, 1)) },
	'D': func(s *Screen, p *params) { s.column(s.pen.x - p.get(0, 1)) },
	'E': func(s *Screen, p *params) { s.down(p.get(0, 1)); s.column(0) },
	'F': func(s *Screen, p *params) { s.up(p.get(0, 1)); s.column(0) },
	'G': func(s *Screen, p *params) { s.column(p.get(0, 1) - 1) },
	'H': func(s *Screen, p *params) { s.line(p.get(0, 1) - 1); s.column(p.get(1, 1) - 1) },
	'I': func(s *Screen, p *params) { s.tab(p.get(0, 1)) },
	'J': func(s *Screen, p *params) { s.eraseDisplay(p.get(0, 0)) },
	'K': func(s *Screen, p *params) { s.eraseLine(p.get(0, 0)) },
	'L': func(s *Screen, p *params) { s.shiftLines(p.get(0, 1)) },
	'M': func(s *Screen, p *params) { s.shiftLines(-p.get(0, 1)) },
	'P': func(s *Screen, p *params) { s.pen.wrap = false; s.deleteCells(p.get(0, 1)) },
	'S': func(s *Screen, p *params) { s.scrollUp(s.page.top, s.page.bottom, p.get(0, 1)) },
	'T': func(s *Screen, p *params) { s.scrollDown(s.page.top, s.page.bottom, p.get(0, 1)) },
	'X': func(s *Screen, p *params) { s.eraseCells(p.get(0, 1)) },
	'Z': func(s *Screen, p *params) { s.tab(-p.get(0, 1)) },
	'`': func(s *Screen, p *params) { s.column(p.get(0, 1) - 1) },
	'a': func(s *Screen, p *params) { s.column(s.pen.x + p.get(0, 1)) },
	'b': func(s *Screen, p *params) { s.repeat(p.get(0, 1)) },
	'd': func(s *Screen, p *params) { s.line(p.get(0, 1) - 1) },
	'e': func(s *Screen, p *params) { s.down(p.get(0, 1)) },
	'f': func(s *Screen, p *params) { s.line(p.get(0, 1) - 1); s.column(p.get(1, 1) - 1) },
	'g': func(s *Screen, p *params) { s.clearTabs(p.get(0, 0)) },
	'h': func(s *Screen, p *params) { s.setModes(p, true) },
	'l': func(s *Screen, p *params) { s.setModes(p, false) },
	'm': func(s *Screen, p *params) { s.pen.style.sgr(p) },
	'r': func(s *Screen, p *params) { s.region(p.get(0, 1)-1, p.get(1, s.rows)) },
	's': func(s *Screen, _ *params) { s.save() },
	'u': func(s *Screen, _ *params) { s.restore() },
}

func (s *Screen) dispatchCSI(c byte) {
	p := &s.parser.params
	p.parse(s.parser.text)
	switch {
	case p.bad:
		if c == 'p' && string(s.parser.text) == "!" {
			s.softReset()
		}
	case p.mark == '?' && (c == 'h' || c == 'l'):
		s.setPrivate(p, c == 'h')
	case p.mark == '?' && (c == 'J' || c == 'K'), p.mark == 0:
		if f := controls[c]; f != nil {
			f(s, p)
		}
	}
}

func (s *Screen) column(x int) { s.pen.x, s.pen.wrap = limit(x, 0, s.cols-1), false }

// line moves to an absolute row; in origin mode it counts from the region's top.
func (s *Screen) line(y int) {
	s.pen.wrap = false
	if s.pen.origin {
		s.pen.y = limit(y+s.page.top, s.page.top, s.page.bottom-1)
		return
	}
	s.pen.y = limit(y, 0, s.rows-1)
}

// up and down stop at the region's edge if they begin inside it.
func (s *Screen) up(n int) {
	top := 0
	if s.pen.y >= s.page.top {
		top = s.page.top
	}
	s.pen.y, s.pen.wrap = max(s.pen.y-n, top), false
}

func (s *Screen) down(n int) {
	bottom := s.rows
	if s.pen.y < s.page.bottom {
		bottom = s.page.bottom
	}
	s.pen.y, s.pen.wrap = min(s.pen.y+n, bottom-1), false
}

func (s *Screen) eraseDisplay(how int) {
	rows, bg := s.page.rows, s.pen.style.Bg
	switch how {
	case 0:
		if s.pen.x == 0 && s.pen.y == 0 {
			s.eraseDisplay(2)
			return
		}
		s.eraseLine(0)
		rows = rows[s.pen.y+1:]
	case 1:
		s.eraseLine(1)
		rows = rows[:s.pen.y]
	case 2:
		s.pen.wrap = false
		if s.Gone != nil && !s.Alternate() {
			s.keep(s.filled())
		}
	default: // 3 is the scrollback, which a screen does not have
		return
	}
	for _, r := range rows {
		r.clear(bg)
	}
}

func (s *Screen) eraseLine(how int) {
	line, bg := s.page.rows[s.pen.y], s.pen.style.Bg
	s.pen.wrap = false
	switch how {
	case 0:
		line.cut(s.pen.x, bg)
	case 1:
		line.erase(0, s.pen.x+1, s.cols, bg)
	case 2:
		line.clear(bg)
	}
}

func (s *Screen) eraseCells(n int) {
	s.pen.wrap = false
	s.page.rows[s.pen.y].erase(s.pen.x, min(s.pen.x+n, s.cols), s.cols, s.pen.style.Bg)
}

// shiftLines inserts n lines at the cursor, or deletes them.
func (s *Screen) shiftLines(n int) {
	if s.pen.y < s.page.top || s.pen.y >= s.page.bottom {
		return
	}
	s.pen.x, s.pen.wrap = 0, false
	if n > 0 {
		s.scrollDown(s.pen.y, s.page.bottom, n)
		return
	}
	n = min(-n, s.page.bottom-s.pen.y)
	rotate(s.page.rows[s.pen.y:s.page.bottom], n)
	for _, r := range s.page.rows[s.page.bottom-n : s.page.bottom] {
		r.clear(s.pen.style.Bg)
	}
}

// repeat is REP. No program needs more than a row; without a limit, eight bytes would keep the
// reader busy for ten thousand.
func (s *Screen) repeat(n int) {
	if s.last == 0 {
		return
	}
	for range min(n, s.cols) {
		s.put(s.last)
	}
}

func (s *Screen) clearTabs(how int) {
	switch how {
	case 0:
		s.tabs[s.pen.x] = false
	case 3:
		clear(s.tabs)
	}
}

func (s *Screen) region(top, bottom int) {
	bottom = min(bottom, s.rows)
	if top < 0 || top+1 >= bottom {
		return
	}
	s.page.top, s.page.bottom = top, bottom
	s.line(0)
	s.column(0)
}

func (s *Screen) softReset() {
	s.mode = modes{inverse: s.mode.inverse}
	s.keys &^= 1 // cursor keys
	s.page.top, s.page.bottom = 0, s.rows
	s.pen.style = Style{Tag: s.pen.style.Tag}
	s.pen.origin, s.pen.graphic, s.pen.shift, s.pen.wrap = false, [2]bool{}, 0, false
	s.page.saved = pen{}
}

func (s *Screen) save() { s.page.saved = s.pen }

func (s *Screen) restore() {
	tag := s.pen.style.Tag
	s.pen = s.page.saved
	s.pen.style.Tag = tag
	s.pen.x, s.pen.y = min(s.pen.x, s.cols-1), min(s.pen.y, s.rows-1)
}

func (s *Screen) setModes(p *params, on bool) {
	for _, n := range p.n[:p.len] {
		switch n {
		case 4:
			s.mode.insert = on
		case 20:
			s.mode.newline = on
		}
	}
}

// setPrivate sets DEC's modes. Those of keyboard, mouse and paste change nothing visible, and are
// only remembered.
func (s *Screen) setPrivate(p *params, on bool) {
	for _, n := range p.n[:p.len] {
		s.setKeys(n, on)
		switch n {
		case 5:
			s.mode.inverse = on
		case 6:
			s.pen.origin = on
			s.line(0)
			s.column(0)
		case 7:
			s.mode.noWrap = !on
		case 25:
			s.mode.hidden = !on
		case 47, 1047, 1049:
			s.alternate(n == 1049, on)
		case 1048:
			if on {
				s.save()
			} else {
				s.restore()
			}
		}
	}
}

func (s *Screen) alternate(cursor, on bool) {
	switch {
	case on && !s.Alternate():
		if cursor {
			s.save()
		}
		s.page = &s.alt
		s.page.top, s.page.bottom = 0, s.rows
		for _, r := range s.page.rows {
			r.clear(s.pen.style.Bg)
		}
	case !on && s.Alternate():
		s.leaveAlternate()
		for _, r := range s.alt.rows { // it begins blank again, and until then takes no memory
			r.clear(0)
		}
		if cursor {
			s.restore()
		}
	}
}
