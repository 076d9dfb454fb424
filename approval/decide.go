package approval

import (
	"context"
	"slices"

	"github.com/tada-run/tada-run/approval/plan"
)

// Decide stores a person's answer. If every call is denied the envelope is rejected; otherwise it
// stays pending until it is consumed, for at most Options.Unused.
func (s *Store) Decide(ctx context.Context, d Decision) ([]Event, error) {
	return s.change(ctx, d.Envelope, func(t *tx, e *entry) error { return t.decide(e, d) })
}

// DecideSigned stores an answer that Verify has checked. The signature replaces the challenge and
// the second factor. DecideSigned refuses with ErrReplayed an answer that was taken before, and
// with ErrScope one that its signer may not give.
func (s *Store) DecideSigned(ctx context.Context, a Signed) ([]Event, error) {
	if !a.verified || a.Envelope == "" {
		return nil, tokenError(ErrScope, "it does not answer a question")
	}
	return s.change(ctx, a.Envelope, func(t *tx, e *entry) error {
		if outcome, err := t.unfit(a, e.Risk, e.WorkItem); err != nil {
			return e.refuse(outcome, err)
		}
		d := a.decision(e.ID)
		stands := a.stands() && d.approvesAny()
		if stands {
			if err := e.MayStand(d, a.grant(e.ID)); err != nil {
				r := e.refuse(OutcomeScope, err)
				r.Events[0].Token, r.Events[0].Reason = a.TokenID, err.Error()
				return r
			}
		}
		if err := t.spendToken(a, e.ID); err != nil {
			return err
		}
		if a.NonceHash != e.NonceHash {
			return e.refuse(OutcomeMismatch, ErrMismatch)
		}
		if err := t.decide(e, d); err != nil || !stands {
			return err
		}
		return t.makeGrant(a)
	})
}

// Present asks a question that was answered beforehand (see [PlanAnswer]) and returns it approved,
// once for each signed answer. A plan other than the signed one is ErrMismatch.
func (s *Store) Present(ctx context.Context, r Request, a Signed) (Envelope, error) {
	p, err := plan.Read(r.Payload)
	if err != nil {
		return Envelope{}, err
	}
	template, err := plan.Template(r.Payload)
	if err != nil {
		return Envelope{}, err
	}
	if !a.verified || a.Template == "" || a.Envelope != "" {
		return Envelope{}, tokenError(ErrScope, "it does not answer a plan without a question")
	}
	if a.Template != template {
		return Envelope{}, &Refused{Outcome: OutcomeMismatch, Err: ErrMismatch,
			Events: []Event{{Time: s.o.Clock().Now.UTC(), Kind: KindRefused,
				Session: r.Session, WorkItem: p.WorkItem, PlanHash: a.PlanHash,
				Computed: plan.Hash(r.Payload), Outcome: OutcomeMismatch, Token: a.TokenID}}}
	}
	var e *entry
	_, err = s.commit(ctx, func(t *tx) (_ *entry, err error) {
		e, err = t.present(r, p, a)
		return e, err
	})
	if err != nil {
		return Envelope{}, err
	}
	return e.Envelope, nil
}

// Cancel withdraws a pending question or an unused answer.
func (s *Store) Cancel(ctx context.Context, id, reason string) ([]Event, error) {
	return s.change(ctx, id, func(t *tx, e *entry) error {
		return t.end(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeCancelled,
			Reason: reason})
	})
}

// Undeny takes back a denial that still keeps its plan from being asked again. The denied question
// stays denied and grants that it ended stay ended, but the plan can be asked again at once. It
// refuses with ErrUnknown if nothing cools off because of that question.
func (s *Store) Undeny(ctx context.Context, id, approver, channel string) ([]Event, error) {
	return s.commit(ctx, func(t *tx) (*entry, error) {
		cooling := t.coolingBy(id)
		if len(cooling) == 0 {
			return nil, &Refused{Envelope: id, Outcome: OutcomeUnknown, Err: ErrUnknown}
		}
		for _, key := range cooling {
			if err := t.delete(coolOffBucket, key); err != nil {
				return nil, err
			}
		}
		ev := Event{
			Kind: KindUndenied, Envelope: id, From: Rejected, To: Rejected, Approver: approver,
			Channel: channel,
		}
		if e, _ := t.load(id); e != nil { // after a rebuild only the note is there
			ev = e.event(ev)
		}
		return nil, t.emit(ev)
	})
}

// Denied returns the questions whose denials keep their plans from being asked again, oldest
// first, without payload.
func (s *Store) Denied(ctx context.Context) ([]Envelope, error) {
	var out []Envelope
	err := s.view(ctx, func(t *tx) error {
		out = nil
		for _, key := range t.keys(coolOffBucket) {
			f, _, err := t.denied(key)
			if err != nil || f == nil {
				continue
			}
			e, err := t.load(f.Text("envelope_id"))
			if err != nil || e == nil ||
				slices.ContainsFunc(out, func(other Envelope) bool { return other.ID == e.ID }) {
				continue
			}
			e.Payload = nil
			out = append(out, e.Envelope)
		}
		return nil
	})
	slices.SortStableFunc(out, older)
	return out, err
}
