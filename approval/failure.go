package approval

import "errors"

// A Failure is how an error of this package is told: to programs, in the record, by the exit status
// and to a person.
type Failure struct {
	Code    string // for programs: "replayed"
	Outcome string // of the event in the record: "rejected:replayed"; "" where nothing is recorded
	Exit    int    // 126 denied, 75 wait, 77 put back, 78 configuration or files
	Message string // one line, with what helps; for the person's door
}

// The exit statuses of failures.
const (
	exitDenied   = 126
	exitTampered = 77
	exitWait     = 75
	exitConfig   = 78
)

// failures has the more particular errors before those that they wrap. Texts never say how to loosen anything.
var failures = []struct {
	err error
	f   Failure
}{
	{ErrUnknown, Failure{"unknown", OutcomeUnknown, exitDenied, "nothing waits under that id: run the command again to ask"}},
	{ErrPending, Failure{"pending", "", exitWait, "waiting for a person: tadactl pending"}},
	{ErrReplayed, Failure{"replayed", OutcomeReplayed, exitDenied, "this approval was used: run the command again to ask"}},
	{ErrExpired, Failure{"expired", OutcomeExpired, exitDenied, "too old: run the command again to ask"}},
	{ErrTampered, Failure{"tampered", OutcomeTampered, exitDenied, "the stored bytes were changed and are spent: tadactl audit verify"}},
	{ErrReordered, Failure{"reordered", OutcomeBijection, exitDenied, "the answers are in another order than the calls"}},
	{ErrDuplicated, Failure{"duplicated", OutcomeBijection, exitDenied, "a call is answered twice"}},
	{ErrBijection, Failure{"bijection", OutcomeBijection, exitDenied, "each call needs exactly one answer"}},
	{ErrMismatch, Failure{"mismatch", OutcomeMismatch, exitDenied, "this is not what was shown: look again and answer that"}},
	{ErrCanary, Failure{"canary", OutcomeDenied, exitDenied, "this was a test of attention: nothing would have run"}},
	{ErrDenied, Failure{"human_denied", OutcomeDenied, exitDenied, "a person said no: choose another way, do not work around it"}},
	{ErrDecided, Failure{"decided", OutcomeReplayed, exitDenied, "this was answered already: tadactl show ID"}},
	{ErrVoted, Failure{"voted", OutcomeReplayed, exitDenied, "this person has answered: others must follow"}},
	{ErrSelf, Failure{"self", OutcomeDenied, exitDenied, "who asks cannot be who allows: another person must answer"}},
	{ErrChallenge, Failure{"challenge", OutcomeDenied, exitDenied, "type the characters that the question shows"}},
	{ErrCodeUsed, Failure{"code_used", OutcomeDenied, exitDenied, "this code was used: wait for the next one"}},
	{ErrFactor, Failure{"factor", OutcomeDenied, exitDenied, "this needs a one-time code, a signature or a second person"}},
	{ErrHasty, Failure{"hasty", OutcomeHasty, exitDenied, "nothing was approved: read the question and answer again"}},
	{ErrUnread, Failure{"unread", OutcomeDenied, exitDenied, "read the whole text first: tadactl show ID"}},
	{ErrNoGrant, Failure{"no_grant", "", exitDenied, "no standing approval: tadactl grants"}},
	{ErrNotGrantable, Failure{"not_grantable", OutcomeDenied, exitDenied, "this must be asked every time"}},
	{ErrFull, Failure{"account_limited", "", exitWait, "this account has too many open questions: answer some (tadactl pending) or deny them (tadactl deny --all)"}},
	{ErrBusy, Failure{"rate_limited", "", exitWait, "this session has too many open questions: answer some (tadactl pending) or deny them (tadactl deny --all)"}},
	{ErrPeer, Failure{"peer", OutcomeDenied, exitDenied, "answer in a terminal of your own, outside of the agent; a program needs a signed answer: tadactl sign --help"}},

	{ErrTruncated, Failure{"truncated", OutcomeTruncated, exitDenied, "its end is missing: copy the whole line"}},
	{ErrOversized, Failure{"oversized", OutcomeOversized, exitDenied, "it is too long"}},
	{ErrSignature, Failure{"signature", OutcomeSignature, exitDenied, "the signature does not fit: it was changed, or another key signed"}},
	{ErrUntrusted, Failure{"untrusted", OutcomeUntrusted, exitDenied, "the key is not trusted here: tadactl key show"}},
	{ErrAudience, Failure{"audience", OutcomeAudience, exitDenied, "it was signed for another machine"}},
	{ErrScope, Failure{"scope", OutcomeScope, exitDenied, "the signer may not allow this"}},
	{ErrPassphrase, Failure{"passphrase", "", exitDenied, "the passphrase is missing or wrong"}},
	{ErrKey, Failure{"key", "", exitConfig, "this is no key file: tadactl key init"}},
	{ErrPayload, Failure{"payload", "", exitConfig, "this is no canonical plan"}},
	{ErrMalformed, Failure{"malformed", OutcomeMalformed, exitDenied, "this is not in the right format"}},

	{ErrMissing, Failure{"store_missing", "", exitConfig, "the approvals are gone, so nothing is permitted: put the file back, or make it anew from the record: tadactl approvals rebuild"}},
	{ErrBehind, Failure{"store_behind", "", exitTampered, "an older copy of the approvals was put back, so nothing is permitted: what was used since would be good again; make them anew from the record: tadactl approvals rebuild"}},
	{ErrCorrupt, Failure{"store_corrupt", "", exitConfig, "the approvals are damaged, so nothing is permitted; make them anew from the record: tadactl approvals rebuild"}},
	{ErrFuture, Failure{"store_future", "", exitConfig, "a newer tada-run wrote the approvals: install it again"}},
	{ErrLocked, Failure{"store_locked", "", exitConfig, "another process keeps the approvals: end it and try again"}},
	{ErrMeddled, Failure{"store_meddled", "", exitConfig, "a file of the approvals is not yours alone: set its owner and mode"}},
	{ErrUnsupported, Failure{"unsupported", "", exitConfig, "approvals do not work on this system"}},
}

// Explain says how an error of this package is told. For any other error it reports false.
func Explain(err error) (Failure, bool) {
	for _, x := range failures {
		if errors.Is(err, x.err) {
			return x.f, true
		}
	}
	return Failure{}, false
}

// codeOf names an error; "" for one that is not of this package.
func codeOf(err error) string {
	f, _ := Explain(err)
	return f.Code
}

// errorOf is the inverse of codeOf. A code that it does not know permits nothing either.
func errorOf(code string) error {
	for _, x := range failures {
		if x.f.Code == code {
			return x.err
		}
	}
	return ErrUnknown
}
