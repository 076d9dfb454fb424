package approval

import (
	"cmp"
	"iter"
	"slices"
	"time"
)

// The brake. Three high-risk approvals in a row, each given within two seconds, are the work of a
// reflex: until an approval was given with more thought, or something was denied, every
// question must be typed, and the risky ones with more characters.
const (
	fastApproval = 2 * time.Second
	fastLimit    = 3
	brakedLow    = 4
	brakedHigh   = 8
)

var (
	brakeKey = "brake"
	totpKey  = "totp"
)

func (f Friction) braked() Friction {
	f.Challenge = max(f.Challenge, brakedLow)
	if f.Level > 1 {
		f.Challenge = max(f.Challenge, brakedHigh)
	}
	return f
}

// brakeOn reports whether the brake is on. A note of it that was changed counts as on.
func (t *tx) brakeOn() bool {
	f, err := t.get(healthBucket, brakeKey)
	return err != nil || f.flag("on")
}

// answered notes how fast an answer came, and sets or lifts the brake.
func (t *tx) answered(e *entry, d Decision, took time.Duration) error {
	f, err := t.get(healthBucket, brakeKey)
	was := err != nil || f.flag("on")
	fast, on := f.number("fast"), was
	switch {
	case !d.approvesAny():
		fast, on = 0, false
	case took >= fastApproval:
		on = false
		if e.Risk >= 2 {
			fast = 0
		}
	case e.Risk >= 2:
		if fast++; fast >= fastLimit {
			on = true
		}
	}
	if on == was && fast == f.number("fast") && err == nil {
		return nil
	}
	return t.setBrake(e, was, on, fast, "approvals came faster than one can read")
}

func (t *tx) setBrake(e *entry, was, on bool, fast int64, why string) error {
	if err := t.put(healthBucket, brakeKey, fields{"fast": fast, "on": on}); err != nil || on == was {
		return err
	}
	ev := Event{Kind: KindBrake, Outcome: "off"}
	if on {
		ev.Outcome, ev.Reason = "on", why
	}
	return t.emit(e.event(ev))
}

// Stats tell whether approvals still mean something.
type Stats struct {
	Asked     int // questions, canaries not counted
	Approved  int
	Denied    int
	Expired   int // nobody answered in time
	Cancelled int
	Used      int // approvals that permitted a run
	ByGrant   int // runs that a standing approval permitted

	Median   time.Duration // of the time in which people answered; 0 without answers
	SubOne   int           // approvals in less than a second
	Brakes   int           // how often the brake came on
	Canaries int           // canary questions that were answered
	Fooled   int           // and approved

	// NeverDenied are the rules that made people answer at least three times and never say no:
	// candidates for policy or for the sandbox instead of a question. Most asked first.
	NeverDenied []RuleCount
}

// A RuleCount says how often a rule asked and was answered.
type RuleCount struct {
	Rule  string
	Asked int
}

// minAsked is how often a rule must have asked before its answers say anything.
const minAsked = 3

// ApprovedShare is the part of the answers that was yes, from 0 to 1; 0 without answers.
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
		if e.Token == "" { // a signed answer came when it came
			times = append(times, e.Took)
		}
		for _, r := range e.Rules {
			asked[r]++
			denied[r] = denied[r] || e.Kind == KindRejected
		}
	}
	for e := range events {
		switch {
		case e.Kind == KindCanary:
			s.Canaries++
			if e.Outcome == OutcomeApproved {
				s.Fooled++
			}
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
	slices.SortFunc(s.NeverDenied, func(a, b RuleCount) int {
		return cmp.Or(cmp.Compare(b.Asked, a.Asked), cmp.Compare(a.Rule, b.Rule))
	})
	return s
}
