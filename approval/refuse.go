package approval

import (
	"errors"
	"slices"

	"github.com/tada-run/tada-run/approval/plan"
)

// refuse makes the refusal of an attempt that changes nothing.
func (e *entry) refuse(outcome string, cause error) *Refused {
	return &Refused{Envelope: e.ID, Outcome: outcome, Err: cause,
		Events: []Event{e.event(Event{Kind: KindRefused, Outcome: outcome})}}
}

// isRefusal keeps err in refusal when it is one: a refusal does not undo the transaction, because
// what it found out (that the time is over, that bytes were changed) is stored with it.
func isRefusal(err error, refusal *error) bool {
	var r *Refused
	if !errors.As(err, &r) {
		return false
	}
	*refusal = err
	return true
}

// finish completes what a transaction tells about itself, before it is committed.
func finish(t *tx, e *entry, refusal *error, err error) error {
	return complete(t.events, t.now, e, *refusal, err)
}

func complete(events []Event, now Clock, e *entry, refusal, err error) error {
	if err != nil {
		return err
	}
	var r *Refused
	if errors.As(refusal, &r) {
		for i := range r.Events {
			r.Events[i].Time = now.Now.UTC()
		}
		r.Events = append(slices.Clone(events), r.Events...)
	} else if e != nil {
		e.Events = events
	}
	return nil
}

// unknown is the refusal for an id that has no envelope: a tombstone still knows how it ended.
func (t *tx) unknown(id string) *Refused {
	r := &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown}
	state := State("")
	if f, err := t.get(tombstoneBucket, id); err == nil && f != nil {
		state = State(f.Text("state"))
		r.Outcome, r.Err = deadOutcome(state)
	}
	r.Events = []Event{{Kind: KindRefused, Envelope: id, From: state, To: state, Outcome: r.Outcome}}
	return r
}

// deadOutcome says how an attempt on a dead envelope is called.
func deadOutcome(s State) (string, error) {
	switch s {
	case Consumed:
		return OutcomeReplayed, ErrReplayed
	case Expired:
		return OutcomeExpired, ErrExpired
	case Rejected:
		return OutcomeDenied, ErrDenied
	}
	return OutcomeUnknown, ErrUnknown
}

// living loads an envelope that may still be decided or used. A dead one is refused by the name of
// its death; one whose time is over dies here; one whose bytes were changed is spent here.
func (t *tx) living(id string) (*entry, error) {
	e, err := t.load(id)
	return t.alive(id, e, err)
}

// alive is living for what load returned.
func (t *tx) alive(id string, e *entry, err error) (*entry, error) {
	if e == nil {
		if err != nil {
			return nil, err
		}
		return nil, t.unknown(id)
	}
	if e.State != Pending && e.State != "" {
		outcome, cause := deadOutcome(e.State)
		r := e.refuse(outcome, cause)
		if e.State == Rejected && e.Decision != nil {
			r.Message, r.Instead = firstMessage(e.Decision.Calls), firstInstead(e.Decision.Calls)
		}
		return e, r
	}
	if err == nil && t.over(e) {
		if err := t.expire(e); err != nil {
			return e, err
		}
		return e, &Refused{Envelope: id, Outcome: OutcomeExpired, Err: ErrExpired}
	}
	if err != nil {
		return e, t.spoil(e, OutcomeTampered, ErrTampered, plan.Hash(e.Payload))
	}
	return e, nil
}

// spoil spends an approval whose use failed: the attempt counts, not the success.
func (t *tx) spoil(e *entry, outcome string, cause error, computed string) error {
	if err := t.bury(e, Consumed, Event{Kind: KindConsumed, Outcome: outcome, Computed: computed}); err != nil {
		return err
	}
	return &Refused{Envelope: e.ID, Outcome: outcome, Err: cause}
}
