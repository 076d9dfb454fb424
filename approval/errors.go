package approval

import (
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/private"
)

// Refusals of one envelope. They arrive inside a *[Refused], which says more.
var (
	// ErrUnknown is returned when no envelope answers to the id, or to the session and plan. Ask
	// anew.
	ErrUnknown = errors.New("no pending question with that id")
	// ErrPending is returned by Consume when there is no answer yet. Nothing changed: wait.
	ErrPending = errors.New("waiting for approval")
	// ErrReplayed is returned when the approval was used before, whatever came of that.
	ErrReplayed = errors.New("approval was already used")
	// ErrExpired is returned when the question, or the unused answer, is too old by either clock.
	ErrExpired = errors.New("approval has expired")
	// ErrTampered is returned when stored bytes do not fit their own hash. The approval is spent.
	ErrTampered = errors.New("stored approval was changed")
	// ErrBijection is returned when decisions and calls do not pair up one to one and in order.
	ErrBijection = errors.New("decisions do not match the calls one to one")
	// ErrMismatch is returned when the plan presented is not the plan that was shown. For Consume
	// the approval is spent, because the world changed under it; for Decide nothing changed.
	ErrMismatch = errors.New("plan is not the one that was shown")
	// ErrDenied is returned when a person said no, or the question was withdrawn. Message and Until
	// of the Refused say what the person wrote and how long the same question is not asked again.
	ErrDenied = errors.New("denied")
	// ErrDecided is returned by Decide when there is an answer already.
	ErrDecided = errors.New("already decided")
	// ErrChallenge is returned by Decide when the characters to type are missing or wrong.
	ErrChallenge = errors.New("challenge is missing or wrong")
	// ErrFactor is returned by Decide when the risk needs a second factor and none was given.
	ErrFactor = errors.New("a second factor is needed")
	// ErrNoGrant is returned when no standing approval covers the plan now. Ask.
	ErrNoGrant = errors.New("no grant")
	// ErrNotGrantable is returned by Grant for a plan that must be asked every time. Message says
	// why.
	ErrNotGrantable = errors.New("this command cannot be granted")
	// ErrReordered and ErrDuplicated are ways of ErrBijection: all calls are answered, but in
	// another order; one is answered twice.
	ErrReordered  error = &wayOf{ErrBijection, "wrong order"}
	ErrDuplicated error = &wayOf{ErrBijection, "duplicate"}
	// ErrHasty is returned by Decide for a yes that came faster than the page can be read: see
	// Envelope.ReadingTime.
	ErrHasty = errors.New("the answer came faster than the page can be read")
	// ErrUnread is returned by Decide for a yes to a truncated page that was not shown to its end.
	ErrUnread = errors.New("the text was cut and not read to its end")
	// ErrSelf is returned by Decide when the person for whom it was asked says yes.
	ErrSelf = errors.New("the requester cannot approve")
	// ErrVoted is returned by Decide when the person has said yes before and others are to follow.
	ErrVoted = errors.New("this person has already answered")
	// ErrCodeUsed is returned by Decide for a one-time code that was used, be it for another
	// envelope.
	ErrCodeUsed = errors.New("one-time code was already used")
	// ErrCanary is returned by Decide when the question was a test of attention. Nothing would have
	// run.
	ErrCanary = errors.New("this question was a canary; it could never run")
	// ErrBusy is returned by Request when whoever asks has [Options.MaxPending] questions open, or
	// asked [Options.MaxHour] in an hour; ErrFull when the account has [Options.MaxOpen] open.
	// Neither is a denial.
	ErrBusy       = errors.New("too many questions are open")
	ErrFull error = &wayOf{ErrBusy, "in this account"}
)

// What can be wrong with a signed text, beside ErrUnknown, ErrExpired, ErrReplayed, ErrTampered,
// ErrMismatch and ErrBijection. They arrive inside a *[TokenError] or a *[Refused].
var (
	// ErrMalformed is returned for a text that is not of its format.
	ErrMalformed = errors.New("wrong format")
	// ErrTruncated is returned for a text whose end is missing.
	ErrTruncated = errors.New("cut off")
	// ErrOversized is returned for a text longer than its limit.
	ErrOversized = private.ErrOversized
	// ErrSignature is returned when the text is not what the key has signed.
	ErrSignature = errors.New("wrong signature")
	// ErrUntrusted is returned for a key that is not trusted here.
	ErrUntrusted = errors.New("key is not trusted")
	// ErrAudience is returned for an answer that was given to another machine.
	ErrAudience = errors.New("for another machine")
	// ErrScope is returned when a signer allows more than they may.
	ErrScope = errors.New("the signer is not allowed to approve this")
)

// A wayOf is an error that another one can be more exactly. It is not made by fmt.Errorf, which
// would be a twentieth of what all packages together make when a process starts.
type wayOf struct {
	err error
	how string
}

func (w *wayOf) Error() string { return w.err.Error() + ": " + w.how }

// Unwrap returns the wider error.
func (w *wayOf) Unwrap() error { return w.err }

// Failures of the store itself. Nothing was changed, and no permit was given.
var (
	// ErrMissing is returned when the database is gone although it had been made.
	ErrMissing = errors.New("approval database is missing")
	// ErrBehind is returned when the record tells of changes that the database does not know: an
	// older copy was put back.
	ErrBehind = errors.New("approval database is older than the record")
	// ErrCorrupt is returned when the file is not a readable database of this schema.
	ErrCorrupt = errors.New("approval database is damaged")
	// ErrFuture is returned when a newer version of the program wrote the database.
	ErrFuture = errors.New("approval database is from a newer version")
	// ErrLocked is returned when another process kept the lock for longer than Options.LockWait.
	ErrLocked = errors.New("approval database is locked")
	// ErrMeddled is returned when a file or its folder belongs to another user, is open to others,
	// or closed to its owner.
	ErrMeddled = private.ErrMeddled
	// ErrPayload is returned by Request when the payload is not a canonical plan.
	ErrPayload = plan.ErrPayload
	// ErrUnsupported is returned on systems where the store does not work.
	ErrUnsupported = private.ErrUnsupported
)

// A ConfigError names two settings that cannot hold together.
type ConfigError struct {
	Name, Value string
	Need        string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("approval: %s is %s: %s", e.Name, e.Value, e.Need)
}

// A FileError names the file that cannot be used. Err is or wraps one of the failures of the store.
type FileError = private.FileError
