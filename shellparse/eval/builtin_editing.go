package eval

import (
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// programming is hash, bind, complete, compgen and compopt: with -p a name means another program,
// and keys and completions may run code.
func (w *builtins) programming(s *state, c *call) worlds {
	letters, _, i := c.options("")
	if c.words[0].Text == "bind" || strings.ContainsAny(letters, "pCW") ||
		i < len(c.words) && !c.words[i].Static {
		return w.strange(s, c)
	}
	return worlds{s}
}

func (w *builtins) history(s *state, c *call) worlds {
	letters, values, _ := c.options("awrne")
	if c.words[0].Text == "fc" {
		if strings.ContainsAny(letters, "s") || !strings.ContainsAny(letters, "l") {
			// without -l it starts an editor
			w.opaque(s, InCode, "a line of the history is executed", c.span)
		}
		return worlds{s}
	}
	if strings.ContainsAny(letters, "cd") {
		w.unrecorded("removes lines of the history", c.span)
	}
	for _, letter := range []byte("aw") {
		if v, ok := values[letter]; ok {
			w.effect(s, Effect{Right: command.Write, Flags: command.Append, Name: w.name(s, v),
				Span: c.span})
		}
	}
	return worlds{s}
}
