package eval

import (
	"github.com/tada-run/tada-run/shellparse/wrapper"
	"mvdan.cc/sh/v3/syntax"
)

// unwrap checks whether the whole text is what an agent's program puts around a command. It returns
// the statements that are to be followed: all but those that only keep variables.
//
// Codex writes those around every command, some 340 lines for some fifty variables. Followed branch
// by branch, these are more statements than a text may have; taken together they say that nothing
// has changed, and a command behind them is judged the same.
func (w *flow) unwrap(f *syntax.File) []*syntax.Stmt {
	if w.fixed != nil {
		return f.Stmts
	}
	found, ok := wrapper.Find(f, w.src)
	if ok {
		w.out.Wrapped = &found
	}
	if len(found.Keeps) == 0 {
		return f.Stmts
	}
	var list []*syntax.Stmt
	kept := found.Keeps
	for _, st := range f.Stmts {
		at := w.span(st)
		for len(kept) > 0 && kept[0][1] < at.End {
			kept = kept[1:]
		}
		if len(kept) == 0 || kept[0][0] > at.Start {
			list = append(list, st)
			continue
		}
		syntax.Walk(st, func(n syntax.Node) bool {
			if inner, ok := n.(*syntax.Stmt); ok {
				w.visited[inner] = struct{}{}
			}
			return true
		})
	}
	return list
}
