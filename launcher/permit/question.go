package permit

import (
	"context"
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// A Question is a question about one attempt, until the answer to it is used.
type Question struct {
	*Attempt
	*Authority
	// an approval of the same command line that is for another plan; nil for none
	unfit    *refusal.Unfit
	approved bool    // by a person elsewhere
	choice   int     // of the plan's, that a person took here; see [approval.Decision]
	answer   written // that a person gave here, until it is used
}

// NewQuestion returns the question about an attempt.
func NewQuestion(a *Attempt) *Question { return &Question{Attempt: a, Authority: &Authority{}} }

// Consume judges the request again, because the world had time to change while a person was
// thinking, and consumes the approval for the plan as it is now.
func (q *Question) Consume(ctx context.Context, id string) (*refusal.Refusal, error) {
	shown := q.Case
	fresh, err := q.Again()
	if err != nil {
		return nil, err
	}
	if q.Case = fresh; fresh.Judged().IsFrozen() {
		return q.denied(), nil // the approval stays, for when it ends
	}
	q.Begin() // while the disk takes the use of the approval
	var permit approval.Permit
	claim := approval.Claim{Session: q.Asker(), Envelope: id, PlanHash: fresh.Hash(),
		Runner: q.dir.Self()}
	used, err := q.ChangeSaid(q.Log, audit.Durable, func() (events []approval.Event, err error) {
		permit, err = q.Store.Consume(ctx, claim)
		if err == nil {
			err = q.spend(id, "approval", id)
		}
		return permit.Events, err
	})
	q.forgotten, q.answer = q.ForgetNow(q.answer, used), written{}
	if err != nil {
		no, failed := q.storeRefusal(err)
		if now := fresh.Facts(""); errors.Is(err, approval.ErrMismatch) && no != nil && now != nil {
			no.DoesNotFit(&refusal.Unfit{Envelope: id, Differs: differs(shown.Facts(""), now)})
		}
		return no, failed
	}
	if !Approves(permit.Calls) {
		return q.HumanDenied(ctx, id, permit.Calls)
	}
	q.Envelope, q.Answers = id, permit.Calls
	return nil, nil
}

// forgetAnswer has the store forget the answer given here, if it has not.
func (q *Question) forgetAnswer() error {
	if q.answer.outbox == nil {
		return nil
	}
	given := q.answer
	q.answer = written{}
	return <-q.ForgetNow(given)
}
