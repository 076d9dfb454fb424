package approval

import "github.com/tada-run/tada-run/approval/plan"

// end makes an envelope consumed, rejected or expired; from then on its nonce may be shown.
func (t *tx) end(e *entry, to State, ev Event) error {
	from := e.State
	if from == "" {
		from = Pending // its state could not be read; that must not keep it alive
	}
	if err := checkTransition(from, to); err != nil {
		return err
	}
	if err := t.put(stateBucket, e.ID,
		plan.Fields{"state": string(to), "since": plan.FormatTime(t.now.Now),
			"outcome": ev.Outcome}); err != nil {
		return err
	}
	if err := t.delete(pendingBucket, e.ID); err != nil {
		return err
	}
	ev = e.event(ev)
	ev.From, ev.To, ev.Nonce = from, to, e.nonceText()
	e.State, e.Challenge = to, ""
	return t.emit(ev)
}

// expire ends an envelope whose time is over. For a canary that is its only event.
func (t *tx) expire(e *entry) error {
	kind := KindExpired
	if e.canary {
		kind = KindCanary
	}
	return t.end(e, Expired, Event{Kind: kind, Outcome: OutcomeExpired})
}

// sweep expires every pending envelope whose time is over.
func (t *tx) sweep() error {
	if t.swept {
		return nil
	}
	t.swept = true
	for _, id := range t.keys(pendingBucket) {
		e, err := t.load(id)
		switch {
		case e == nil && err == nil:
			err = t.delete(pendingBucket, id)
		case err == nil && t.over(e):
			err = t.expire(e)
		default:
			err = nil // a damaged one is reported when it is used
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// void spends an approval whose use failed: the attempt counts, not the success.
func (t *tx) void(e *entry, outcome string, cause error, computed string) error {
	ev := Event{Kind: KindConsumed, Outcome: outcome, Computed: computed}
	if err := t.end(e, Consumed, ev); err != nil {
		return err
	}
	return &Refused{Envelope: e.ID, Outcome: outcome, Err: cause}
}

// pending loads an envelope that may still be decided or used. An envelope that has ended is
// refused with the way it ended; one whose time is over expires here; one whose bytes were changed
// becomes void.
func (t *tx) pending(id string) (*entry, error) {
	e, err := t.load(id)
	return t.checkPending(id, e, err)
}

// checkPending does what pending does, for the result of load.
func (t *tx) checkPending(id string, e *entry, err error) (*entry, error) {
	if e == nil {
		if err != nil {
			return nil, err
		}
		return nil, t.unknown(id)
	}
	if e.State != Pending && e.State != "" {
		outcome, cause := outcomeAfter(e.State)
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
		return e, t.void(e, OutcomeTampered, ErrTampered, plan.Hash(e.Payload))
	}
	return e, nil
}

// unknown is the refusal for an id without an envelope; a tombstone may say how it ended.
func (t *tx) unknown(id string) *Refused {
	r := &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown}
	state := State("")
	if f, err := t.get(tombstoneBucket, id); err == nil && f != nil {
		state = State(f.Text("state"))
		r.Outcome, r.Err = outcomeAfter(state)
	}
	r.Events = []Event{{Kind: KindRefused, Envelope: id, From: state, To: state,
		Outcome: r.Outcome}}
	return r
}

// outcomeAfter is the outcome of an attempt on an envelope that has ended.
func outcomeAfter(s State) (string, error) {
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
