package launcher

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// storeRefusal words an answer of the store that is not a yes. Any other error of the store is
// its failure, and is returned as it came.
func (r *run) storeRefusal(err error) (*Refusal, error) {
	var refused *approval.Refused
	failure, known := approval.Explain(err)
	if !known || !errors.As(err, &refused) {
		return nil, err
	}
	message := cmp.Or(refused.Message, r.cooling(refused), failure.Message)
	f := refuse(r.Verdict, "denied", failure.Code, approval.Inert(message), failure.Exit)
	f.Envelope, f.instead = refused.Envelope, refused.Instead
	if !refused.Until.IsZero() {
		f.Cooloff = int(refused.Until.Sub(r.l.now()).Seconds())
	}
	if failure.Exit == ExitPending {
		f.Status = "pending"
	}
	return f, nil
}

// cooling says for how long a denied plan is not asked again; "" where that is not why.
func (r *run) cooling(refused *approval.Refused) string {
	if !errors.Is(refused.Err, approval.ErrDenied) || refused.Until.IsZero() {
		return ""
	}
	return fmt.Sprintf("a person said no to exactly this; it is not asked again for %v", refused.Until.Sub(r.l.now()).Round(time.Second))
}
