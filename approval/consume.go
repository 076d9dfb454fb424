package approval

import (
	"context"
	"crypto/hmac"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// Consume spends an approval. State, both clocks, stored hash, pairing of decisions and calls,
// and the presented plan are checked and the state is changed in one transaction, so of any
// number of concurrent claims exactly one gets the permit.
func (s *Store) Consume(ctx context.Context, c Claim) (Permit, error) {
	done, err := s.do(ctx, "consume", plan.Fields{
		"envelope": c.Envelope, "plan_hash": c.PlanHash, "runner": c.Runner, "session": c.Session,
	})
	if err != nil {
		return Permit{}, err
	}
	return Permit{Envelope: done.id, Calls: done.calls, Events: done.events}, nil
}

func (t *tx) consumeTask(k task) (result, error) {
	c := Claim{Session: k.args.Text("session"), Envelope: k.args.Text("envelope"), PlanHash: k.args.Text("plan_hash"), Runner: k.args.Text("runner")}
	e, err := t.consume(c, k.ticket)
	if err != nil {
		return result{}, err
	}
	return result{id: e.ID, calls: slices.Clone(e.Decision.Calls)}, nil
}

// consume checks and spends in the one transaction it runs in; the order of the checks is the
// order in which reasons are told. Nothing outside it may decide any of them.
func (t *tx) consume(c Claim, ticket string) (*entry, error) {
	id := c.Envelope
	if id == "" {
		id = string(t.raw(planBucket, planKey(c.Session, c.PlanHash)))
	}
	e, err := t.load(id)
	// An envelope of another session is not this one's to spend, or to spoil.
	if e != nil && e.birth != nil && e.Session != c.Session {
		return nil, &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown,
			Events: []Event{{Kind: KindRefused, Envelope: id, Session: c.Session, Outcome: OutcomeUnknown, Computed: c.PlanHash}}}
	}
	if err == nil && t.permitted(e, ticket) {
		return e, nil
	}
	if e, err = t.alive(id, e, err); err != nil {
		return e, err
	}
	switch {
	case e.Decision == nil:
		return e, &Refused{Envelope: id, Err: ErrPending}
	case pairing(e.Decision.Calls, e.Calls) != nil || !e.Decision.approvesAny():
		return e, t.spoil(e, OutcomeBijection, ErrBijection, c.PlanHash)
	case !hmac.Equal([]byte(c.PlanHash), []byte(e.PlanHash)) || !hmac.Equal([]byte(e.Decision.PlanHash), []byte(e.PlanHash)):
		return e, t.spoil(e, OutcomeMismatch, ErrMismatch, c.PlanHash)
	}
	if err := t.put(runBucket, id, plan.Fields{"runner": c.Runner, "since": plan.FormatTime(t.now.Now), "ticket": ticket}); err != nil {
		return e, err
	}
	return e, t.bury(e, Consumed, Event{Kind: KindConsumed, Outcome: OutcomeExecuted, Computed: c.PlanHash,
		Approver: e.Decision.Approver, Channel: e.Decision.Channel})
}

// permitted reports whether e was consumed under this very ticket, of which its process was not
// told. The event of it is in the outbox, for whoever settles.
func (t *tx) permitted(e *entry, ticket string) bool {
	if e == nil || e.State != Consumed || e.Decision == nil || ticket == "" {
		return false
	}
	f, err := t.get(runBucket, e.ID)
	return err == nil && f.Text("ticket") == ticket
}

// Finish records what came of a consumed envelope's run. It is an error to finish twice.
func (s *Store) Finish(ctx context.Context, id, outcome, reason string) ([]Event, error) {
	done, err := s.do(ctx, "finish", plan.Fields{"envelope": id, "outcome": outcome, "reason": reason})
	return done.events, err
}

func (t *tx) finishTask(k task) (result, error) {
	id := k.args.Text("envelope")
	e, _ := t.load(id)
	if e == nil {
		ev, ok := t.orphan(id, Event{Kind: KindFinished, Outcome: k.args.Text("outcome"), Reason: k.args.Text("reason")})
		if !ok {
			return result{}, &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown}
		}
		if err := t.delete(runBucket, id); err != nil {
			return result{}, err
		}
		return result{}, t.emit(ev)
	}
	if t.raw(runBucket, id) == nil {
		if f, err := t.get(stateBucket, id); err == nil && f.Text("ticket") == k.ticket {
			return result{}, nil // done already, and its process was not told
		}
		return result{}, &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown}
	}
	state, err := t.get(stateBucket, id)
	if err != nil || state == nil {
		state = plan.Fields{"state": string(Consumed), "since": plan.FormatTime(t.now.Now)}
	}
	state["ticket"] = k.ticket
	if err := t.put(stateBucket, id, state); err != nil {
		return result{}, err
	}
	if err := t.delete(runBucket, id); err != nil {
		return result{}, err
	}
	ev := e.event(Event{Kind: KindFinished, Outcome: k.args.Text("outcome"), Reason: k.args.Text("reason")})
	ev.Nonce = e.nonceText()
	return result{}, t.emit(ev)
}

