package approval

import (
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/approval/plan"
)

// makeGrant makes the grant of a signed answer from the approval that the answer has just become.
// It fails as a whole: none of its errors leaves a part behind.
func (t *tx) makeGrant(s Signed) error {
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
	return t.end(e, Rejected, Event{Kind: KindRejected, Outcome: OutcomeCancelled,
		Reason: "it became grant " + g.ID})
}

// spendToken marks a signed answer as used, even one that then turns out not to match.
func (t *tx) spendToken(s Signed, envelope string) error {
	return t.put(tokenBucket, s.TokenID,
		plan.Fields{"envelope_id": envelope, "until": plan.FormatTime(s.Expires)})
}

// unfit returns why a signed answer is not valid for a plan of this risk and work item.
func (t *tx) unfit(s Signed, risk int, workItem string) (outcome string, err error) {
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

// present asks a question and answers it in one transaction. If the answer is not valid, nothing is
// asked: there is no person to answer.
func (t *tx) present(r Request, p plan.Plan, s Signed) (*entry, error) {
	if outcome, err := t.unfit(s, p.Risk, p.WorkItem); err != nil {
		return nil, &Refused{Outcome: outcome, Err: err,
			Events: []Event{{Kind: KindRefused, Session: r.Session,
				WorkItem: p.WorkItem, PlanHash: plan.Hash(r.Payload), Outcome: outcome,
				Token: s.TokenID}}}
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
