package code

import "strings"

// literal reads a string, with the code in it.
func (r *reader) literal() value {
	t := r.peek()
	r.i++
	if t.kind == text {
		return known(t.text, t)
	}
	end := t.match
	if end < 0 {
		end = len(r.toks) - 1
	}
	v := value{shape: plain, start: t.start, end: r.toks[end].end}
	for r.i < end {
		p := r.peek()
		switch p.kind {
		case piece:
			v = r.concat(v, known(p.text, p))
			r.i++
		case hole:
			r.i++
			stop := p.match
			if stop < 0 {
				stop = end
			}
			w := value{}
			if r.i < stop {
				w = r.expr()
			}
			if r.i < stop {
				r.steps(stop)
				w = value{}
			}
			r.i = stop + 1
			if rest, ok := r.numeric(); ok {
				v = r.concat(r.concat(v, value{shape: component}), rest)
				break
			}
			v = r.concat(v, w)
		default:
			v = value{text: prefix(v), decoded: v.decoded}
			r.i++
		}
	}
	r.i = min(end+1, len(r.toks)-1)
	v.start, v.end = t.start, r.toks[end].end
	switch t.text {
	case "shell":
		r.shell(v, v)
		return value{}
	case "regexp":
		return value{}
	}
	return v
}

// numeric reads what is behind a hole whose format only numbers have: such a piece has no slash.
func (r *reader) numeric() (rest value, ok bool) {
	if r.i >= len(r.toks) {
		return value{}, false
	}
	p := r.ahead(1)
	if r.peek().kind != dynamic || p.kind != piece {
		return value{}, false
	}
	spec, _, ok := strings.Cut(r.src[p.start:p.end], "}")
	kind := strings.TrimLeft(spec, "0123456789")
	if !ok || len(kind) != 1 || !strings.Contains("dxXob", kind) || len(p.text) < len(spec) {
		return value{}, false
	}
	r.i += 2
	return known(p.text[len(spec):], p), true
}
