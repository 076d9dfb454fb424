package permit

import (
	"cmp"
	"errors"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// storeRefusal words an answer of the store that is not an approval. Any other error of the store
// is a failure, and is returned unchanged.
func (a *Attempt) storeRefusal(err error) (*refusal.Refusal, error) {
	var refused *approval.Refused
	failure, known := approval.Explain(err)
	if !known || !errors.As(err, &refused) {
		return nil, err
	}
	message := cmp.Or(refused.Message, a.cooling(refused),
		failure.In(a.Locale() == pathguard.Chinese, refused.Envelope))
	f := a.refuse("denied", failure.Code, render.Inert(message), failure.Exit)
	f.Envelope, f.Wish = refused.Envelope, refused.Instead
	if !refused.Until.IsZero() {
		if errors.Is(refused.Err, approval.ErrDenied) {
			f.HumanCan = undoes(refused.Envelope)
		}
		f.Cooloff = int(refused.Until.Sub(a.dir.Now()).Seconds())
	}
	if failure.Exit == exit.Pending {
		f.Status, f.Retry = "pending",
			"run the identical command again when fewer questions are open"
	}
	return f, nil
}

// withdrawn says that the question is gone and that this was no denial.
func (a *Attempt) withdrawn(id, why string) *refusal.Refusal {
	f := a.refuse("cancelled", "cancelled", a.say("nothing ran", why), exit.Denied)
	f.Envelope, f.Retry = id, "the same command asks again; ask the person first"
	return f
}

// undoes is the command that takes a denial back, for a person.
func undoes(id string) string {
	if id == "" {
		return ""
	}
	return "tadactl deny --undo " + id
}

// cooling says for how long a denied plan is not asked about again; "" if that is not the reason.
func (a *Attempt) cooling(refused *approval.Refused) string {
	if !errors.Is(refused.Err, approval.ErrDenied) || refused.Until.IsZero() {
		return ""
	}
	return a.say("cooling", refused.Until.Sub(a.dir.Now()).Round(time.Second))
}

// change is [Approvals.change] for this attempt: an answer of the store that does not approve is a
// refusal.
func (a *Attempt) change(do func() ([]approval.Event, error)) (*refusal.Refusal, error) {
	if err := a.Approvals.Change(a.Log, audit.Lazy, do); err != nil {
		return a.storeRefusal(err)
	}
	return nil, nil
}
