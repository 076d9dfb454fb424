package screen

// renditions are the SGR numbers that set and clear attributes.
var renditions = [...]struct{ set, clear Attr }{
	1: {set: Bold}, 2: {set: Faint}, 3: {set: Italic}, 4: {set: Underline},
	5: {set: Blink}, 6: {set: Blink}, 7: {set: Inverse}, 8: {set: Conceal}, 9: {set: Strike},
	21: {set: Underline}, // doubly underlined, by ECMA-48
	22: {clear: Bold | Faint}, 23: {clear: Italic}, 24: {clear: Underline}, 25: {clear: Blink},
	27: {clear: Inverse}, 28: {clear: Conceal}, 29: {clear: Strike},
}

// sgr applies a list of renditions.
func (st *Style) sgr(p *params) {
	for i := 0; i < p.len; {
		n := max(p.n[i], 0)
		next := i + 1
		for next < p.len && p.sub[next] {
			next++
		}
		switch {
		case n == 0:
			*st = Style{Tag: st.Tag}
		case n == 4 && next > i+1 && p.n[i+1] == 0: // 4:0
			st.Attr &^= Underline
		case n < len(renditions):
			st.Attr = st.Attr&^renditions[n].clear | renditions[n].set
		case n == 38:
			next = st.Fg.extended(p, i, next)
		case n == 48:
			next = st.Bg.extended(p, i, next)
		case n == 58: // colour of the underline: read over
			var c Color
			next = c.extended(p, i, next)
		default:
			st.plainColor(n)
		}
		i = next
	}
}

func (st *Style) plainColor(n int) {
	switch {
	case n >= 30 && n <= 37:
		st.Fg = Indexed(uint8(n - 30))
	case n == 39:
		st.Fg = 0
	case n >= 40 && n <= 47:
		st.Bg = Indexed(uint8(n - 40))
	case n == 49:
		st.Bg = 0
	case n >= 90 && n <= 97:
		st.Fg = Indexed(uint8(n - 90 + 8))
	case n >= 100 && n <= 107:
		st.Bg = Indexed(uint8(n - 100 + 8))
	}
}

// extended reads 38;5;N and 38;2;R;G;B, and with colons 38:5:N, 38:2:R:G:B and 38:2:SPACE:R:G:B
// (ITU-T T.416). next is the end of the number's colons. It returns where the next rendition
// begins.
func (c *Color) extended(p *params, i, next int) int {
	args := p.n[i+1 : p.len]
	colons := next > i+1
	if colons {
		args = p.n[i+1 : next]
	}
	if len(args) == 0 {
		return next
	}
	at := func(i int) uint8 { return uint8(limit(args[i], 0, 255)) }
	switch {
	case args[0] == 5 && len(args) >= 2:
		*c = Indexed(at(1))
		if !colons {
			return i + 3
		}
	case args[0] == 2 && colons && len(args) >= 5:
		*c = RGB(at(2), at(3), at(4))
	case args[0] == 2 && len(args) >= 4:
		*c = RGB(at(1), at(2), at(3))
		if !colons {
			return i + 5
		}
	case !colons:
		return p.len // cut short: what the rest means is unknown
	}
	return next
}
