package approval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
)

// A quorum. Votes are kept beside the envelope until enough different people have said yes; then
// they become one decision, in which a call is allowed only if everybody allowed it. Who denies
// all of it ends the question alone.

func (t *tx) votes(id string) []any {
	f, err := t.get(voteBucket, id)
	if err != nil {
		return nil // a note that was changed counts for nobody
	}
	return f.List("votes")
}

// vote takes a yes that is not enough by itself.
func (t *tx) vote(e *entry, d Decision) error {
	list := t.votes(e.ID)
	calls, approvers := slices.Clone(d.Calls), []string{d.Approver}
	for _, v := range list {
		m, _ := v.(map[string]any)
		if plan.AsFields(m).Text("person") == d.person() {
			return e.refuse(OutcomeReplayed, ErrVoted)
		}
		approvers = append(approvers, plan.AsFields(m).Text("approver"))
		calls = both(calls, readCalls(plan.AsFields(m).List("decisions")))
	}
	if len(list)+1 < e.Quorum {
		list = append(list, map[string]any{"approver": d.Approver, "decisions": callList(d.Calls), "person": d.person()})
		if err := t.put(voteBucket, e.ID, plan.Fields{"votes": list}); err != nil {
			return err
		}
		return t.emit(e.event(Event{Kind: KindVoted, Outcome: OutcomeApproved, Calls: slices.Clone(d.Calls),
			Approver: d.Approver, Channel: d.Channel, Took: t.took(e, d), Token: d.token, Via: d.Via}))
	}
	slices.Sort(approvers)
	d.Calls, d.Approver = calls, strings.Join(approvers, ", ")
	if !d.approvesAny() {
		return t.deny(e, d)
	}
	return t.allow(e, d)
}

// both allows the calls that both lists allow, with the words of whoever denied.
func both(a, b []CallDecision) []CallDecision {
	if len(a) != len(b) {
		return make([]CallDecision, len(a)) // denies
	}
	out := slices.Clone(a)
	for i := range out {
		if out[i].ID != b[i].ID || out[i].Approved && !b[i].Approved {
			out[i].Approved, out[i].Message = false, b[i].Message
		}
	}
	return out
}

// DecideSigned stores an answer that Verify has checked. It stands for challenge and second
// factor. It refuses with ErrReplayed one that was taken before, and with ErrScope what its
// signer may not allow.
func (s *Store) DecideSigned(ctx context.Context, a Signed) ([]Event, error) {
	if !a.verified || a.Envelope == "" {
		return nil, tokenError(ErrScope, "it does not answer a question")
	}
	return s.change(ctx, a.Envelope, func(t *tx, e *entry) error {
		if outcome, err := t.useless(a, e.Risk, e.WorkItem); err != nil {
			return e.refuse(outcome, err)
		}
		d := a.decision(e.ID)
		stands := a.Scope.stands() && d.approvesAny()
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
		return t.stand(a)
	})
}

// stand makes the grant of a signed answer, in the place of the approval that it has just become.
// It fails as a whole: the error is none of those that leave a part behind.
func (t *tx) stand(s Signed) error {
	e, err := t.load(s.Envelope)
	if err != nil {
		return err
	}
	r := s.grant(e.ID)
	if err := r.settle(); err != nil {
		return err
	}
	g, err := t.grant(r, e)
	if err != nil {
		return fmt.Errorf("approval: the grant of a signed answer: %v", err)
	}
	return t.bury(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeCancelled, Reason: "it became grant " + g.ID})
}

// stands reports whether more than one run is meant.
func (s Scope) stands() bool { return s.Uses > 1 || s.For != 0 }

func (s Signed) grant(envelope string) GrantRequest {
	return GrantRequest{Envelope: envelope, PlanHash: s.PlanHash, Uses: s.Scope.Uses, For: s.Scope.For, Approver: s.Signer, Channel: string(ChannelToken)}
}

func (s Signed) decision(id string) Decision {
	return Decision{Envelope: id, PlanHash: s.PlanHash, Calls: slices.Clone(s.Calls), Factor: "signature " + s.Signer,
		Approver: s.Signer, Person: s.Person, Channel: "token", signed: true, token: s.TokenID}
}

// spendToken makes a signed answer good for nothing else: also one that then turns out not to fit.
func (t *tx) spendToken(s Signed, envelope string) error {
	return t.put(tokenBucket, s.TokenID, plan.Fields{"envelope_id": envelope, "until": plan.FormatTime(s.Expires)})
}

// useless says why a signed answer is no good for a plan of this risk and work item.
func (t *tx) useless(s Signed, risk int, workItem string) (outcome string, err error) {
	switch {
	case t.raw(tokenBucket, s.TokenID) != nil:
		return OutcomeReplayed, ErrReplayed
	case risk > s.maxRisk, len(s.workItems) > 0 && !slices.Contains(s.workItems, workItem):
		return OutcomeScope, ErrScope
	case !t.now.Now.Before(s.Expires): // it may have waited for the lock
		return OutcomeExpired, ErrExpired
	}
	return "", nil
}

// Present asks a question that was answered beforehand (see [PlanAnswer]) and returns it
// approved, once for each signed answer. A plan that is not the one that was signed is
// ErrMismatch.
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
		return Envelope{}, &Refused{Outcome: OutcomeMismatch, Err: ErrMismatch, Events: []Event{{Time: s.o.Clock().Now.UTC(), Kind: KindRefused,
			Session: r.Session, WorkItem: p.WorkItem, PlanHash: a.PlanHash, Computed: plan.Hash(r.Payload), Outcome: OutcomeMismatch, Token: a.TokenID}}}
	}
	var e *entry
	var refusal error
	err = s.update(ctx, func(t *tx) error {
		var err error
		if e, err = t.present(r, p, a); isRefusal(err, &refusal) {
			err = nil
		}
		return finish(t, e, &refusal, err)
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return Envelope{}, err
	}
	return e.Envelope, nil
}

// present asks a question and answers it in one transaction. An answer that is no good asks
// nothing: nobody is there to be asked.
func (t *tx) present(r Request, p plan.Plan, s Signed) (*entry, error) {
	if outcome, err := t.useless(s, p.Risk, p.WorkItem); err != nil {
		return nil, &Refused{Outcome: outcome, Err: err, Events: []Event{{Kind: KindRefused, Session: r.Session,
			WorkItem: p.WorkItem, PlanHash: plan.Hash(r.Payload), Outcome: outcome, Token: s.TokenID}}}
	}
	if err := t.sweep(); err != nil {
		return nil, err
	}
	e, _, err := t.request(r, p)
	if err != nil {
		return nil, err
	}
	if err := t.spendToken(s, e.ID); err != nil {
		return e, err
	}
	d := s.decision(e.ID)
	d.PlanHash = e.PlanHash
	for i := range d.Calls {
		if i < len(e.Calls) { // the template leaves out how calls are numbered
			d.Calls[i].ID = e.Calls[i]
		}
	}
	if err := t.decide(e, d); err != nil {
		return e, err
	}
	return t.load(e.ID)
}
