package permit

import (
	"context"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// A Case is a judged request, as far as a permission depends on it.
type Case interface {
	Judged() pathguard.Verdict
	Locale() pathguard.Locale // the language of messages about it
	Hash() string             // of the plan: what an approval binds
	Payload() []byte          // the plan: what a person is shown
	Asker() string            // whose questions and standing approvals count
	Asked() approval.Request
	Lasts() bool             // an approval of it lasts until it is revoked: see [approval.Lasting]
	CommandKey() string      // the same for the same command line of an agent; "" for several calls
	Facts(salt string) Facts // what the plan binds, by name; nil for several calls
}

// An Attempt is a case that a permission is asked for, and what may be done for one.
type Attempt struct {
	Case
	*Approvals
	Log *audit.Log

	// at this terminal; nil for nowhere
	AskHere func(context.Context, approval.Envelope) (approval.Decision, error)
	// for an answer given elsewhere
	Wait time.Duration
	// it comes out of a session
	Inside bool
	// of a machine without people
	CI bool
	// another program carries it out
	Tool bool

	// judges the same request, as the world is now
	Again func() (Case, error)
	// judges another command in its place
	Other func(command string) (c Case, done func(), err error)
	// it may run soon: a person is asked
	Reserve func()
	// it is about to run, if the approval fits
	Begin func()
}

// say is a phrase in the language of the caller.
func (a *Attempt) say(key string, args ...any) string {
	return refusal.Phrase(a.Locale(), key, args...)
}

// refuse words the verdict in the language of the caller.
func (a *Attempt) refuse(status, code, message string, exit int) *refusal.Refusal {
	return refusal.Of(a.Locale(), a.Judged(), status, code, message, exit)
}

func (a *Attempt) denied() *refusal.Refusal { return refusal.Denied(a.Locale(), a.Judged()) }
