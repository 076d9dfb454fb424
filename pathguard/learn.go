package pathguard

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

//go:embed table/learn.txt
var learnTable string

// mayLearn reports whether a rule may answer a question from now on.
func mayLearn(r Reason) bool {
	return r.Risk < 3 && slices.Contains(strings.Split(learnTable, "\n"), r.Rule)
}

// A Learned is a rule that would spare a question: for one command, word for word.
type Learned struct {
	Way
	candidate
	vary []bool // by the word: it may be another name
}

// Learn returns the rules that together would allow a plan which asks, one for each command that
// does. If there are none, why is the first question for which there cannot be one.
func (p Policy) Learn(plan *resolve.Plan) (rules []Learned, why string) {
	v := p.Judge(plan)
	if v.Decision != Ask || questions(v) > maxQuestions {
		return nil, "text.unparsable"
	}
	var asking []int
	for _, r := range v.Reasons {
		switch {
		case r.Decision == Allow:
		case !mayLearn(r) || r.File != "" || r.Command < 0:
			return nil, r.Rule
		case !slices.Contains(asking, r.Command):
			asking = append(asking, r.Command)
		}
	}
	for _, cmd := range asking {
		l, ok := learned(plan, v, cmd)
		if !ok {
			return nil, v.Reasons[0].Rule
		}
		rules = append(rules, l)
	}
	if with, err := p.With(rules...); err != nil || with.Judge(plan).Decision != Allow {
		return nil, v.Reasons[0].Rule
	}
	return rules, ""
}

// learned is the rule for one command of a plan; false if more than its words decides what it does.
func learned(plan *resolve.Plan, v Verdict, cmd int) (Learned, bool) {
	s := plan.Script
	c := &s.Commands[cmd]
	plain, _, unknown := operands(c)
	of := func(n int) bool { return n == cmd }
	if unknown || c.Name == "" || !c.Known || c.Builtin || c.Changed || c.Remote ||
		len(c.Via) > 0 || strings.Contains(c.Name, "/") || len(plain) == 0 ||
		slices.ContainsFunc(s.Codes, func(k shellparse.Code) bool { return of(k.Command) }) ||
		slices.ContainsFunc(plan.Contents, func(k resolve.Content) bool { return of(k.Command) }) ||
		slices.ContainsFunc(s.Commands, func(k shellparse.Command) bool {
			return slices.Contains(k.Via, path.Base(c.Name)) // it starts others
		}) || slices.Contains(plain, "*") || programOf(plan, cmd) == "" {
		return Learned{}, false
	}
	answers := asks(v, cmd)
	if slices.Contains(answers, "pkg.install-global") && !settledWords(c, "pkg.install-global") {
		return Learned{}, false // another day it is other code
	}
	rule := exactRule(c, answers)
	l := Learned{candidate: candidate{command: &rule}, vary: make([]bool, len(plain))}
	for i, word := range plain {
		l.vary[i] = plainName(word) && (i == len(plain)-1 && namesVary(c, rule.Answers) ||
			slices.ContainsFunc(plan.Targets, func(t resolve.Target) bool {
				return of(t.Command) && t.Right == command.Read && t.Name == word
			}))
	}
	l.Way = l.way()
	return l, l.isWritable()
}

// settledWords reports whether the table of what may be allowed for good has the words of a command
// for a question.
func settledWords(c *shellparse.Command, rule string) bool {
	words, ok := wordsOf(c)
	if ok {
		_, ok = lastingLineOf(words, rule)
	}
	return ok
}

// namesVary reports whether the table of what may be allowed for good says that the last word of a
// command may be another name.
func namesVary(c *shellparse.Command, answers []string) bool {
	words, ok := wordsOf(c)
	if !ok || len(answers) != 1 {
		return false
	}
	line, ok := lastingLineOf(words, answers[0])
	return ok && line.has("name")
}

// Join returns the rule that covers two others: the same words, but for files that are read and
// names for which it does not matter. False if there is none.
func (l Learned) Join(m Learned) (Learned, bool) {
	a, b := l.command, m.command
	if a.Program != b.Program || len(a.Args) != len(b.Args) ||
		!slices.Equal(a.Options, b.Options) || !slices.Equal(a.Answers, b.Answers) {
		return l, false
	}
	rule := *a
	rule.Args = slices.Clone(a.Args)
	same := 0
	for i := range rule.Args {
		switch {
		case a.Args[i] == b.Args[i]:
			same++
		case !l.vary[i] || !m.vary[i]:
			return l, false
		default:
			rule.Args[i] = "*"
		}
	}
	joined := Learned{candidate: candidate{command: &rule}, vary: l.vary}
	joined.Way = joined.way()
	return joined, same > 0
}

// AtMost says what the rule could allow.
func (l Learned) AtMost() string {
	text := strings.Join(append([]string{l.command.Program}, l.command.Args...), " ")
	if len(l.command.Options) > 0 {
		text += ", with " + strings.Join(l.command.Options, " or ")
	}
	if slices.Contains(l.command.Args, "*") {
		text += ", with any plain name for *"
	}
	return text + ", in any workspace, whatever its files and its input hold and its remotes are " +
		"by then"
}

// MayAnswer reports whether the rule answers a question of a command.
func (l Learned) MayAnswer(rule string) bool {
	return len(l.command.Answers) == 0 || slices.Contains(l.command.Answers, rule)
}

// With returns the policy with more rules.
func (p Policy) With(rules ...Learned) (Policy, error) {
	set := p.set
	for _, l := range rules {
		set = l.added(set)
	}
	return compile(p.account, set, p.notes)
}
