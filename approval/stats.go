package approval

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// Stats show whether approvals still mean something.
type Stats struct {
	Asked     int // questions, canaries not counted
	Approved  int
	Denied    int
	Expired   int // no answer in time
	Cancelled int
	Used      int // approvals that permitted a run
	ByGrant   int // runs that a grant permitted

	Median   time.Duration // of the time in which people answered; 0 without answers
	SubOne   int           // approvals in less than a second
	Hasty    int           // answers that were refused because the page cannot have been read
	Callers  int           // answers that were refused because no person gave them
	Brakes   int           // how often the brake came on
	Canaries int           // canary questions that were answered
	Fooled   int           // and approved

	// NeverDenied are the rules whose questions were answered at least three times and never
	// denied: candidates for policy or for the sandbox instead of a question. Most asked first.
	NeverDenied []RuleCount
}

// A RuleCount says how often a rule asked and was answered.
type RuleCount struct {
	Rule  string
	Asked int
}

// minAsked is how often a rule must have asked before its answers mean anything.
const minAsked = 3

// ApprovedShare is the share of approvals among the answers, from 0 to 1; 0 without answers.
func (s Stats) ApprovedShare() float64 {
	if n := s.Approved + s.Denied; n > 0 {
		return float64(s.Approved) / float64(n)
	}
	return 0
}

// Summarize counts the events of a record, in any order.
func Summarize(events iter.Seq[Event]) Stats {
	var s Stats
	var times []time.Duration
	asked, denied := map[string]int{}, map[string]bool{}
	answer := func(e Event) {
		if e.Token == "" { // the time of a signed answer means nothing
			times = append(times, e.Took)
		}
		for _, r := range e.Rules {
			asked[r]++
			denied[r] = denied[r] || e.Kind == KindRejected && e.Outcome == OutcomeDenied
		}
	}
	for e := range events {
		switch {
		case e.Kind == KindCanary:
			s.Canaries++
			if e.Outcome == OutcomeApproved {
				s.Fooled++
			}
		case e.Kind == KindRefused && e.Outcome == OutcomeHasty:
			s.Hasty++
		case e.Kind == KindRefused &&
			(e.Via.Channel == ChannelAgent || e.Via.Channel == ChannelProgram):
			s.Callers++
		case e.Kind == KindIssued:
			s.Asked++
		case e.Kind == KindDecided:
			s.Approved++
			if e.Token == "" && e.Took < time.Second {
				s.SubOne++
			}
			answer(e)
		case e.Kind == KindRejected && e.Outcome == OutcomeDenied:
			s.Denied++
			answer(e)
		case e.Kind == KindRejected:
			s.Cancelled++
		case e.Kind == KindExpired:
			s.Expired++
		case e.Kind == KindConsumed && e.Outcome == OutcomeExecuted:
			s.Used++
		case e.Kind == KindGrantUsed:
			s.ByGrant++
		case e.Kind == KindBrake && e.Outcome == "on":
			s.Brakes++
		}
	}
	if slices.Sort(times); len(times) > 0 {
		s.Median = times[len(times)/2]
	}
	for rule, n := range asked {
		if n >= minAsked && !denied[rule] {
			s.NeverDenied = append(s.NeverDenied, RuleCount{rule, n})
		}
	}
	slices.SortStableFunc(s.NeverDenied, func(a, b RuleCount) int {
		return cmp.Or(cmp.Compare(b.Asked, a.Asked), cmp.Compare(a.Rule, b.Rule))
	})
	return s
}
