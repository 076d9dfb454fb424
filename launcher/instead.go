package launcher

import (
	"strings"

	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

// maxInstead is how many commands are named in the place of a refused one.
const maxInstead = 3

// instead are commands that would be allowed in place of the run's: each was judged, here and now,
// and the policy allows it. A program that reads them may run one without a question.
func (a *attempt) instead() []string {
	var allowed []string
	for _, text := range alternatives(a.Script) {
		req := a.Request
		req.Shell = shell.Call{Text: text, Name: "tada-run", Dialect: req.Shell.Dialect}
		req.Intent = pathguard.Intent{} // it was about the other command
		j, err := a.l.Judge(req)
		if err != nil {
			continue
		}
		if j.Verdict.Decision == pathguard.Allow && len(allowed) < maxInstead {
			allowed = append(allowed, text)
		}
		_ = j.Close()
	}
	return allowed
}

// alternatives are what may be worth to be judged: the trial run of a command that has one, and a
// list without each one of its commands.
func alternatives(s *shellparse.Script) []string {
	if s.Err != nil || len(s.Commands) == 0 || len(s.Commands) > 8 || !isList(s) {
		return nil
	}
	var texts []string
	for i := range s.Commands {
		if trial := trialOf(s, i); trial != "" {
			texts = append(texts, trial)
		}
	}
	for left := range s.Commands {
		var parts []string
		for i := range s.Commands {
			if i != left {
				parts = append(parts, textOf(s, i))
			}
		}
		if len(parts) > 0 {
			texts = append(texts, strings.Join(parts, " && "))
		}
	}
	return texts
}

// isList reports whether a script is commands one after the other and nothing else: of those, some
// can be left out.
func isList(s *shellparse.Script) bool {
	at := 0
	for i, c := range s.Commands {
		if len(c.Via) > 0 || c.Span.Start < at || c.Span.End > len(s.Text) {
			return false
		}
		if between := strings.TrimSpace(s.Text[at:c.Span.Start]); i == 0 && between != "" ||
			i > 0 && between != "&&" && between != ";" {
			return false
		}
		at = c.Span.End
	}
	return strings.TrimSpace(s.Text[at:]) == ""
}

func textOf(s *shellparse.Script, i int) string {
	return s.Text[s.Commands[i].Span.Start:s.Commands[i].Span.End]
}

// trials are options with which a program shows what it would do, without doing it.
var trials = []struct{ program, verb, option string }{
	{"git", "push", "--dry-run"}, {"git", "clean", "--dry-run"}, {"git", "rm", "--dry-run"},
	{"git", "add", "--dry-run"},
	{"rsync", "", "--dry-run"}, {"make", "", "--dry-run"}, {"npm", "publish", "--dry-run"},
	{"cargo", "publish", "--dry-run"},
	{"apt-get", "install", "--simulate"}, {"apt-get", "remove", "--simulate"},
}

// trialOf is a script with one command of it as a trial; "" where there is none.
func trialOf(s *shellparse.Script, i int) string {
	c := s.Commands[i]
	for _, t := range trials {
		verb := t.verb == "" || len(c.Args) > 1 && c.Args[1].Static && c.Args[1].Text == t.verb
		if c.Name == t.program && verb {
			return s.Text[:c.Span.End] + " " + t.option + s.Text[c.Span.End:]
		}
	}
	return ""
}
