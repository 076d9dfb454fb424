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
