package pathguard

import (
	"strconv"
	"strings"
	"unicode"

	"github.com/tada-run/tada-run/shellparse"
)

// text judges the line before what it does: whether it can be read, and by whom.
func (j *judgement) text() {
	s := j.script
	whole := shellparse.Span{End: len(s.Text)}
	switch {
	case s.Err != nil:
		j.add(Deny, "text.unparsable", "", s.Err.Text, s.Err.Span, -1)
	case Idle(s):
		j.add(Allow, "text.empty", "", "", whole, -1)
	case s.Canonical == "" && strings.TrimSpace(s.Text) != "":
		j.add(Deny, "text.unparsable", "", "nothing is left to execute", whole, -1)
	}
	if !j.p.set.AllowShell && !s.Plain {
		j.add(Deny, "shell.disabled", "", "", whole, -1)
	}
	for _, m := range s.Marks {
		j.add(Ask, "text.mark", "", m.Kind+" U+"+
			strings.ToUpper(strconv.FormatInt(int64(m.Rune), 16)), m.Span, -1)
	}
	for i := range s.Commands {
		if c := &s.Commands[i]; dashed(c.Name) {
			j.add(Ask, "text.mark", "", "dash in "+strconv.QuoteToASCII(c.Name), c.Span, i)
		}
	}
	if j.plan.Caller.Intent.Confirm() {
		j.add(Ask, "intent.confirm", "", j.plan.Caller.Intent.Why(), whole, -1)
	}
}

// dashed reports whether the name of a program contains a dash that is not "-": a reader mistakes
// it for another program.
func dashed(name string) bool {
	return strings.ContainsFunc(name,
		func(r rune) bool {
			return r > unicode.MaxASCII && (unicode.Is(unicode.Pd, r) || r == '\u2212')
		})
}

// Idle reports whether a text holds nothing to run: blanks and comments. A shell does nothing
// with it and succeeds, so nothing is refused.
func Idle(s *shellparse.Script) bool {
	if len(s.Commands) > 0 || len(s.Effects) > 0 || len(s.Opaque) > 0 || len(s.Codes) > 0 ||
		len(s.Hazards) > 0 || strings.TrimSpace(s.Canonical) != "" {
		return false
	}
	for line := range strings.Lines(s.Text) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}
