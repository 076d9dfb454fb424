package approval

import (
	"context"
	"crypto/hmac"
	"fmt"
	"slices"
	"unicode/utf8"
)

// Decide implements [Store].
func (b *Bolt) Decide(ctx context.Context, d Decision) ([]Event, error) {
	return b.change(ctx, d.Envelope, func(t *tx, e *entry) error { return t.decide(e, d) })
}

func (t *tx) decide(e *entry, d Decision) error {
	switch {
	case e.Decision != nil:
		return e.refuse(OutcomeReplayed, ErrDecided)
	case !hmac.Equal([]byte(d.PlanHash), []byte(e.PlanHash)):
		r := e.refuse(OutcomeMismatch, ErrMismatch)
		r.Events[0].Computed = d.PlanHash
		return r
	case !pairs(d.Calls, e.Calls):
		return e.refuse(OutcomeBijection, ErrBijection)
	}
	for _, c := range d.Calls {
		if n := utf8.RuneCountInString(c.Message); n > MaxMessage {
			return fmt.Errorf("approval: message for %q has %d characters, more than %d", c.ID, n, MaxMessage)
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
	if e.Friction.Challenge > 0 && !typed(d.Challenge, e.Challenge) {
		return e.refuse(OutcomeDenied, ErrChallenge)
	}
	if e.Friction.Factor && d.Factor == "" {
		return e.refuse(OutcomeDenied, ErrFactor)
	}
	if err := t.putDecision(e, d); err != nil {
		return err
	}
	return t.emit(e.event(Event{Kind: KindDecided, Outcome: OutcomeApproved, Calls: slices.Clone(d.Calls), Approver: d.Approver, Channel: d.Channel}))
}

// pairs reports whether decisions and calls are the same ids in the same order, none twice.
func pairs(decisions []CallDecision, calls []string) bool {
	if len(decisions) != len(calls) {
		return false
	}
	seen := make(map[string]bool, len(calls))
	for i, d := range decisions {
		if d.ID != calls[i] || seen[d.ID] {
			return false
		}
		seen[d.ID] = true
	}
	return len(calls) > 0
}

func (t *tx) putDecision(e *entry, d Decision) error {
	calls := make([]any, 0, len(d.Calls))
	for _, c := range d.Calls {
		calls = append(calls, map[string]any{"approved": c.Approved, "message": c.Message, "tool_call_id": c.ID})
	}
	at := t.now.stamp()
	return t.put(decisionBucket, e.ID, fields{
		"approver":   d.Approver,
		"boot":       int64(at.boot),
		"boot_id":    at.bootID,
		"channel":    d.Channel,
		"decided_at": formatTime(at.at),
		"decisions":  calls,
		"factor":     d.Factor,
		"plan_hash":  d.PlanHash,
	})
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
	if err := t.put(coolOffBucket, e.PlanHash, fields{
		"boot": int64(at.boot), "boot_id": at.bootID, "denied_at": formatTime(at.at),
		"envelope_id": e.ID, "message": firstMessage(d.Calls),
	}); err != nil {
		return err
	}
	return t.bury(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeDenied, Calls: slices.Clone(d.Calls), Approver: d.Approver, Channel: d.Channel})
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

// Cancel implements [Store].
func (b *Bolt) Cancel(ctx context.Context, id, reason string) ([]Event, error) {
	return b.change(ctx, id, func(t *tx, e *entry) error {
		return t.bury(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeCancelled, Reason: reason})
	})
}

// change runs fn on one pending envelope in a write transaction. Refusals of fn are returned after
// what it changed was committed.
func (b *Bolt) change(ctx context.Context, id string, fn func(*tx, *entry) error) ([]Event, error) {
	var events []Event
	var refusal error
	err := b.update(ctx, func(t *tx) error {
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
