package code

import "strings"

// concat is a followed by b, without a separator.
func (r *reader) concat(a, b value) value {
	return cross(a, b, func(a, b value) value {
		decoded := a.decoded || b.decoded
		if a.shape == numeral {
			a.shape = plain
		}
		if b.shape == numeral {
			b.shape = plain
		}
		switch {
		case a.shape == plain && a.text == "" && !a.home && !decoded && b.shape != unknown:
			return b
		case a.shape == plain && b.shape == plain && !b.home:
			if a.home && a.text == "" && b.text != "" && b.text[0] != '/' {
				break // ~x is another user's directory
			}
			return r.glue(a, b, a.text, "", b.text)
		case a.shape == plain && (b.shape == component || b.shape == below && b.path):
			if i := strings.LastIndexByte(a.text, '/'); i >= 0 {
				return value{shape: below, text: a.text[:i+1], home: a.home, start: a.start,
					end: a.end}
			}
			return value{shape: component}
		case a.shape == below && (b.shape == component || b.shape == plain &&
			!strings.Contains(b.text, "..") && !b.home):
			a.decoded = decoded
			return a
		case a.shape == component && b.shape == plain && !strings.Contains(b.text, "/"):
			return a
		case a.shape == component && b.shape == component:
			return a
		}
		return value{decoded: decoded, text: prefix(a)}
	})
}

// join is b as a file name in the directory a, as os.path.join and similar functions have it: an
// absolute b replaces a.
func (r *reader) join(a, b value) value {
	return cross(a, b, func(a, b value) value {
		decoded := a.decoded || b.decoded
		switch {
		case b.shape == plain && (b.home || strings.HasPrefix(b.text, "/") && r.g.rooted):
			return b
		case a.shape == plain && b.shape == plain:
			sep := "/"
			if strings.HasSuffix(a.text, "/") || strings.HasPrefix(b.text, "/") || a.text == "" &&
				!a.home || b.text == "" {
				sep = ""
			}
			return r.glue(a, b, a.text, sep, b.text)
		case (a.shape == plain || a.shape == below) && (b.shape == component || b.shape == below &&
			!strings.HasPrefix(b.text, "/")):
			return value{shape: below, text: a.text, home: a.home, start: a.start, end: a.end,
				path: a.path}
		case a.shape == below && b.shape == plain && !strings.Contains(b.text, ".."):
			return a
		case a.shape == component && b.shape == plain && !strings.Contains(b.text, ".."):
			return value{shape: below, start: a.start, end: a.end}
		case a.shape == plain && !a.home && a.text != "":
			return value{decoded: decoded, text: a.text + "/", path: a.path}
		}
		return value{decoded: decoded}
	})
}

// glue makes one text of three, within the budget.
func (r *reader) glue(a, b value, parts ...string) value {
	out := value{shape: plain, home: a.home, path: a.path, decoded: a.decoded || b.decoded,
		start: a.start, end: max(a.end, b.end)}
	n := 0
	for _, s := range parts {
		n += len(s)
	}
	if n > maxJoined || !r.spent.take(n) {
		return value{decoded: out.decoded}
	}
	out.text = strings.Join(parts, "")
	if r.emits && MayBePlace(out.text) {
		r.glued = append(r.glued, out.text)
	}
	return out
}
