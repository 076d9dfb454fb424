package pathguard

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Lasting is a command that a person may allow in a workspace until it is revoked. It is the
// narrowest form of what is asked about: of another line with the same Lasting, the same questions
// are answered, and no others. What else decides what the command does (its environment, the files
// that it reads) is for the caller to bind.
type Lasting struct {
	Dir     string   // where it runs
	Program string   // the real file
	Words   []string // the arguments; a star stands for what may vary
	Rule    string   // that asks
	Asks    []string // about what, as a reason says it, and of which repository
	AtMost  string   // what it could allow, in English
}

// Lasting returns what may be allowed for good instead of once, the narrowest first and at most
// three; nothing if the questions are not all about one command of the table, or if more than its
// words decides what that does.
func (p Policy) Lasting(plan *resolve.Plan, v Verdict) []Lasting {
	at, ok := asked(plan, v)
	if !ok {
		return nil
	}
	c := &plan.Script.Commands[at]
	words, ok := wordsOf(c)
	if !ok || !settled(plan, at) {
		return nil
	}
	l := Lasting{Dir: cmp.Or(c.Dir, plan.Dir), Program: programOf(plan, at)}
	var line lastingLine
	for _, r := range v.Reasons {
		if r.Decision != Ask {
			continue
		}
		if line, ok = lastingLineOf(words, r.Rule); !ok || l.Rule != "" && l.Rule != r.Rule {
			return nil
		}
		if l.Rule = r.Rule; !slices.Contains(l.Asks, r.Message) {
			l.Asks = append(l.Asks, r.Message)
		}
	}
	if line.has("one") {
		to, ok := remoteOf(plan, at)
		if !ok {
			return nil
		}
		l.Asks = append(l.Asks, "of "+to.Address+" alone")
	}
	if line.value("files") != "" && slices.ContainsFunc(plan.Targets, func(t resolve.Target) bool {
		return t.Command == at && t.Exists && t.Mode.IsDir()
	}) {
		return nil
	}
	if l.Program == "" || !pathname.Within(l.Dir, plan.Workspace) {
		return nil
	}
	var list []Lasting
	for _, f := range lastingForms(words[1:], line) {
		l.Words, l.AtMost = f.words, f.atMost
		list = append(list, l)
	}
	return list
}

// asked returns the only command of a line that is asked about, if the line says all that it does
// and nothing but that command asks.
func asked(plan *resolve.Plan, v Verdict) (at int, ok bool) {
	s := plan.Script
	if v.Decision != Ask || s.Err != nil || plan.Workspace == "" ||
		len(s.Codes)+len(s.Opaque)+len(s.Marks) > 0 {
		return 0, false
	}
	at = -1
	for _, r := range v.Reasons {
		switch {
		case r.Decision == Allow:
		case r.Decision != Ask, r.Risk > 2, r.File != "", r.More > 0, r.Command < 0,
			at >= 0 && r.Command != at:
			return 0, false
		default:
			at = r.Command
		}
	}
	return at, at >= 0 && at < len(s.Commands)
}

// wordsOf are the words of a command, the first without its folder.
func wordsOf(c *shellparse.Command) (words []string, ok bool) {
	for i, w := range c.Args {
		if i == 0 {
			w.Text = path.Base(w.Text)
		}
		words = append(words, w.Text)
	}
	return words, len(words) > 1 && allStatic(c.Args)
}

// isQuiet reports whether a command may stand in a line beside the one that is asked about: it
// changes nothing about that but the directory. All else could wait until other settings are in
// force, or is code with the rights of the line.
func isQuiet(c *shellparse.Command) bool { return c.Builtin && c.Name == "cd" }

// redirected reports whether a line reads or writes by more than the streams that it was given.
func redirected(s *shellparse.Script) bool {
	text := strings.NewReplacer("2>&1", "", "2>/dev/null", "", "&>/dev/null", "", ">/dev/null", "",
		"</dev/null", "").Replace(s.Canonical)
	return strings.ContainsAny(text, "<>")
}

// settled reports whether the words of a command are all of its line that decides what it does.
func settled(plan *resolve.Plan, at int) bool {
	if redirected(plan.Script) {
		return false
	}
	for i := range plan.Script.Commands {
		c := &plan.Script.Commands[i]
		if c.Name == "" || !c.Plain || c.Remote || len(c.Via) > 0 || c.Changed ||
			!allStatic(c.Args) || i != at && !isQuiet(c) || i == at && (c.Builtin || !c.Known) {
			return false
		}
	}
	for i := range plan.Script.Effects {
		e := &plan.Script.Effects[i]
		if e.Command == at && e.Right == command.Net &&
			(e.Net == nil || !e.Net.Static || e.Net.Scheme == hosts.RemoteScheme) {
			return false
		}
	}
	return true
}

// remoteOf is the one repository that a command works on.
func remoteOf(plan *resolve.Plan, at int) (resolve.Remote, bool) {
	i := slices.IndexFunc(plan.Remotes, func(r resolve.Remote) bool { return r.Command == at })
	if i < 0 {
		return resolve.Remote{}, false
	}
	return plan.Remotes[i], true
}

// programOf is the real file that a command starts; "" if it is not known.
func programOf(plan *resolve.Plan, at int) (real string) {
	for i := range plan.Programs {
		switch p := &plan.Programs[i]; {
		case p.Name != plan.Script.Commands[at].Name:
		case p.Path == "" || p.Shadow != "" || real != "" && real != p.Real:
			return ""
		default:
			real = p.Real
		}
	}
	return real
}

// Fits reports whether a command has the words of l, by its text alone.
func (l Lasting) Fits(c *shellparse.Command) bool {
	words, ok := wordsOf(c)
	if !ok || words[0] != path.Base(l.Program) {
		return false
	}
	line, ok := lastingLineOf(words, l.Rule)
	return ok && slices.ContainsFunc(lastingForms(words[1:], line), func(f lastingForm) bool {
		return slices.Equal(f.words, l.Words)
	})
}
