package pathguard

import (
	"path"
	"slices"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// A Lasting is a command that a person may allow in a workspace until it is revoked. It is the
// narrowest form of what is asked about: of another line with the same Lasting, the same questions
// are answered, and no others.
type Lasting struct {
	Dir     string   // where it runs
	Program string   // the real file
	Words   []string // the arguments; a star stands for what may vary
	Rule    string   // that asks
	Asks    []string // about what, as a reason says it
	AtMost  string   // what it could allow, in English
}

// Lasting returns what may be allowed for good instead of once, the narrowest first and at most
// three; nothing if the questions are not all about one command of the table.
func (p Policy) Lasting(plan *resolve.Plan, v Verdict) []Lasting {
	at, ok := asked(plan, v)
	if !ok {
		return nil
	}
	c := &plan.Script.Commands[at]
	l := Lasting{Dir: c.Dir, Program: programOf(plan, at)}
	if l.Dir == "" {
		l.Dir = plan.Dir
	}
	var line lastingLine
	for _, r := range v.Reasons {
		if r.Decision != Ask {
			continue
		}
		fits, ok := lastingLineOf(c, r.Rule)
		if !ok || fits.every() && runsOthers(c) {
			return nil
		}
		if line, l.Rule = fits, r.Rule; !slices.Contains(l.Asks, r.Message) {
			l.Asks = append(l.Asks, r.Message)
		}
	}
	if l.Program == "" || !pathname.Within(l.Dir, plan.Workspace) || !settled(plan, at) {
		return nil
	}
	if len(l.Asks) > 1 {
		line.facts = nil // what may vary for one question may not for another
	}
	var list []Lasting
	for _, f := range lastingForms(c, line) {
		l.Words, l.AtMost = f.words, f.atMost
		list = append(list, l)
	}
	return list
}

// asked returns the only command of a line that is asked about, if the line says all that it does
// and nothing but that command asks.
func asked(plan *resolve.Plan, v Verdict) (at int, ok bool) {
	s := plan.Script
	if v.Decision != Ask || s.Err != nil || plan.Workspace == "" || len(s.Codes)+len(s.Opaque)+
		len(s.Marks) > 0 {
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

// quietBuiltins change nothing about the commands behind them but the directory.
var quietBuiltins = []string{"cd", "echo", "printf", "true", "false", ":", "test", "[", "pwd"}

// settled reports whether the words of a command are all that decides what it does: it stands
// there as it is, and nothing in its line gives it another meaning.
func settled(plan *resolve.Plan, at int) bool {
	for i, c := range plan.Script.Commands {
		switch {
		case c.Name == "" || !c.Plain || c.Remote || len(c.Via) > 0 || c.Changed,
			c.Builtin && (i == at || !slices.Contains(quietBuiltins, c.Name)),
			!allStatic(c.Args), i == at && !c.Known:
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

func runsOthers(c *shellparse.Command) bool {
	return slices.Contains(runners, path.Base(c.Name))
}

// Fits reports whether a command has the words of l, by its text alone.
func (l Lasting) Fits(c *shellparse.Command) bool {
	line, ok := lastingLineOf(c, l.Rule)
	return ok && path.Base(c.Name) == path.Base(l.Program) && allStatic(c.Args) &&
		slices.ContainsFunc(lastingForms(c, line), func(f lastingForm) bool {
			return slices.Equal(f.words, l.Words)
		})
}
