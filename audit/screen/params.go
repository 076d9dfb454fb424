package screen

// params are the numbers of a control sequence. An omitted one is -1.
type params struct {
	n    [32]int
	sub  [32]bool // after a colon: part of the one before
	len  int
	mark byte // < = > or ?
	bad  bool // holds intermediates
}

// parse reads the numbers of a sequence.
func (p *params) parse(text []byte) {
	p.mark, p.bad = 0, false
	if len(text) > 0 && text[0] >= '<' {
		p.mark, text = text[0], text[1:]
	}
	p.n[0], p.sub[0], p.len = -1, false, 1
	for _, c := range text {
		switch {
		case c >= '0' && c <= '9':
			v := &p.n[p.len-1]
			*v = min(max(*v, 0)*10+int(c-'0'), maxNumber)
		case (c == ';' || c == ':') && p.len < len(p.n):
			p.n[p.len], p.sub[p.len] = -1, c == ':'
			p.len++
		default:
			p.bad = true
		}
	}
}

// get returns number i, or otherwise for one that is omitted or 0.
func (p *params) get(i, otherwise int) int {
	if i >= p.len || p.n[i] <= 0 {
		return otherwise
	}
	return p.n[i]
}

// maxNumber is the largest number. Screens are smaller.
const maxNumber = 9999
