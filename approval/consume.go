package approval

import (
	"context"
	"crypto/hmac"
	"slices"
	"time"
)

// Consume implements [Store].
func (b *Bolt) Consume(ctx context.Context, c Claim) (Permit, error) {
	var e *entry
	var refusal error
	err := b.update(ctx, func(t *tx) error {
		var err error
		if e, err = t.consume(c); isRefusal(err, &refusal) {
			err = nil
		}
		return finish(t, e, &refusal, err)
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return Permit{}, err
	}
	return Permit{Envelope: e.Envelope, Calls: slices.Clone(e.Decision.Calls), Events: e.Events}, nil
}

// consume checks and spends in the one transaction it runs in; the order of the checks is the
// order in which reasons are told. Nothing outside it may decide any of them.
func (t *tx) consume(c Claim) (*entry, error) {
	id := c.Envelope
	if id == "" {
		id = string(t.raw(planBucket, planKey(c.Session, c.PlanHash)))
	}
	// An envelope of another session is not this one's to spend, or to spoil.
	if f, err := t.get(envelopeBucket, id); err == nil && f != nil && f.text("session") != c.Session {
		return nil, &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown,
			Events: []Event{{Kind: KindRefused, Envelope: id, Session: c.Session, Outcome: OutcomeUnknown, Computed: c.PlanHash}}}
	}
	e, err := t.living(id)
	if err != nil {
		return e, err
	}
	switch {
	case e.Decision == nil:
		return e, &Refused{Envelope: id, Err: ErrPending}
	case !pairs(e.Decision.Calls, e.Calls) || !e.Decision.approvesAny():
		return e, t.spoil(e, OutcomeBijection, ErrBijection, c.PlanHash)
	case !hmac.Equal([]byte(c.PlanHash), []byte(e.PlanHash)) || !hmac.Equal([]byte(e.Decision.PlanHash), []byte(e.PlanHash)):
		return e, t.spoil(e, OutcomeMismatch, ErrMismatch, c.PlanHash)
	}
	if err := t.put(runBucket, id, fields{"runner": c.Runner, "since": formatTime(t.now.Now)}); err != nil {
		return e, err
	}
	return e, t.bury(e, Consumed, Event{Kind: KindConsumed, Outcome: OutcomeExecuted, Computed: c.PlanHash,
		Approver: e.Decision.Approver, Channel: e.Decision.Channel})
}

// Finish implements [Store].
func (b *Bolt) Finish(ctx context.Context, id, outcome, reason string) ([]Event, error) {
	var events []Event
	var refusal error
	err := b.update(ctx, func(t *tx) error {
		e, _ := t.load(id)
		if e == nil || t.raw(runBucket, id) == nil {
			refusal = &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown}
			return nil
		}
		if err := t.delete(runBucket, id); err != nil {
			return err
		}
		ev := e.event(Event{Kind: KindFinished, Outcome: outcome, Reason: reason})
		ev.Nonce = e.nonceText()
		err := t.emit(ev)
		events = t.events
		return err
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return nil, err
	}
	return events, nil
}

// Unfinished implements [Store].
func (b *Bolt) Unfinished(ctx context.Context) ([]Run, error) {
	var out []Run
	err := b.view(ctx, func(t *tx) error {
		for _, id := range t.keys(runBucket) {
			f, err := t.get(runBucket, id)
			if err != nil {
				f = nil // a run whose note was changed is still a run
			}
			out = append(out, Run{Envelope: id, Runner: f.text("runner"), Since: f.time("since")})
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b Run) int { return a.Since.Compare(b.Since) })
	return out, err
}

// Prune implements [Store].
func (b *Bolt) Prune(ctx context.Context) ([]Event, error) {
	var events []Event
	err := b.update(ctx, func(t *tx) error {
		if err := t.sweep(); err != nil {
			return err
		}
		events = t.events
		for _, id := range t.keys(stateBucket) {
			f, err := t.get(stateBucket, id)
			dead := err == nil && State(f.text("state")) != Pending
			if !dead || t.raw(runBucket, id) != nil || !t.older(f.time("since"), t.o.Retention) {
				continue
			}
			if err := t.remove(id, f); err != nil {
				return err
			}
		}
		if err := t.forgetGrants(); err != nil {
			return err
		}
		return t.forget()
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

func (t *tx) older(at time.Time, d time.Duration) bool { return t.now.Now.Sub(at) >= d }

// remove takes one dead envelope away and leaves a tombstone.
func (t *tx) remove(id string, state fields) error {
	err := t.put(tombstoneBucket, id, fields{"state": state.text("state"), "since": state.text("since")})
	if err != nil {
		return err
	}
	if e, _ := t.load(id); e != nil {
		if key := planKey(e.Session, e.PlanHash); string(t.raw(planBucket, key)) == id {
			err = t.delete(planBucket, key)
		}
		if err == nil {
			err = t.delete(nonceBucket, nonceHash(e.nonce))
		}
		if err != nil {
			return err
		}
	}
	for _, bucket := range [][]byte{envelopeBucket, payloadBucket, decisionBucket, pendingBucket, stateBucket} {
		if err := t.delete(bucket, id); err != nil {
			return err
		}
	}
	return nil
}

// forget removes tombstones and cool-offs that have had their time.
func (t *tx) forget() error {
	for _, old := range []struct {
		bucket []byte
		field  string
		keep   time.Duration
	}{{tombstoneBucket, "since", t.o.Tombstone}, {coolOffBucket, "denied_at", t.o.CoolOff}} {
		for _, key := range t.keys(old.bucket) {
			f, err := t.get(old.bucket, key)
			if err == nil && t.older(f.time(old.field), old.keep) {
				if err := t.delete(old.bucket, key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Unlogged implements [Store].
func (b *Bolt) Unlogged(ctx context.Context) ([]Event, error) {
	var out []Event
	err := b.view(ctx, func(t *tx) error {
		for _, key := range t.keys(outboxBucket) {
			f, err := t.get(outboxBucket, key)
			if err != nil {
				return &FileError{Path: b.path, Err: ErrCorrupt, Hint: "an event that waits for its record was changed"}
			}
			out = append(out, readEvent(f))
		}
		return nil
	})
	return out, err
}

// MarkLogged implements [Store].
func (b *Bolt) MarkLogged(ctx context.Context, seqs ...uint64) error {
	return b.update(ctx, func(t *tx) error {
		for _, seq := range seqs {
			if key := seqKey(seq); t.raw(outboxBucket, key) != nil {
				if err := t.delete(outboxBucket, key); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
