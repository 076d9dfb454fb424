package eval

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// plain sets Plain and Argv when the whole text is one simple command of literal words.
func (s *Script) plain(f *syntax.File) {
	if s.Err != nil || len(f.Stmts) != 1 || len(s.Commands) == 0 {
		return
	}
	st := f.Stmts[0]
	call, ok := st.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(st.Redirs) > 0 || st.Negated || st.Background ||
		st.Coprocess || st.Disown {
		return
	}
	var argv []string
	for _, word := range call.Args {
		text, ok := plainWord(word)
		if !ok {
			return
		}
		argv = append(argv, text)
	}
	s.Plain, s.Argv = true, argv
}

// plainWord returns the value of a word that no expansion changes.
func plainWord(word *syntax.Word) (string, bool) {
	var v value
	for i, p := range word.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") || strings.ContainsAny(p.Value, "{") {
				return "", false
			}
			v = unescape(v, p.Value)
		case *syntax.SglQuoted:
			v = v.add(part{text: singleQuoted(p)})
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				lit, ok := q.(*syntax.Lit)
				if !ok || p.Dollar {
					return "", false
				}
				v = v.add(part{text: unescapeQuoted(lit.Value)})
			}
		default:
			return "", false
		}
	}
	w := v.word()
	return w.Text, w.Static
}
