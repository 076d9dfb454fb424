package approval

import (
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// The brake. Three high-risk approvals in a row, each within two seconds, are a reflex or a
// program. So are ten of low risk, and three answers that came before the page could be read. After
// that every question must be typed, the risky ones with more characters, until an approval took
// longer or a person denied something.
const (
	fastApproval = 2 * time.Second
	fastLimit    = 3
	fastLow      = 10
)

// answered notes how fast an answer came, and sets or lifts the brake.
func (t *tx) answered(e *entry, d Decision, took time.Duration) error {
	f, err := t.get(healthBucket, brakeKey)
	was := err != nil || f.Flag("on")
	next := pace{f.Number("fast"), f.Number("low"), was}
	switch {
	case !d.approvesAny() && (d.Via.Channel == ChannelAgent || d.Via.Channel == ChannelProgram):
		// a denial by a program says nothing about a person
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

// hasty refuses an approval that came too soon for the page to have been read. It counts like a
// fast high-risk approval.
func (t *tx) hasty(e *entry, d Decision) error {
	f, err := t.get(healthBucket, brakeKey)
	was := err != nil || f.Flag("on")
	next := pace{f.Number("fast") + 1, f.Number("low"), was}
	next.on = was || next.fast >= fastLimit
	if err := t.setBrake(e, was, next, "answers came before the page could be read"); err != nil {
		return err
	}
	r := e.refuse(OutcomeHasty, ErrHasty)
	r.Events[0].Took, r.Events[0].Approver, r.Events[0].Channel, r.Events[0].Via = t.took(e, d),
		d.Approver, d.Channel, d.Via
	return r
}

// A pace counts the latest approvals in a row that were too fast for their risk.
type pace struct {
	fast, low int64
	on        bool
}

func (t *tx) setBrake(e *entry, was bool, p pace, why string) error {
	on := p.on
	if err := t.put(healthBucket, brakeKey,
		plan.Fields{"fast": p.fast, "low": p.low, "on": on}); err != nil || on == was {
		return err
	}
	ev := Event{Kind: KindBrake, Outcome: "off"}
	if on {
		ev.Outcome, ev.Reason = "on", why
	}
	return t.emit(e.event(ev))
}
