package pathguard

import (
	_ "embed"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse/command"
)

//go:embed table/learn.txt
var learnTable string

// mayLearn reports whether a rule may answer a question from now on.
func mayLearn(r Reason) bool {
	return r.Risk < 3 && slices.Contains(strings.Split(learnTable, "\n"), r.Rule)
}

// A Learned is a rule that would spare a question.
type Learned struct {
	Way
	candidate
}

// Learn returns the narrowest rules that together would allow a plan which asks, and are not too
// much for a rule: they are about the words of a command, one host, or the execution of one file.
// If there are none, why is the first question for which there cannot be one.
func (p Policy) Learn(plan *resolve.Plan) (rules []Learned, why string) {
	v := p.Judge(plan)
	for _, r := range v.Reasons {
		if r.Decision != Allow && !mayLearn(r) {
			return nil, r.Rule
		}
	}
	for range maxWays {
		if v.Decision == Allow {
			return rules, ""
		}
		c, next, ok := p.step(plan, v)
		if !ok || c.path != nil && !slices.Equal(c.path.Rights, []command.Right{command.Exec}) {
			break
		}
		rules, p = append(rules, Learned{c.way(), c}), next
		v = p.Judge(plan)
	}
	return nil, v.Reasons[0].Rule
}

// LearnHost returns a rule for one host that alone would allow a plan for which [Policy.Learn] has
// rules; false if there is none.
func (p Policy) LearnHost(plan *resolve.Plan) (Learned, bool) {
	for i := range plan.Script.Effects {
		n := plan.Script.Effects[i].Net
		if n == nil || !n.Static || n.Host == "" {
			continue
		}
		c := candidate{host: &HostRule{Host: n.Host, Verdict: Allow}}
		l := Learned{c.way(), c}
		if with, err := p.With(l); err == nil && with.Judge(plan).Decision == Allow {
			return l, true
		}
	}
	return Learned{}, false
}

// Join returns the rule for a command that covers two others, with the first words that they share;
// false if that is none.
func (l Learned) Join(m Learned) (Learned, bool) {
	a, b := l.command, m.command
	if a == nil || b == nil || a.Program != b.Program || !slices.Equal(a.Flags, b.Flags) ||
		!slices.Equal(a.Answers, b.Answers) {
		return l, false
	}
	n := 0
	for n < min(len(a.Args), len(b.Args)) && a.Args[n] == b.Args[n] {
		n++
	}
	if n == 0 {
		return l, false
	}
	joined := *a
	joined.Args = a.Args[:n:n]
	c := candidate{command: &joined}
	return Learned{c.way(), c}, true
}

// Covers reports whether what l allows includes what m allows.
func (l Learned) Covers(m Learned) bool {
	joined, ok := l.Join(m)
	return l.Way == m.Way || ok && joined.Way == l.Way
}

// Path returns the file that a rule is about; false if it is about none.
func (l Learned) Path() (string, bool) {
	if l.path == nil {
		return "", false
	}
	return l.path.Path, true
}

// AtMost says what the rule could allow.
func (l Learned) AtMost() string {
	switch {
	case l.host != nil:
		return "sending to " + l.host.Host + " whatever a command line in any workspace names"
	case l.path != nil:
		return "running what " + l.path.Path + " holds by then"
	}
	words := append([]string{l.command.Program}, l.command.Args...)
	text := strings.Join(words, " ") + " with any other words, in any workspace"
	if len(l.command.Flags) > 0 {
		return text + ", with " + strings.Join(l.command.Flags, " or ")
	}
	return text + ", but not what cannot be undone"
}

// With returns the policy with more rules.
func (p Policy) With(rules ...Learned) (Policy, error) {
	set := p.set
	for _, l := range rules {
		set = l.added(set)
	}
	return compile(p.account, set, p.notes)
}
