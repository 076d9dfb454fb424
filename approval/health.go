package approval

import (
	"cmp"
	"iter"
	"slices"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// The brake. Three high-risk approvals in a row, each given within two seconds, are the work of a
// reflex or of a program, and so are ten of low risk, and three answers that came before the page
// could be read: until an approval was given with more thought, or a person denied something, every
// question must be typed, the risky ones with more characters.
const (
	fastApproval = 2 * time.Second
	fastLimit    = 3
	fastLow      = 10
	brakedLow    = 4
	brakedHigh   = 8
)

var (
	brakeKey = "brake"
	totpKey  = "totp"
)

func braked(f plan.Friction) plan.Friction {
	f.Challenge = max(f.Challenge, brakedLow)
	if f.Level > 1 {
		f.Challenge = max(f.Challenge, brakedHigh)
	}
	return f
}

// brakeOn reports whether the brake is on. A note of it that was changed counts as on.
func (t *tx) brakeOn() bool {
	f, err := t.get(healthBucket, brakeKey)
	return err != nil || f.Flag("on")
}

// answered notes how fast an answer came, and sets or lifts the brake.
func (t *tx) answered(e *entry, d Decision, took time.Duration) error {
	f, err := t.get(healthBucket, brakeKey)
	was := err != nil || f.Flag("on")
	next := pace{f.Number("fast"), f.Number("low"), was}
	switch {
	case !d.approvesAny() && (d.Via.Channel == ChannelAgent || d.Via.Channel == ChannelProgram): // a program's no says nothing of a person
	case !d.approvesAny():
		next = pace{}
	case took >= fastApproval:
		next.on, next.low = false, 0
		if e.Risk >= 2 {
			next.fast = 0
		}
	case e.Risk >= 2:
		next.fast++
		next.on = was || next.fast >= fastLimit
	default:
		next.low++
		next.on = was || next.low >= fastLow
	}
	if next == (pace{f.Number("fast"), f.Number("low"), was}) && err == nil {
		return nil
	}
	return t.setBrake(e, was, next, "approvals came faster than one can read")
}

// hasty refuses a yes that nobody can have read for. It counts like a fast one of high risk.
func (t *tx) hasty(e *entry, d Decision) error {
	f, err := t.get(healthBucket, brakeKey)
	was := err != nil || f.Flag("on")
	next := pace{f.Number("fast") + 1, f.Number("low"), was}
	next.on = was || next.fast >= fastLimit
	if err := t.setBrake(e, was, next, "answers came before the page could be read"); err != nil {
		return err
	}
	r := e.refuse(OutcomeHasty, ErrHasty)
	r.Events[0].Took, r.Events[0].Approver, r.Events[0].Channel, r.Events[0].Via = t.took(e, d), d.Approver, d.Channel, d.Via
	return r
}

// A pace is how fast the last approvals came: how many in a row were too fast for their risk.
type pace struct {
	fast, low int64
	on        bool
}

func (t *tx) setBrake(e *entry, was bool, p pace, why string) error {
	on := p.on
	if err := t.put(healthBucket, brakeKey, plan.Fields{"fast": p.fast, "low": p.low, "on": on}); err != nil || on == was {
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
	Expired   int // no answer in time
	Cancelled int
	Used      int // approvals that permitted a run
	ByGrant   int // runs that a standing approval permitted

	Median   time.Duration // of the time in which people answered; 0 without answers
	SubOne   int           // approvals in less than a second
	Hasty    int           // answers that were not taken, because the page cannot have been read
	Callers  int           // answers that were not taken, because no person gave them
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
		case e.Kind == KindRefused && (e.Via.Channel == ChannelAgent || e.Via.Channel == ChannelProgram):
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
	slices.SortFunc(s.NeverDenied, func(a, b RuleCount) int {
		return cmp.Or(cmp.Compare(b.Asked, a.Asked), cmp.Compare(a.Rule, b.Rule))
	})
	return s
}
