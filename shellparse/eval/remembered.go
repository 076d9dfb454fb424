package eval

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse/command"
)

// isName reports whether a word is a name out of a listing, which no interpreter executes. It could
// be an option only when a file is called like one, so it is none: go vet $(git ls-files) is an
// everyday line, and an agent that can make such a file can change what the tool runs in any case.
func (w *commands) isName(c *call, u command.Use, arg int) bool {
	if !c.args[arg].belowListed() {
		return false
	}
	name := base(c.words[0].Text)
	return languageOf(name) == name && !isShell(name) ||
		!slices.ContainsFunc(u.Touches, func(t command.Touch) bool {
			return t.Arg == arg && (t.Flags&command.Source != 0 || t.Right == command.Exec)
		})
}

// executed is the file of the script that a command executes by a name, or by that of the folder it
// is in; nil if there is none.
func (w *commands) executed(s *state, t command.Touch, v value) *written {
	if f := w.made(s, v); f != nil || len(s.files) == 0 {
		return f
	}
	if n := w.name(s, v); (n.Static || n.Glob) && n.User == "" {
		return s.planted(n, t.Base)
	}
	return nil
}

// remembered keeps what a program writes into a file, for a later command that executes it.
func (w *commands) remembered(s *state, c *call, t command.Touch, v value, program string) {
	switch {
	case t.Right == command.Read && t.Flags&command.Source != 0:
		if f := w.executed(s, t, v); f != nil {
			s.executes(v)
			w.runsWith(s, &f.flow, scriptFor(program), c.at(t.Arg),
				c.args[min(t.Arg+1, len(c.args)):], t.Arg >= 0)
			s.executes(nil)
		} else {
			w.code(Code{Lang: languageOf(program), Source: File, Span: c.at(t.Arg)})
		}
	case t.Right == command.Write && t.Flags&command.Meta == 0, t.Right == command.Create &&
		t.Flags&command.Link == 0:
		f := w.content(s, c, program)
		w.fills(f, c.at(t.Arg))
		w.wrote(s, v, f, t.Flags&command.Append != 0)
		if copies(program) && f != nil && f.from == File && f.name != "" {
			w.into(s, v, f)
		}
		if text := t.Text; unpacks(program) || c.fetches || text == "." ||
			strings.HasSuffix(text, "/") || t.Flags&(command.Recursive|command.Below) != 0 {
			w.unpacked(s, v, f)
		}
	case t.Right == command.Exec:
		if f := w.executed(s, t, v); f != nil && f.flow.source() != Literal {
			w.runs(s, &f.flow, scriptLang(f), c.at(t.Arg))
		}
	case t.Right == command.Create && t.Flags&command.Link != 0:
		w.link(s, c, t, v)
	}
}
