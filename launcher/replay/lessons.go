package replay

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/frozen"
)

// Lessons are rules that would have spared questions that a person has answered with yes.
type Lessons struct {
	Rules []Proposal `json:"rules"`
	Left  []Skipped  `json:"left"` // answered questions for which no rule is proposed
}

// A Proposal is one rule, with what speaks for it.
type Proposal struct {
	Key      string    `json:"key"`  // rules.commands, rules.hosts, rules.paths
	Rule     string    `json:"rule"` // as the configuration has it
	Asked    int       `json:"asked"`
	Last     time.Time `json:"last"`
	Examples []string  `json:"examples"` // command lines that asked, at most three
	Also     []Example `json:"also"`     // runs that asked and had no answer, which it would allow
	AtMost   string    `json:"at_most"`  // what it could allow, in English

	rule  pathguard.Learned
	plans map[string]bool // that it is for
}

// An answered plan is one that was asked about.
type answered struct {
	yes, no map[string]bool // the questions, by answer
	denied  []past.Run      // the runs of no
	runs    []past.Run      // the newest first
	plan    *frozen.Frozen
}

// noRule is why no rule is proposed for questions that a rule could answer.
const noRule = "a rule could allow what you have denied"

// Lessons finds rules that would have spared the answered questions since a time.
func (rec Record) Lessons(since time.Time) (Lessons, error) {
	asked := map[string]*answered{}
	for r, err := range rec.Newest(since) {
		if err != nil {
			return Lessons{}, err
		}
		if r.Verdict == pathguard.Ask.String() && !r.Began.Before(since) {
			noteAsked(asked, r)
		}
	}
	s := &study{asked: asked, policy: Judge{Policy: rec.Policy, Home: rec.Account.Home},
		left: map[string]int{}}
	for plan := range plans.All(rec.Plans, rec.Codec) {
		if a := asked[plan.Name]; a != nil && plan.Err == nil {
			a.plan, _ = frozen.Thaw(plan.Bytes)
		}
	}
	for name, a := range asked {
		s.learn(name, a)
	}
	s.join()
	s.weigh()
	s.together()
	return Lessons{Rules: s.rules, Left: skippedBy(s.left)}, nil
}

// noteAsked adds a run to what is known of its plan.
func noteAsked(asked map[string]*answered, r past.Run) {
	a := asked[r.Plan]
	if a == nil {
		a = &answered{yes: map[string]bool{}, no: map[string]bool{}}
		asked[r.Plan] = a
	}
	a.runs = append(a.runs, r)
	switch {
	case r.State == past.Denied:
		a.no[r.Envelope] = true
		a.denied = append(a.denied, r)
	case r.State == past.Approved, r.Authority == "approval":
		a.yes[r.Envelope] = true
	}
}

// A study is a search for lessons that goes on.
type study struct {
	asked  map[string]*answered
	policy Judge
	rules  []Proposal
	left   map[string]int
}

// under is what a policy says about an answered plan.
func (s *study) under(p pathguard.Policy, a *answered) (pathguard.Decision, error) {
	if a.plan == nil {
		return pathguard.Deny, errNoPlan
	}
	r := Judge{Policy: p, Home: s.policy.Home}
	v, err := r.Verdict(a.plan)
	return v.Decision, err
}

// learn finds the rules for one plan that was approved and never denied.
func (s *study) learn(name string, a *answered) {
	if len(a.yes) == 0 {
		return
	}
	if d, err := s.under(s.policy.Policy, a); err != nil || d != pathguard.Ask {
		return
	}
	p, err := s.policy.at(a.plan)
	if err != nil {
		return
	}
	rules, why := p.Learn(a.plan.Plan)
	switch {
	case len(a.no) > 0:
		s.left[noRule] += len(a.yes)
	case len(rules) == 0:
		s.left[why] += len(a.yes)
	}
	if len(a.no) > 0 {
		return
	}
	for _, rule := range rules {
		i := slices.IndexFunc(s.rules, func(p Proposal) bool { return p.rule.Way == rule.Way })
		if i < 0 {
			i, s.rules = len(s.rules), append(s.rules, Proposal{rule: rule,
				plans: map[string]bool{}})
		}
		s.rules[i].plans[name] = true
	}
}

