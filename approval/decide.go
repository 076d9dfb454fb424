package approval

import (
	"context"
	"crypto/hmac"
	"fmt"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/render"
)

// Decide stores a person's answer. When every call is denied the envelope is rejected; else it
// stays pending until it is consumed, for at most Options.Unused.
func (s *Store) Decide(ctx context.Context, d Decision) ([]Event, error) {
	return s.change(ctx, d.Envelope, func(t *tx, e *entry) error { return t.decide(e, d) })
}

func (t *tx) decide(e *entry, d Decision) error {
	if err := t.fits(e, d); err != nil {
		return err
	}
	if e.canary {
		return t.decideCanary(e, d)
	}
	if d.approvesAny() {
		if err := t.earned(e, &d); err != nil {
			return err
		}
	}
	if !d.signed { // who signs took their time elsewhere
		if err := t.answered(e, d, t.took(e, d)); err != nil {
			return err
		}
	}
	if !d.approvesAny() {
		return t.deny(e, d)
	}
	if !d.approvesAll() {
		if err := t.suspend(e); err != nil {
			return err
		}
	}
	if e.Quorum > 1 {
		return t.vote(e, d)
	}
	return t.allow(e, d)
}

// fits checks that a decision answers this question, whatever it says.
func (t *tx) fits(e *entry, d Decision) error {
	switch {
	case e.Decision != nil:
		return e.refuse(OutcomeReplayed, ErrDecided)
	case !hmac.Equal([]byte(d.PlanHash), []byte(e.PlanHash)):
		r := e.refuse(OutcomeMismatch, ErrMismatch)
		r.Events[0].Computed = d.PlanHash
		return r
	}
	if err := pairing(d.Calls, e.Calls); err != nil {
		r := e.refuse(OutcomeBijection, err)
		r.Events[0].Reason = err.Error()
		return r
	}
	for _, c := range d.Calls {
		if n := utf8.RuneCountInString(c.Message); n > MaxMessage {
			r := e.refuse(OutcomeOversized, ErrOversized)
			r.Events[0].Reason = fmt.Sprintf("message for %q has %d characters, more than %d", c.ID, n, MaxMessage)
			return r
		}
		if n := len(c.Instead); n > MaxInstead || n > 0 && c.Approved {
			r := e.refuse(OutcomeOversized, ErrOversized)
			r.Events[0].Reason = fmt.Sprintf("command in the place of %q has %d bytes; at most %d, and with a denial only", c.ID, n, MaxInstead)
			return r
		}
	}
	return nil
}

// earned checks that a yes cost what the risk asks for. A signature by a trusted key, made on
// another machine, stands for the challenge and for the factor.
func (t *tx) earned(e *entry, d *Decision) error {
	switch {
	case e.Requester != "" && d.person() == e.Requester:
		return e.refuse(OutcomeDenied, ErrSelf)
	case d.signed:
		return nil
	case e.Friction.Challenge > 0 && !typed(d.Challenge, e.Challenge):
		return e.refuse(OutcomeDenied, ErrChallenge)
	case !d.Paged && render.Render(e.Payload, render.Options{}).Truncated:
		return e.refuse(OutcomeDenied, ErrUnread)
	case t.took(e, *d) < e.ReadingTime():
		return t.hasty(e, *d)
	case e.Friction.Factor && d.Code != "":
		if err := t.checkCode(e, d.Code); err != nil {
			return err
		}
		d.Factor = "totp"
	case e.Friction.Factor && d.Factor == "" && e.Quorum < 2:
		return e.refuse(OutcomeDenied, ErrFactor)
	}
	return nil
}

// allow stores the answer that permits.
func (t *tx) allow(e *entry, d Decision) error {
	if err := t.putDecision(e, d); err != nil {
		return err
	}
	return t.emit(e.event(Event{Kind: KindDecided, Outcome: OutcomeApproved, Calls: slices.Clone(d.Calls),
		Approver: d.Approver, Channel: d.Channel, Took: t.took(e, d), Token: d.token, Via: d.Via}))
}

