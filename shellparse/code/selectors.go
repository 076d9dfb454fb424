package code

import (
	"strconv"
	"strings"
)

// arg is the argument that a selector of a rule means: a position, a position from which
// on all are meant ("1*"), or names of keywords, alternatives joined with "|".
func (a arguments) arg(selector string) (value, bool) {
	for s := range strings.SplitSeq(strings.TrimSuffix(selector, "?"), "|") {
		if n, err := strconv.Atoi(strings.TrimSuffix(s, "*")); err == nil {
			if n < len(a.pos) {
				return a.pos[n], true
			}
			continue
		}
		if v, ok := a.keyword(s); ok {
			return v, true
		}
	}
	return value{}, false
}

// values are all arguments that a selector means.
func (a arguments) values(selector string) []value {
	first, rest, _ := strings.Cut(selector, "|")
	if n, ok := strings.CutSuffix(first, "*"); ok {
		from, _ := strconv.Atoi(n)
		var out []value
		for i := from; i < len(a.pos); i++ {
			if a.pos[i].shape == list {
				out = append(out, a.pos[i].items...)
			} else if a.pos[i].shape != table {
				out = append(out, a.pos[i])
			}
		}
		return out
	}
	_ = rest
	if v, ok := a.arg(selector); ok {
		if v.shape == list {
			return v.items
		}
		return []value{v}
	}
	return nil
}

// keyword is a named argument, or the member of a trailing table of options.
func (a arguments) keyword(name string) (value, bool) {
	for i, k := range a.keys {
		if k == name {
			return a.named[i], true
		}
	}
	for i := len(a.pos) - 1; i >= 0; i-- {
		if a.pos[i].shape != table {
			continue
		}
		for j, k := range a.pos[i].keys {
			if k == name {
				return a.pos[i].items[j], true
			}
		}
	}
	return value{}, false
}