// join replaces rules for the same command by the one that covers them, unless that would allow
// what was denied.
func (s *study) join() {
	slices.SortFunc(s.rules, func(a, b Proposal) int {
		return strings.Compare(a.rule.Key+a.rule.Entry, b.rule.Key+b.rule.Entry)
	})
	for i := 0; i < len(s.rules); i++ {
		for k := i + 1; k < len(s.rules); k++ {
			joined, ok := s.rules[i].rule.Join(s.rules[k].rule)
			if !ok || s.allowsDenied(joined) {
				continue
			}
			s.rules[i].rule = joined
			for name := range s.rules[k].plans {
				s.rules[i].plans[name] = true
			}
			s.rules = slices.Delete(s.rules, k, k+1)
			k--
		}
	}
	s.rules = slices.DeleteFunc(s.rules, func(p Proposal) bool {
		denied := s.allowsDenied(p.rule)
		if denied {
			s.left[noRule] += len(p.plans)
		}
		return denied
	})
}

// allowsDenied reports whether rules would allow a plan that a person has denied.
func (s *study) allowsDenied(rules ...pathguard.Learned) bool {
	p, err := s.policy.Policy.With(rules...)
	if err != nil {
		return true
	}
	for _, a := range s.asked {
		if len(a.no) == 0 {
			continue
		}
		d, err := s.under(p, a)
		if err == nil && d == pathguard.Allow || err != nil && answerAll(rules, a.denied) {
			return true
		}
	}
	return false
}

// answerAll reports whether rules could answer each question of one of these runs, by the record
// alone: their plan cannot be judged again.
func answerAll(rules []pathguard.Learned, runs []past.Run) bool {
	return slices.ContainsFunc(runs, func(r past.Run) bool {
		return !slices.ContainsFunc(r.Rules, func(question string) bool {
			return !slices.ContainsFunc(rules,
				func(l pathguard.Learned) bool { return l.MayAnswer(question) })
		})
	})
}

// weigh says what speaks for each rule, and what it would have allowed besides.
func (s *study) weigh() {
	for i := range s.rules {
		p := &s.rules[i]
		p.Key, p.Rule, p.AtMost = p.rule.Key, p.rule.Entry, p.rule.AtMost()
		with, err := s.policy.Policy.With(p.rule)
		for name, a := range s.asked {
			newest := a.runs[0]
			text := cmp.Or(newest.Inside, newest.Command)
			if p.plans[name] {
				p.Asked += len(a.yes)
				p.Examples = append(p.Examples, text)
				if newest.Began.After(p.Last) {
					p.Last = newest.Began
				}
				continue
			}
			if d, judged := s.under(with, a); err == nil && judged == nil &&
				d == pathguard.Allow && len(a.yes) == 0 {
				p.Also = append(p.Also, Example{newest.ID, newest.Began, newest.Dir, text, ""})
			}
		}
		slices.Sort(p.Examples)
		p.Examples = slices.Compact(p.Examples)
		p.Examples = p.Examples[:min(len(p.Examples), mostExamples)]
		slices.SortFunc(p.Also, func(a, b Example) int { return b.Time.Compare(a.Time) })
	}
	slices.SortFunc(s.rules, func(a, b Proposal) int {
		return cmp.Or(b.Asked-a.Asked, strings.Compare(a.Rule, b.Rule))
	})
}

// together leaves out rules that would allow what was denied if those before them are chosen too.
func (s *study) together() {
	var kept []pathguard.Learned
	s.rules = slices.DeleteFunc(s.rules, func(p Proposal) bool {
		with := append(kept, p.rule)
		if s.allowsDenied(with...) {
			s.left[noRule] += p.Asked
			return true
		}
		kept = with
		return false
	})
}
