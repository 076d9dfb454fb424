package eval

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// outcomes are what a substitution may print, if that is one of two known texts: $(cd a && pwd) is
// a folder, or nothing where there is none.
func outcomes(ws worlds) []outcome {
	var list []outcome
	for _, s := range ws {
		text, ok := s.out.printed().text()
		if !ok || strings.Contains(text, "\x00") {
			return nil
		}
		at := slices.IndexFunc(list, func(o outcome) bool { return o.text == text })
		switch {
		case at < 0:
			list = append(list, outcome{text, s.status})
		case list[at].status != s.status:
			list[at].status = either
		}
	}
	if len(list) != 2 {
		return nil
	}
	return list
}

// divide follows both runs behind an assignment of a substitution that prints one of two texts.
func (w *environment) divide(s *state, list []*syntax.Assign) worlds {
	may := w.outcomes
	w.outcomes = nil
	if len(may) == 0 || len(list) != 1 || !isSubstitution(list[0]) || s.errs != onward {
		return worlds{s}
	}
	name := list[0].Name.Value
	v, ok := s.env.get(name)
	if !ok || !v.set || v.isList || v.isHash || v.ref || v.integer || v.odd || v.fixed ||
		v.val.whole() || madeAnyway(name) {
		return worlds{s}
	}
	other := s.fork()
	for i, run := range []*state{s, other} {
		v.val = known(may[i].text)
		w.put(run, name, v)
		run.status = may[i].status
	}
	return worlds{s, other}
}

// isSubstitution reports whether an assignment gives a name what one substitution prints, and
// nothing else.
func isSubstitution(a *syntax.Assign) bool {
	if a.Name == nil || a.Value == nil || a.Append || a.Index != nil || a.Array != nil ||
		len(a.Value.Parts) != 1 {
		return false
	}
	part := a.Value.Parts[0]
	if q, ok := part.(*syntax.DblQuoted); ok && len(q.Parts) == 1 {
		part = q.Parts[0]
	}
	_, ok := part.(*syntax.CmdSubst)
	return ok
}
