package approval

import (
	"crypto/hmac"
	"fmt"
	"slices"
	"strconv"

	"github.com/tada-run/tada-run/approval/plan"
)

func (t *tx) consumeTask(k task) (result, error) {
	c := Claim{Session: k.args.Text("session"), Envelope: k.args.Text("envelope"),
		PlanHash: k.args.Text("plan_hash"), Runner: k.args.Text("runner")}
	e, again, err := t.consume(c, k.ticket)
	if err != nil {
		return result{}, err
	}
	return result{id: e.ID, calls: slices.Clone(e.Decision.Calls), again: again}, nil
}

// consume checks and spends in the one transaction that it runs in. The order of the checks is the
// order in which reasons are reported. No check may be made outside it. again means that it was
// spent under this ticket before.
func (t *tx) consume(c Claim, ticket string) (e *entry, again bool, err error) {
	id := c.Envelope
	if id == "" {
		id = string(t.raw(planBucket, planKey(c.Session, c.PlanHash)))
	}
	e, err = t.load(id)
	// An envelope of another session must be neither spent nor spoiled by this one.
	if e != nil && e.birth != nil && e.Session != c.Session {
		return nil, false, &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown,
			Events: []Event{{Kind: KindRefused, Envelope: id, Session: c.Session,
				Outcome: OutcomeUnknown, Computed: c.PlanHash}}}
	}
	if err == nil && t.permitted(e, ticket) {
		return e, true, nil
	}
	if e, err = t.checkPending(id, e, err); err != nil {
		return e, false, err
	}
	switch {
	case e.Decision == nil:
		return e, false, &Refused{Envelope: id, Err: ErrPending}
	case pairing(e.Decision.Calls, e.Calls) != nil || !e.Decision.approvesAny():
		return e, false, t.void(e, OutcomeBijection, ErrBijection, c.PlanHash)
	case !hmac.Equal([]byte(c.PlanHash), []byte(e.PlanHash)) ||
		!hmac.Equal([]byte(e.Decision.PlanHash), []byte(e.PlanHash)):
		return e, false, t.void(e, OutcomeMismatch, ErrMismatch, c.PlanHash)
	}
	run := plan.Fields{"runner": c.Runner, "since": plan.FormatTime(t.now.Now), "ticket": ticket}
	if err := t.put(runBucket, id, run); err != nil {
		return e, false, err
	}
	return e, false, t.end(e, Consumed, Event{Kind: KindConsumed, Outcome: OutcomeExecuted,
		Computed: c.PlanHash,
		Approver: e.Decision.Approver, Channel: e.Decision.Channel})
}

// permitted reports whether e was already consumed under this ticket, by an attempt whose answer
// was lost.
func (t *tx) permitted(e *entry, ticket string) bool {
	if e == nil || e.State != Consumed || e.Decision == nil || ticket == "" {
		return false
	}
	f, err := t.get(runBucket, e.ID)
	return err == nil && f.Text("ticket") == ticket
}

func (t *tx) finishTask(k task) (result, error) {
	id := k.args.Text("envelope")
	e, _ := t.load(id)
	if e == nil {
		ev, ok := t.orphan(id, Event{Kind: KindFinished, Outcome: k.args.Text("outcome"),
			Reason: k.args.Text("reason")})
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
			return result{again: true}, nil // the answer to its process was lost
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
	ev := e.event(Event{Kind: KindFinished, Outcome: k.args.Text("outcome"),
		Reason: k.args.Text("reason")})
	ev.Nonce = e.nonceText()
	return result{}, t.emit(ev)
}

// orphan returns the end of a run whose envelope only the record knows.
func (t *tx) orphan(id string, ev Event) (Event, bool) {
	f, err := t.get(runBucket, id)
	birth, ok := f["birth"].(map[string]any)
	if err != nil || !ok {
		return Event{}, false
	}
	old := readEvent(birth)
	old.Kind, old.Outcome, old.Reason, old.From, old.To = ev.Kind, ev.Outcome, ev.Reason, Consumed,
		Consumed
	return old, true
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
