package approval

import (
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/private"
)

// Refusals of one envelope. They are returned inside a *[Refused], which has details.
var (
	// ErrUnknown is returned if no envelope has the id, or the session and plan. Ask again.
	ErrUnknown = errors.New("no pending question with that id")
	// ErrPending is returned by Consume if there is no answer yet. Nothing changed: wait.
	ErrPending = errors.New("waiting for approval")
	// ErrReplayed is returned if the approval was used before, whatever the outcome.
	ErrReplayed = errors.New("approval was already used")
	// ErrExpired is returned if the question, or the unused answer, is too old by either clock.
	ErrExpired = errors.New("approval has expired")
	// ErrTampered is returned if stored bytes do not match their own hash. The approval is spent.
	ErrTampered = errors.New("stored approval was changed")
	// ErrBijection is returned if decisions and calls do not pair up one to one and in order.
	ErrBijection = errors.New("decisions do not match the calls one to one")
	// ErrMismatch is returned if the presented plan is not the one that was shown. In Consume this
	// spends the approval, because the files or the context changed; in Decide nothing changed.
	ErrMismatch = errors.New("plan is not the one that was shown")
	// ErrDenied is returned if a person denied the question, or it was withdrawn. Message and Until
	// of the Refused are what the person wrote and how long the same question is not asked again.
	ErrDenied = errors.New("denied")
	// ErrDecided is returned by Decide if there already is an answer.
	ErrDecided = errors.New("already decided")
	// ErrChallenge is returned by Decide if the characters to type are missing or wrong.
	ErrChallenge = errors.New("challenge is missing or wrong")
	// ErrFactor is returned by Decide if the risk requires a second factor and none was given.
	ErrFactor = errors.New("a second factor is needed")
	// ErrNoGrant is returned if no grant covers the plan now. Ask.
	ErrNoGrant = errors.New("no grant")
	// ErrNotGrantable is returned by Grant for a plan that must be asked every time. Message is the
	// reason.
	ErrNotGrantable = errors.New("this command cannot be granted")
	// ErrReordered and ErrDuplicated are kinds of ErrBijection: all calls are answered, but in
	// another order; one is answered twice.
	ErrReordered  error = &wayOf{ErrBijection, "wrong order"}
	ErrDuplicated error = &wayOf{ErrBijection, "duplicate"}
	// ErrHasty is returned by Decide for an approval that came faster than the page can be read:
	// see Envelope.ReadingTime.
	ErrHasty = errors.New("the answer came faster than the page can be read")
	// ErrUnread is returned by Decide for an approval of a truncated page that was not shown to its
	// end.
	ErrUnread = errors.New("the text was cut and not read to its end")
	// ErrSelf is returned by Decide if the approver is the person for whom the question was asked.
	ErrSelf = errors.New("the requester cannot approve")
	// ErrVoted is returned by Decide if the person has already approved and others must follow.
	ErrVoted = errors.New("this person has already answered")
	// ErrCodeUsed is returned by Decide for a one-time code that was used before, for this or
	// another envelope.
	ErrCodeUsed = errors.New("one-time code was already used")
	// ErrCanary is returned by Decide if the question was a test of attention. Nothing would have
	// run.
	ErrCanary = errors.New("this question was a canary; it could never run")
	// ErrBusy is returned by Request if the requester has [Options.MaxPending] open questions, or
	// asked [Options.MaxHour] in an hour; ErrFull if the account has [Options.MaxOpen] open.
	// Neither is a denial.
	ErrBusy       = errors.New("too many questions are open")
	ErrFull error = &wayOf{ErrBusy, "in this account"}
)

// Errors of a signed text, besides ErrUnknown, ErrExpired, ErrReplayed, ErrTampered, ErrMismatch
// and ErrBijection. They are returned inside a *[TokenError] or a *[Refused].
var (
	// ErrMalformed is returned for a text with the wrong format.
	ErrMalformed = errors.New("wrong format")
	// ErrTruncated is returned for a text whose end is missing.
	ErrTruncated = errors.New("cut off")
	// ErrOversized is returned for a text longer than its limit.
	ErrOversized = private.ErrOversized
	// ErrSignature is returned if the text is not what the key has signed.
	ErrSignature = errors.New("wrong signature")
	// ErrUntrusted is returned for a key that is not trusted here.
	ErrUntrusted = errors.New("key is not trusted")
	// ErrAudience is returned for an answer that was given to another machine.
	ErrAudience = errors.New("for another machine")
	// ErrScope is returned if a signer allows more than they may.
	ErrScope = errors.New("the signer is not allowed to approve this")
)

// A wayOf is a special case of another error. It is not made by fmt.Errorf, which would account for
// a twentieth of all allocations of all packages when a process starts.
type wayOf struct {
	err error
	how string
}

func (w *wayOf) Error() string { return w.err.Error() + ": " + w.how }

// Unwrap returns the general error.
func (w *wayOf) Unwrap() error { return w.err }

// Failures of the store itself. No permit was given, and nothing was changed, unless it is said.
var (
	// ErrMissing is returned if the database existed and is gone.
	ErrMissing = errors.New("approval database is missing")
	// ErrBehind is returned if the record has changes that the database does not have: an older
	// copy was put back.
	ErrBehind = errors.New("approval database is older than the record")
	// ErrCorrupt is returned if the file is not a readable database of this schema.
	ErrCorrupt = errors.New("approval database is damaged")
	// ErrFuture is returned if a newer version of the program wrote the database.
	ErrFuture = errors.New("approval database is from a newer version")
	// ErrLocked is returned if another process held the lock for longer than Options.LockWait.
	ErrLocked = errors.New("approval database is locked")
	// ErrMeddled is returned if a file or its folder belongs to another user, is open to others, or
	// closed to its owner.
	ErrMeddled = private.ErrMeddled
	// ErrAway is returned if the servers of the database do not answer.
	ErrAway = errors.New("approval database cannot be reached")
	// ErrUnsure is returned if it is not known whether a change was stored: the connection was lost
	// at that moment. Nothing is permitted by it; what was used may be used up.
	ErrUnsure = errors.New("it is not known whether the change was stored")
	// ErrMoved is returned for a change of a database whose questions are in another one now.
	ErrMoved = errors.New("approval database was moved")
	// ErrPayload is returned by Request if the payload is not a canonical plan.
	ErrPayload = plan.ErrPayload
	// ErrOffline is returned on a machine of a fleet if the agent that has the database cannot be
	// reached, or has no connection itself.
	ErrOffline = errors.New("the agent of the fleet cannot be reached")
	// ErrUnsupported is returned on systems where the store does not work.
	ErrUnsupported = private.ErrUnsupported
)

// A ConfigError names two settings that contradict each other.
type ConfigError struct {
	Name, Value string
	Need        string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("approval: %s is %s: %s", e.Name, e.Value, e.Need)
}

// A FileError names the file that cannot be used. Err is or wraps one of the failures of the store.
type FileError = private.FileError
