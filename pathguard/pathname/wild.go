package pathname

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/pattern"
)

// A Pattern is a shell pattern for one component of a path. Nearly all consist of "*" and "?"
// alone; those are matched without compiling, because compiling some fifty expressions at every
// start would cost more than judging.
type Pattern struct {
	Text string
	re   *regexp.Regexp // for [...] and what else the shell knows; nil for "*" and "?"
}

func Compile(text string) (Pattern, error) {
	if !strings.ContainsAny(text, `[\\(`) {
		return Pattern{Text: text}, nil
	}
	expr, err := pattern.Regexp(text, pattern.Filenames|pattern.EntireString)
	if err != nil {
		return Pattern{}, err
	}
	re, err := regexp.Compile(expr)
	return Pattern{text, re}, err
}

// Match reports whether the pattern takes the whole name.
func (w Pattern) Match(name string) bool {
	if w.re != nil {
		return w.re.MatchString(name)
	}
	p, n := 0, 0
	star, from := -1, 0 // the last "*", and where its match began
	for n < len(name) {
		switch {
		case p < len(w.Text) && w.Text[p] == '*':
			star, from = p, n
			p++
		case p < len(w.Text) && (w.Text[p] == '?' || w.Text[p] == name[n]):
			p, n = p+1, n+1
		case star >= 0:
			from++
			p, n = star+1, from
		default:
			return false
		}
	}
	return strings.Trim(w.Text[p:], "*") == ""
}

// IsBare reports whether a component of a pattern is for every name, or every hidden one:
// it is aimed at no name.
func IsBare(part string) bool { return part != "" && strings.Trim(part, "*.?[]^!") == "" }