// Unfinished returns the runs that were permitted and have not been finished.
func (s *Store) Unfinished(ctx context.Context) ([]Run, error) {
	var out []Run
	err := s.view(ctx, func(t *tx) error {
		for _, id := range t.keys(runBucket) {
			f, err := t.get(runBucket, id)
			if err != nil {
				f = nil // a run whose note was changed is still a run
			}
			out = append(out, Run{Envelope: id, Runner: f.Text("runner"), Since: f.Time("since")})
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b Run) int { return a.Since.Compare(b.Since) })
	return out, err
}

// Prune expires what is too old and removes what has been dead for Options.Retention. Of each
// a tombstone remains for Options.Tombstone, so that a replay is still called a replay.
func (s *Store) Prune(ctx context.Context) ([]Event, error) {
	var events []Event
	err := s.update(ctx, func(t *tx) error {
		if err := t.sweep(); err != nil {
			return err
		}
		events = t.events
		for _, id := range t.keys(stateBucket) {
			f, err := t.get(stateBucket, id)
			dead := err == nil && State(f.Text("state")) != Pending
			if !dead || t.raw(runBucket, id) != nil || !t.older(f.Time("since"), t.o.Retention) {
				continue
			}
			if err := t.remove(id, f); err != nil {
				return err
			}
		}
		if err := t.forgetGrants(); err != nil {
			return err
		}
		if err := t.forgetHours(); err != nil {
			return err
		}
		return t.forget()
	})
	if err != nil {
		return nil, err
	}
	return events, nil
}

// remove takes one dead envelope away and leaves a tombstone.
func (t *tx) remove(id string, state plan.Fields) error {
	err := t.put(tombstoneBucket, id, plan.Fields{"state": state.Text("state"), "since": state.Text("since")})
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
	for _, bucket := range []Bucket{envelopeBucket, payloadBucket, decisionBucket, pendingBucket, stateBucket, voteBucket, wrongBucket} {
		if err := t.delete(bucket, id); err != nil {
			return err
		}
	}
	return nil
}

// forget removes tombstones and cool-offs that have had their time.
func (t *tx) forget() error {
	for _, old := range []struct {
		bucket Bucket
		field  string
		keep   time.Duration
	}{{tombstoneBucket, "since", t.o.Tombstone}, {coolOffBucket, "denied_at", t.o.CoolOff}, {tokenBucket, "until", t.o.Skew}} {
		for _, key := range t.keys(old.bucket) {
			f, err := t.get(old.bucket, key)
			if err == nil && t.older(f.Time(old.field), old.keep) {
				if err := t.delete(old.bucket, key); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Unlogged returns, in order, the stored events that MarkLogged has not removed: those of a
// process that died between its change and its record.
func (s *Store) Unlogged(ctx context.Context) ([]Event, error) {
	var out []Event
	err := s.view(ctx, func(t *tx) error {
		for _, key := range t.keys(OutboxBucket) {
			f, err := t.get(OutboxBucket, key)
			if err != nil {
				return &FileError{Path: t.path, Err: ErrCorrupt, Hint: "an event that waits for its record was changed"}
			}
			out = append(out, readEvent(f))
		}
		return nil
	})
	return out, err
}

// MarkLogged removes events that stand in the record by now. Place is how far the record had
// come by then, in the caller's own words; "" leaves what is known. Of two places the later one
// is the greater text.
func (s *Store) MarkLogged(ctx context.Context, place string, seqs ...uint64) error {
	if len(seqs) == 0 && place == "" {
		return nil
	}
	list := make([]any, 0, len(seqs))
	for _, seq := range seqs {
		list = append(list, seq)
	}
	_, err := s.do(ctx, "recorded", plan.Fields{"place": place, "seqs": list})
	return err
}

func (t *tx) recordedTask(k task) (result, error) {
	for _, v := range k.args.List("seqs") {
		seq, err := strconv.ParseUint(fmt.Sprint(v), 10, 64)
		if err != nil {
			return result{}, fmt.Errorf("approval: %v is no seq", v)
		}
		if key := seqKey(seq); t.raw(OutboxBucket, key) != nil {
			if err := t.delete(OutboxBucket, key); err != nil {
				return result{}, err
			}
		}
	}
	place := k.args.Text("place")
	if known, err := t.place(); err != nil || place <= known {
		return result{}, err
	}
	return result{}, t.setPlace(place)
}
