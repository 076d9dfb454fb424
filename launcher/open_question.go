package launcher

import (
	"context"
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// An openQuestion is a question about one attempt, until the answer to it is used.
type openQuestion struct {
	*attempt
	*authority
	unfit    *refusal.Unfit // an approval of the same command line that is for another plan; nil for none
	approved bool           // by a person elsewhere
	answer   written        // that a person gave here, until it is used
}

// consume judges the request anew, because the world had time to change while a person was
// thinking, and spends the approval for the plan as it is now.
func (q *openQuestion) consume(ctx context.Context, id string) (*refusal.Refusal, error) {
	fresh, err := q.rejudge()
	if err != nil {
		return nil, err
	}
	shown := q.Judgement
	q.renew(fresh)
	q.standby.begin(fresh) // while the disk takes the use of the approval
	var permit approval.Permit
	used, err := q.l.changeSaid(q.log, audit.Durable, func() (events []approval.Event, err error) {
		permit, err = q.l.store.Consume(ctx, approval.Claim{Session: q.askerOf(), Envelope: id, PlanHash: fresh.Hash(), Runner: q.l.state.Self()})
		if err == nil {
			err = q.l.spend(id, "approval", id)
		}
		return permit.Events, err
	})
	q.forgotten, q.answer = q.l.forgetNow(q.answer, used), written{}
	if err != nil {
		no, failed := q.storeRefusal(err)
		if now := fresh.sheet(""); errors.Is(err, approval.ErrMismatch) && no != nil && now != nil {
			no.DoesNotFit(&refusal.Unfit{Envelope: id, Differs: differs(shown.sheet(""), now)})
		}
		return no, failed
	}
	if !Approves(permit.Calls) {
		return q.humanDenied(ctx, id, permit.Calls)
	}
	q.envelope, q.answers = id, permit.Calls
	return nil, nil
}

// forgetAnswer has the store forget the answer given here, if it has not.
func (q *openQuestion) forgetAnswer() error {
	if q.answer.outbox == nil {
		return nil
	}
	given := q.answer
	q.answer = written{}
	return <-q.l.forgetNow(given)
}
