package permit

import (
	"context"
	"os"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/refusal"
)

// presigned is the permit of a machine without people: answers to exactly this plan that trusted
// keys signed beforehand, each good once, and as many as the policy wants. Without them the answer
// is no, at once.
func (q *Question) presigned(ctx context.Context) (*refusal.Refusal, error) {
	for {
		signed, path, err := q.signedFor(q.Payload())
		if err != nil {
			return nil, err
		}
		if path == "" {
			return q.refuse("denied", "no_approver", q.say("no approver"), exit.Denied), nil
		}
		var e approval.Envelope
		refusal, err := q.change(func() (events []approval.Event, err error) {
			return q.takeSigned(signed, func() ([]approval.Event, error) {
				e, err = q.Store.Present(ctx, q.Asked(), signed)
				return e.Events, err
			})
		})
		if err := os.Remove(path); err != nil {
			// spent, or of no use: the store remembers which were taken
			return nil, err
		}
		if refusal != nil || err != nil {
			return refusal, err
		}
		if e.Approved() {
			return q.Consume(ctx, e.ID)
		}
	}
}
