package launcher

import (
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/shellparse"
)

// inside is the agent's own command, "" where it is all of the text.
func (j *Judgement) inside() string {
	if own := j.subject(); own != j {
		return own.Script.Text
	}
	if j.Request.Shell.Name == "tada-run" || j.Request.Tool != nil {
		return ""
	}
	return nestedText(j.Script)
}

// foldFrom is how many bytes must surround a command before it is shown separately: less is read at
// a glance.
const foldFrom = 200

// nestedText is the one text that a script gives to eval, or to a shell as -c TEXT: most likely the
// agent's own command, in a wrapper that is not known. It is "" where there is none, or more than
// one, or little around it.
func nestedText(s *shellparse.Script) string {
	if s.Err != nil || len(s.Text) < foldFrom {
		return ""
	}
	text, at := "", shellparse.Span{}
	for _, c := range s.Commands {
		i := 1
		switch name := path.Base(c.Name); {
		case len(c.Args) < 2 || c.Name == "":
			continue
		case name == "eval" && c.Builtin:
		case name == "bash" || name == "sh" || name == "dash" || name == "zsh":
			if i = 1 + slices.IndexFunc(c.Args, func(w shellparse.Word) bool {
				return w.Static && strings.HasPrefix(w.Text, "-") &&
					!strings.HasPrefix(w.Text, "--") && strings.Contains(w.Text, "c")
			}); i == 0 {
				continue
			}
		default:
			continue
		}
		switch {
		case i >= len(c.Args) || !c.Args[i].Static:
		case text == "":
			text, at = c.Args[i].Text, c.Span
		case c.Span.Start < at.Start || c.Span.End > at.End:
			// what is in the first is a part of it
			return ""
		}
	}
	if len(s.Text)-len(text) < foldFrom {
		return ""
	}
	return text
}
