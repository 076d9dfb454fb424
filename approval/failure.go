package approval

import (
	"cmp"
	"errors"

	"github.com/tada-run/tada-run/approval/render"
)

// A Failure is how an error of this package is reported: to programs, in the record, by the exit
// status and to a person.
type Failure struct {
	Code    string // for programs: "replayed"
	Outcome string // of the event in the record: "rejected:replayed"; "" if nothing is recorded
	Exit    int    // 126 denied, 75 wait, 77 old copy put back, 78 configuration or files
	Message string // one line, with the remedy; for a person
}

// In is the message about a question, in Chinese where that is wanted.
func (f Failure) In(chinese bool, question string) string {
	if !chinese {
		return f.Message
	}
	return cmp.Or(render.Failure(f.Code, render.Chinese, question), f.Message)
}

// The exit statuses of failures.
const (
	exitDenied   = 126
	exitTampered = 77
	exitWait     = 75
	exitConfig   = 78
)

// failures lists more specific errors before those that they wrap. The messages never say how to
// loosen anything.
var failures = []struct {
	err     error
	code    string
	outcome string
	exit    int
}{
	{ErrUnknown, "unknown", OutcomeUnknown, exitDenied},
	{ErrPending, "pending", "", exitWait},
	{ErrReplayed, "replayed", OutcomeReplayed, exitDenied},
	{ErrExpired, "expired", OutcomeExpired, exitDenied},
	{ErrTampered, "tampered", OutcomeTampered, exitDenied},
	{ErrReordered, "reordered", OutcomeBijection, exitDenied},
	{ErrDuplicated, "duplicated", OutcomeBijection, exitDenied},
	{ErrBijection, "bijection", OutcomeBijection, exitDenied},
	{ErrMismatch, "mismatch", OutcomeMismatch, exitDenied},
	{ErrCanary, "canary", OutcomeDenied, exitDenied},
	{ErrDenied, "human_denied", OutcomeDenied, exitDenied},
	{ErrDecided, "decided", OutcomeReplayed, exitDenied},
	{ErrVoted, "voted", OutcomeReplayed, exitDenied},
	{ErrSelf, "self", OutcomeDenied, exitDenied},
	{ErrChallenge, "challenge", OutcomeDenied, exitDenied},
	{ErrCodeUsed, "code_used", OutcomeDenied, exitDenied},
	{ErrFactor, "factor", OutcomeDenied, exitDenied},
	{ErrHasty, "hasty", OutcomeHasty, exitDenied},
	{ErrUnread, "unread", OutcomeDenied, exitDenied},
	{ErrNoGrant, "no_grant", "", exitDenied},
	{ErrNotGrantable, "not_grantable", OutcomeDenied, exitDenied},
	{ErrFull, "account_limited", "", exitWait},
	{ErrBusy, "rate_limited", "", exitWait},
	{ErrPeer, "peer", OutcomeDenied, exitDenied},

	{ErrTruncated, "truncated", OutcomeTruncated, exitDenied},
	{ErrOversized, "oversized", OutcomeOversized, exitDenied},
	{ErrSignature, "signature", OutcomeSignature, exitDenied},
	{ErrUntrusted, "untrusted", OutcomeUntrusted, exitDenied},
	{ErrAudience, "audience", OutcomeAudience, exitDenied},
	{ErrScope, "scope", OutcomeScope, exitDenied},
	{ErrPassphrase, "passphrase", "", exitDenied},
	{ErrKey, "key", "", exitConfig},
	{ErrPayload, "payload", "", exitConfig},
	{ErrMalformed, "malformed", OutcomeMalformed, exitDenied},

	{ErrMissing, "store_missing", "", exitConfig},
	{ErrBehind, "store_behind", "", exitTampered},
	{ErrCorrupt, "store_corrupt", "", exitConfig},
	{ErrFuture, "store_future", "", exitConfig},
	{ErrLocked, "store_locked", "", exitConfig},
	{ErrMeddled, "store_meddled", "", exitConfig},
	{ErrAway, "store_away", "", exitWait},
	{ErrOffline, "store_offline", "", exitWait},
	{ErrUnsure, "store_unsure", "", exitWait},
	{ErrMoved, "store_moved", "", exitConfig},
	{ErrUnsupported, "unsupported", "", exitConfig},
}

// Explain returns how an error of this package is reported. For any other error it returns false.
func Explain(err error) (Failure, bool) {
	for _, x := range failures {
		if !errors.Is(err, x.err) {
			continue
		}
		id := ""
		if refused := (*Refused)(nil); errors.As(err, &refused) {
			id = refused.Envelope
		}
		f := Failure{x.code, x.outcome, x.exit, render.Failure(x.code, render.English, id)}
		if errors.Is(err, ErrPerson) { // the same to programs
			f.Message = "run it in a terminal of your own, outside the agent"
		}
		return f, true
	}
	return Failure{}, false
}

// codeOf returns the code of an error; "" for one that is not of this package.
func codeOf(err error) string {
	f, _ := Explain(err)
	return f.Code
}

// errorOf is the inverse of codeOf. An unknown code is an error that permits nothing either.
func errorOf(code string) error {
	for _, x := range failures {
		if x.code == code {
			return x.err
		}
	}
	return ErrUnknown
}
