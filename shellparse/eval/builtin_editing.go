package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// running are the functions of readline that run what is on the line, or read bindings from a
// file (bash(1), READLINE).
var running = []string{"edit-and-execute-command", "vi-edit-and-execute-command",
	"shell-expand-line", "re-read-init-file"}

// bind gives keys a meaning. Some run code; what is typed by a macro is a line as any other.
func (w *builtins) bind(s *state, c *call) worlds {
	_, values, i := c.options("fmqrux")
	if code, ok := values['x']; ok {
		// The keys are in front: '"\C-a": COMMAND'.
		if text, fine := code.text(); fine {
			if keys, rest, has := strings.Cut(strings.TrimPrefix(strings.TrimSpace(text), `"`),
				`":`); has && !strings.Contains(keys, `"`) {
				code = known(rest)
			}
		}
		w.shellArg(s.fork(), code, c.span, "bind")
	}
	if f, ok := values['f']; ok {
		w.effect(s, Effect{Right: command.Read, Name: w.name(s, f), Span: c.span})
		w.opaque(s, InCode, "keys get a meaning from a file", c.span)
	}
	for ; i < len(c.args); i++ {
		text, known := strings.ToLower(strings.TrimSpace(c.words[i].Text)), c.words[i].Static
		runs := slices.ContainsFunc(running,
			func(name string) bool { return strings.Contains(text, name) })
		if !known || runs || strings.HasPrefix(text, "$") { // $include FILE
			w.opaque(s, InCode, "a key runs what is on the line, or something unknown", c.at(i))
		}
	}
	return worlds{s}
}

// completion is complete -C CODE and compgen -C CODE, which run it.
func (w *builtins) completion(s *state, c *call) worlds {
	_, values, _ := c.options("CFWPSXGA")
	for _, letter := range []byte("CW") {
		if v, ok := values[letter]; ok {
			if letter == 'W' {
				if text, fine := v.text(); fine {
					w.second(s, text)
				}
				continue
			}
			w.shellArg(s.fork(), v, c.span, c.words[0].Text)
		}
	}
	return worlds{s}
}

func (w *builtins) history(s *state, c *call) worlds {
	letters, values, _ := c.options("awrne")
	if c.words[0].Text == "fc" {
		if v, ok := values['e']; ok {
			w.shellArg(s.fork(), v, c.span, "fc")
		}
		if strings.ContainsAny(letters, "s") || !strings.ContainsAny(letters, "l") {
			// without -l it starts an editor
			w.opaque(s, InCode, "a line of the history is executed", c.span)
		}
		return worlds{s}
	}
	if strings.ContainsAny(letters, "cd") {
		w.hazard(Hazard{Rule: "shell.history", Risk: 2, Message: "removes lines of the history",
			Span: c.span})
	}
	for _, letter := range []byte("aw") {
		if v, ok := values[letter]; ok {
			w.effect(s, Effect{Right: command.Write, Flags: command.Append, Name: w.name(s, v),
				Span: c.span})
		}
	}
	return worlds{s}
}
