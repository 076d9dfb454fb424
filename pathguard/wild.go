package pathguard

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/pattern"
)

// A wild is a shell pattern for one component of a path. Nearly all are made of "*" and
// "?" alone; those are matched as they stand, because compiling some fifty expressions at
// every start would cost more than judging.
type wild struct {
	text string
	re   *regexp.Regexp // for [...] and what else the shell knows; nil for "*" and "?"
}

func newWild(text string) (wild, error) {
	if !strings.ContainsAny(text, `[\\(`) {
		return wild{text: text}, nil
	}
	expr, err := pattern.Regexp(text, pattern.Filenames|pattern.EntireString)
	if err != nil {
		return wild{}, err
	}
	re, err := regexp.Compile(expr)
	return wild{text, re}, err
}

// match reports whether the pattern takes the whole name.
func (w wild) match(name string) bool {
	if w.re != nil {
		return w.re.MatchString(name)
	}
	p, n := 0, 0
	star, from := -1, 0 // the last "*", and where its match began
	for n < len(name) {
		switch {
		case p < len(w.text) && w.text[p] == '*':
			star, from = p, n
			p++
		case p < len(w.text) && (w.text[p] == '?' || w.text[p] == name[n]):
			p, n = p+1, n+1
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(w.text[p:], "*") == ""
}

// isBare reports whether a component of a pattern is for every name, or every hidden one:
// whoever writes it has no name in mind.
func isBare(part string) bool { return part != "" && strings.Trim(part, "*.?[]^!") == "" }
