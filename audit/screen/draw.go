package screen

// lineDrawing is what ` to ~ show in DEC's graphic set.
var lineDrawing = []rune("◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·")

// ascii draws a run of printable ASCII.
func (s *Screen) ascii(p []byte) {
	for len(p) > 0 {
		if s.pen.graphic[s.pen.shift] || s.mode.insert {
			s.put(rune(p[0]))
			p = p[1:]
			continue
		}
		s.wrapIfDue()
		n := min(len(p), s.cols-s.pen.x)
		r := s.page.rows[s.pen.y]
		cells := r.replace(s.pen.x, n)
		c := Cell{Width: 1, Style: s.pen.style}
		for i, b := range p[:len(cells)] {
			cells[i] = c
			cells[i].Rune = rune(b) // not in c: copying what was just written is slow
		}
		s.last = rune(p[n-1])
		s.advance(n)
		p = p[n:]
	}
}

// put draws one character.
func (s *Screen) put(r rune) {
	if s.pen.graphic[s.pen.shift] && r >= '`' && r <= '~' {
		r = lineDrawing[r-'`']
	}
	w := Width(r)
	switch {
	case w < 0:
		return
	case w == 0:
		s.mark(r)
		return
	case w == 2 && s.cols < 2:
		r, w = '\ufffd', 1
	}
	s.last = r
	s.wrapIfDue()
	if s.pen.x+w > s.cols {
		if s.mode.noWrap {
			s.pen.x = s.cols - w
		} else {
			s.nextRow()
		}
	}
	if s.mode.insert {
		s.insertCells(w)
	}
	line, x := s.page.rows[s.pen.y], s.pen.x
	line.reach(x + w)
	line.split(x)
	line.split(x + w)
	line.cells[x] = Cell{Rune: r, Width: uint8(w), Style: s.pen.style}
	if w == 2 {
		line.cells[x+1] = Cell{Style: s.pen.style}
	}
	s.advance(w)
}

// mark puts a combining character on the character before.
func (s *Screen) mark(r rune) {
	line, x := s.page.rows[s.pen.y], s.pen.x-1
	if s.pen.wrap {
		x = s.pen.x
	}
	if x > 0 && x < len(line.cells) && line.cells[x].Width == 0 {
		x--
	}
	if x < 0 || x >= len(line.cells) {
		return
	}
	for i, m := range line.cells[x].Marks {
		if m == 0 {
			line.cells[x].Marks[i] = r
			line.changed, line.told = true, false
			return
		}
	}
}

// advance moves the cursor after what was drawn. In the last column it stays, and only the next
// character begins a row: a full line does not add a blank one.
func (s *Screen) advance(n int) {
	s.pen.x += n
	if s.pen.x >= s.cols {
		s.pen.x, s.pen.wrap = s.cols-1, !s.mode.noWrap
	}
}

func (s *Screen) wrapIfDue() {
	if s.pen.wrap {
		s.nextRow()
	}
}

func (s *Screen) nextRow() {
	line := s.page.rows[s.pen.y]
	line.reach(s.cols) // its blanks are part of the text that goes on
	line.wrapped = true
	s.lineFeed()
	s.pen.x = 0
}

// lineFeed goes down a row; at the bottom of the region, the region scrolls up.
func (s *Screen) lineFeed() {
	s.pen.wrap = false
	switch {
	case s.pen.y+1 == s.page.bottom:
		s.scrollUp(s.page.top, s.page.bottom, 1)
	case s.pen.y+1 < s.rows:
		s.pen.y++
	}
}

func (s *Screen) reverseFeed() {
	s.pen.wrap = false
	switch {
	case s.pen.y == s.page.top:
		s.scrollDown(s.page.top, s.page.bottom, 1)
	case s.pen.y > 0:
		s.pen.y--
	}
}

// scrollUp moves the rows from top to bottom (excluded) up by n.
func (s *Screen) scrollUp(top, bottom, n int) {
	n = min(n, bottom-top)
	if top == 0 && !s.Alternate() {
		s.keep(n)
	}
	rotate(s.page.rows[top:bottom], n)
	for _, r := range s.page.rows[bottom-n : bottom] {
		r.clear(s.pen.style.Bg)
		r.match = false
	}
}

func (s *Screen) scrollDown(top, bottom, n int) {
	n = min(n, bottom-top)
	rotate(s.page.rows[top:bottom], bottom-top-n)
	for _, r := range s.page.rows[top : top+n] {
		r.clear(s.pen.style.Bg)
		r.match = false
	}
}

// rotate moves the first n rows to the end.
func rotate(rows []*row, n int) {
	if n == 1 {
		first := rows[0]
		copy(rows, rows[1:])
		rows[len(rows)-1] = first
		return
	}
	first := append([]*row(nil), rows[:n]...)
	copy(rows[copy(rows, rows[n:]):], first)
}

// tab moves on by n tab stops, or back.
func (s *Screen) tab(n int) {
	step := 1
	if n < 0 {
		step, n = -1, -n
	}
	s.pen.wrap = false
	for ; n > 0; n-- {
		for {
			next := s.pen.x + step
			if next < 0 || next >= s.cols {
				return
			}
			s.pen.x = next
			if s.tabs[next] {
				break
			}
		}
	}
}

func (s *Screen) insertCells(n int) {
	line, x := s.page.rows[s.pen.y], s.pen.x
	line.reach(min(x, s.cols))
	if x >= len(line.cells) {
		return
	}
	n = min(n, s.cols-x)
	line.split(x)
	old := len(line.cells)
	line.reach(min(old+n, s.cols))
	copy(line.cells[x+n:], line.cells[x:old])
	for i := x; i < x+n; i++ {
		line.cells[i] = blank(s.pen.style.Bg)
	}
	s.mend(line)
}

func (s *Screen) deleteCells(n int) {
	line, x := s.page.rows[s.pen.y], s.pen.x
	line.reach(s.cols)
	n = min(n, s.cols-x)
	line.split(x)
	line.split(x + n)
	copy(line.cells[x:], line.cells[x+n:])
	for i := s.cols - n; i < s.cols; i++ {
		line.cells[i] = blank(s.pen.style.Bg)
	}
	line.wrapped = false
}

// mend blanks half of a wide character that was pushed over the right edge.
func (s *Screen) mend(line *row) {
	if n := len(line.cells); n > 0 && line.cells[n-1].Width == 2 {
		line.cells[n-1] = blank(line.cells[n-1].Bg)
	}
}

// align is DECALN: a screen full of E, once used to adjust the tube.
func (s *Screen) align() {
	for _, r := range s.page.rows {
		r.clear(0)
		r.fill = Cell{Rune: 'E', Width: 1}
	}
	s.page.top, s.page.bottom = 0, s.rows
	s.pen.x, s.pen.y, s.pen.wrap = 0, 0, false
}
