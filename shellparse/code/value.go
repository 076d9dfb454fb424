package code

import "strings"

// shape says what is known of a value.
type shape uint8

const (
	unknown   shape = iota
	plain           // the string in text
	component       // one name without a slash: what a directory listing yields
	below           // some name below the directory text
	list            // items
	table           // items with keys
	numeral         // the number text
	reference       // the function, module or class with the dotted name text
	method          // the member text of *recv
)

// A value is what an expression certainly evaluates to. A variable that was given several
// values has them all in alts.
type value struct {
	shape   shape
	text    string
	home    bool // plain and below: the text continues the home directory
	path    bool // a path object
	fresh   bool // below: a name that the program has just made for itself
	decoded bool // it was made from encoded text, so a person cannot read what it is
	items   []value
	keys    []string
	recv    *value // method: of what; unknown: the name of the file that it was read from
	base    string // method: the variable that *recv is
	alts    []value
	weight  int // how many values it holds; see maxWeight
	start   int // the literal it comes from, for spans
	end     int
}

// maxAlternatives bounds the values of one variable; more make it unknown.
const maxAlternatives = 8

// maxWeight bounds the values inside one value. Lists of lists of one variable double with
// every assignment.
const maxWeight = 256

// maxJoined bounds a name that is put together from pieces.
const maxJoined = 16 << 10

func known(s string, t token) value {
	return value{shape: plain, text: s, start: t.start, end: t.end}
}

// each calls f with every value that v can have.
func (v value) each(f func(value)) {
	if v.alts == nil {
		f(v)
		return
	}
	for _, a := range v.alts {
		f(a)
	}
}

// heavy sets the weight of v, and forgets what is in it when it is too much.
func heavy(v value) value {
	v.weight = 1
	for _, x := range v.items {
		v.weight += x.weight + 1
	}
	for _, x := range v.alts {
		v.weight += x.weight + 1
	}
	if v.weight > maxWeight {
		return value{decoded: v.decoded}
	}
	return v
}

func (v value) same(o value) bool {
	if v.shape != o.shape || v.text != o.text || v.home != o.home || v.path != o.path ||
		v.decoded != o.decoded ||
		!same(v.recv, o.recv) ||
		len(v.items) != len(o.items) || v.start != o.start && v.shape == list {
		return false
	}
	for i := range v.items {
		if !v.items[i].same(o.items[i]) {
			return false
		}
	}
	return true
}

// contentOf is what is read from a file.
func contentOf(v value) value {
	if v.shape != plain || v.decoded {
		return value{decoded: v.decoded}
	}
	return value{recv: &v, start: v.start, end: v.end}
}

// file is the name of the file that an unknown value was read from, or nil.
func (v value) file() *value {
	if v.shape == unknown {
		return v.recv
	}
	return nil
}

// same reports whether two values that may be missing are the same.
func same(a, b *value) bool {
	return a == nil && b == nil || a != nil && b != nil && a.same(*b)
}

// union is either of two values. ok is false when the result is wider than a.
func union(a, b value) (v value, same bool) {
	same = true
	all := a.alts
	if all == nil {
		all = []value{a}
	}
	b.each(func(x value) {
		x.alts = nil
		for _, y := range all {
			if y.same(x) {
				return
			}
		}
		same = false
		all = append(all[:len(all):len(all)], x)
	})
	if same {
		return a, true
	}
	if len(all) > maxAlternatives {
		return value{decoded: a.decoded || b.decoded}, a.shape == unknown && a.alts == nil
	}
	return heavy(value{alts: all, start: a.start, end: a.end, decoded: a.decoded || b.decoded}),
		false
}

// cross applies f to every pair of values that a and b can have.
func cross(a, b value, f func(a, b value) value) value {
	if a.alts == nil && b.alts == nil {
		return f(a, b)
	}
	var out value
	first := true
	n := 0
	a.each(func(x value) {
		b.each(func(y value) {
			if n++; n > maxAlternatives {
				return
			}
			v := f(x, y)
			if first {
				out, first = v, false
			} else {
				out, _ = union(out, v)
			}
		})
	})
	if n > maxAlternatives {
		return value{decoded: a.decoded || b.decoded}
	}
	return out
}

// prefix is what is known of the start of a value.
func prefix(v value) string {
	if v.shape == plain || v.shape == unknown {
		return v.text
	}
	return ""
}

// element is one item of a value that a loop runs over.
func element(v value) value {
	var out value
	first := true
	v.each(func(x value) {
		items := []value{{decoded: x.decoded}}
		if x.shape == list && len(x.items) > 0 {
			items = x.items
		}
		for _, item := range items {
			if first {
				out, first = item, false
			} else {
				out, _ = union(out, item)
			}
		}
	})
	return out
}

// globRoot is the directory that contains every match of a glob pattern.
func globRoot(pattern string) (dir string, glob bool) {
	i := strings.IndexAny(pattern, "*?[{")
	if i < 0 {
		return pattern, false
	}
	return pattern[:strings.LastIndexByte(pattern[:i], '/')+1], true
}

// mapped applies f to every value that v can have.
func mapped(v value, f func(value) value) value {
	if v.alts == nil {
		return f(v)
	}
	out := value{}
	for i, a := range v.alts {
		if i == 0 {
			out = f(a)
		} else {
			out, _ = union(out, f(a))
		}
	}
	return out
}
