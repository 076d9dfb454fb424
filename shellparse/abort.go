package shellparse

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// aborted is the run in which a special builtin fails, where that can be. POSIX wants the
// shell to end then (Consequences of Shell Errors), and dash ends it; mksh ends the function
// that runs, and zsh the shell, after some errors. bash goes on.
func (w *walker) aborted(s *state, c *call) worlds {
	goesOn := w.o.Dialect == Bash || w.o.Dialect == Bats || len(w.via) > 0 && w.via[len(w.via)-1] == "command"
	if goesOn || !isSpecial(c.words[0].Text) || !s.mayFail(c) {
		return nil
	}
	end := w.fork(s)
	end.status, end.jump = failure, exiting
	if w.o.Dialect == Mksh && s.depth > 0 {
		end.jump = returning
	}
	return worlds{end}
}

// mayFail reports whether a special builtin may fail: with a redirection, a file that may not
// be there, more to shift than there is, or a word that is no name or number.
func (s *state) mayFail(c *call) bool {
	if c.redirected {
		return true
	}
	bad := func(fine func(string) bool) bool {
		return slices.ContainsFunc(c.words[1:], func(word Word) bool { return !fine(word.Text) })
	}
	switch c.words[0].Text {
	case ".":
		return true
	case "shift":
		n, ok := int64(1), true
		if len(c.words) > 1 {
			n, ok = integer(c.words[1].Text)
			ok = ok && c.words[1].Static
		}
		return !ok || n > int64(certain(s.args))
	case "export", "readonly", "unset":
		return bad(func(text string) bool {
			name, _, _ := strings.Cut(text, "=")
			return syntax.ValidName(name) || strings.HasPrefix(text, "-")
		})
	case "set":
		return len(c.words) > 1 && !c.words[1].Static
	case "break", "continue", "exit", "return":
		return bad(func(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" })
	}
	return false
}

// mayFail notes that an expansion can be an error: arithmetic on words or by zero, ${!x} of no
// name, an assignment to a name that is read-only. bash leaves the whole line then and goes on
// with the next one, and zsh leaves an eval; others end, as bash does for ${x?}.
func (w *walker) mayFail(s *state, how jump) { s.errs = max(s.errs, how) }

// failed is the run in which the words that have just been expanded were an error.
func (w *walker) failed(s *state) worlds {
	if s.errs == onward {
		return nil
	}
	end := w.fork(s)
	end.status, end.jump = failure, s.errs
	s.errs, end.errs = onward, onward
	return worlds{end}
}

// lines evaluates the statements of a text. After an error in an expansion bash goes on with
// the next line: of the text as it is written, or of its print, where each statement is one.
func (w *walker) lines(ws worlds, list []*syntax.Stmt) worlds {
	for i, st := range list {
		ws = w.each(ws, st)
		for _, s := range ws {
			if s.jump != leaving {
				continue
			}
			if i+1 < len(list) && list[i+1].Pos().Line() == st.End().Line() {
				ws = append(ws, w.fork(s))
			}
			s.jump = onward
		}
		ws = w.settle(ws)
	}
	return ws
}