// took is how long a person had the question.
func (t *tx) took(e *entry, d Decision) time.Duration {
	if d.Took > 0 {
		return d.Took
	}
	return max(t.now.Now.Sub(e.Issued), 0)
}

// pairing says how decisions and calls fail to pair up one to one and in order; nil when they do.
func pairing(decisions []CallDecision, calls []string) error {
	seen := map[string]bool{}
	inOrder := len(decisions) == len(calls)
	for i, d := range decisions {
		if seen[d.ID] {
			return ErrDuplicated
		}
		if !slices.Contains(calls, d.ID) {
			return ErrBijection
		}
		seen[d.ID] = true
		inOrder = inOrder && d.ID == calls[i]
	}
	switch {
	case inOrder && len(calls) > 0:
		return nil
	case len(decisions) == len(calls) && len(calls) > 0:
		return ErrReordered
	}
	return ErrBijection
}

func (t *tx) putDecision(e *entry, d Decision) error {
	at := t.now.stamp()
	f := plan.Fields{
		"approver":   d.Approver,
		"boot":       int64(at.boot),
		"boot_id":    at.bootID,
		"channel":    d.Channel,
		"decided_at": plan.FormatTime(at.at),
		"decisions":  callList(d.Calls),
		"factor":     d.Factor,
		"plan_hash":  d.PlanHash,
		"took_ms":    t.took(e, d).Milliseconds(),
	}
	if via := d.Via.fields(); via != nil {
		f["via"] = map[string]any(via)
	}
	return t.put(decisionBucket, e.ID, f)
}

// deny rejects the envelope and lets its plan cool off.
func (t *tx) deny(e *entry, d Decision) error {
	if err := t.suspend(e); err != nil {
		return err
	}
	if err := t.putDecision(e, d); err != nil {
		return err
	}
	at := t.now.stamp()
	for _, key := range []string{e.PlanHash, kinPrefix + e.Kin} {
		if err := t.put(coolOffBucket, key, plan.Fields{
			"boot": int64(at.boot), "boot_id": at.bootID, "denied_at": plan.FormatTime(at.at),
			"envelope_id": e.ID, "message": firstMessage(d.Calls), "instead": firstInstead(d.Calls),
		}); err != nil {
			return err
		}
	}
	return t.bury(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeDenied, Calls: slices.Clone(d.Calls),
		Approver: d.Approver, Channel: d.Channel, Took: t.took(e, d), Token: d.token, Via: d.Via})
}

// suspend ends the standing approvals of a session: who says no to one thing does not take the
// others for settled.
func (t *tx) suspend(e *entry) error {
	return t.endGrants(KindGrantSuspended, "a denial in the session", func(g Grant) bool { return g.Session == e.Session })
}

func firstMessage(calls []CallDecision) string {
	for _, c := range calls {
		if c.Message != "" {
			return c.Message
		}
	}
	return ""
}

func firstInstead(calls []CallDecision) string {
	for _, c := range calls {
		if c.Instead != "" {
			return c.Instead
		}
	}
	return ""
}

// Cancel withdraws a pending question, or an answer that was not used.
func (s *Store) Cancel(ctx context.Context, id, reason string) ([]Event, error) {
	return s.change(ctx, id, func(t *tx, e *entry) error {
		return t.bury(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeCancelled, Reason: reason})
	})
}

// change runs fn on one pending envelope in a write transaction. Refusals of fn are returned after
// what it changed was committed.
func (s *Store) change(ctx context.Context, id string, fn func(*tx, *entry) error) ([]Event, error) {
	var events []Event
	var refusal error
	err := s.update(ctx, func(t *tx) error {
		e, err := t.living(id)
		if err == nil {
			err = fn(t, e)
		}
		if isRefusal(err, &refusal) {
			err = nil
		}
		events = t.events
		return finish(t, e, &refusal, err)
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return nil, err
	}
	return events, nil
}
