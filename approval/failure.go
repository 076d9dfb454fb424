package approval

import (
	_ "embed"
	"errors"
	"strings"
)

// A Failure is how an error of this package is told: to programs, in the record, by the exit status
// and to a person.
type Failure struct {
	Code    string // for programs: "replayed"
	Outcome string // of the event in the record: "rejected:replayed"; "" where nothing is recorded
	Exit    int    // 126 denied, 75 wait, 77 put back, 78 configuration or files
	Message string // one line, with what helps; for a person
}

//go:embed failures_zh.txt
var failuresZh string

// In is the message about a question, in Chinese where that is wanted.
func (f Failure) In(chinese bool, question string) string {
	_, rest, found := strings.Cut(failuresZh, "\n"+f.Code+" | ")
	if !chinese || !found {
		return f.Message
	}
	text, _, _ := strings.Cut(rest, "\n")
	return naming(text, question)
}

// The exit statuses of failures.
const (
	exitDenied   = 126
	exitTampered = 77
	exitWait     = 75
	exitConfig   = 78
)

// failures has the more particular errors before those that they wrap. Texts never say how to
// loosen anything.
var failures = []struct {
	err error
	f   Failure
}{
	{ErrUnknown, Failure{"unknown", OutcomeUnknown, exitDenied, "no pending question with that id"}},
	{ErrPending, Failure{"pending", "", exitWait, "waiting for approval: tadactl pending"}},
	{ErrReplayed, Failure{"replayed", OutcomeReplayed, exitDenied, "this approval was already used; run the command again to ask"}},
	{ErrExpired, Failure{"expired", OutcomeExpired, exitDenied, "expired; run the command again to ask"}},
	{ErrTampered, Failure{"tampered", OutcomeTampered, exitDenied, "the stored approval was altered and is void: tadactl audit verify"}},
	{ErrReordered, Failure{"reordered", OutcomeBijection, exitDenied, "the answers are not in the order of the calls"}},
	{ErrDuplicated, Failure{"duplicated", OutcomeBijection, exitDenied, "a call has two answers"}},
	{ErrBijection, Failure{"bijection", OutcomeBijection, exitDenied, "each call needs exactly one answer"}},
	{ErrMismatch, Failure{"mismatch", OutcomeMismatch, exitDenied, "the question changed after it was shown; read it again: tadactl show ID"}},
	{ErrCanary, Failure{"canary", OutcomeDenied, exitDenied, "this question was a test (canary); nothing would have run"}},
	{ErrDenied, Failure{"human_denied", OutcomeDenied, exitDenied, "denied by the user; use a different approach, do not try to get the same effect"}},
	{ErrDecided, Failure{"decided", OutcomeReplayed, exitDenied, "already answered: tadactl show ID"}},
	{ErrVoted, Failure{"voted", OutcomeReplayed, exitDenied, "you have already answered; another person must approve"}},
	{ErrSelf, Failure{"self", OutcomeDenied, exitDenied, "you cannot approve your own request; another person must"}},
	{ErrChallenge, Failure{"challenge", OutcomeDenied, exitDenied, "type the characters shown in the question"}},
	{ErrCodeUsed, Failure{"code_used", OutcomeDenied, exitDenied, "this one-time code was already used; wait for the next one"}},
	{ErrFactor, Failure{"factor", OutcomeDenied, exitDenied, "approval needs a one-time code, a signature or a second person"}},
	{ErrHasty, Failure{"hasty", OutcomeHasty, exitDenied, "answered too fast to have read it; nothing was approved"}},
	{ErrUnread, Failure{"unread", OutcomeDenied, exitDenied, "read the whole question first: tadactl show ID"}},
	{ErrNoGrant, Failure{"no_grant", "", exitDenied, "no such grant; list them: tadactl grants"}},
	{ErrNotGrantable, Failure{"not_grantable", OutcomeDenied, exitDenied, "this command needs approval every time"}},
	{ErrFull, Failure{"account_limited", "", exitWait, "this account has too many open questions: answer some (tadactl pending) or deny them (tadactl deny --all)"}},
	{ErrBusy, Failure{"rate_limited", "", exitWait, "this session has too many open questions: answer some (tadactl pending) or deny them (tadactl deny --all)"}},
	{ErrPeer, Failure{"peer", OutcomeDenied, exitDenied, "answer in your own terminal, outside the agent; a program needs a signed answer: tadactl sign --help"}},

	{ErrTruncated, Failure{"truncated", OutcomeTruncated, exitDenied, "it is cut off; copy the whole line"}},
	{ErrOversized, Failure{"oversized", OutcomeOversized, exitDenied, "it is too long"}},
	{ErrSignature, Failure{"signature", OutcomeSignature, exitDenied, "the signature is wrong: the text was changed or signed with another key"}},
	{ErrUntrusted, Failure{"untrusted", OutcomeUntrusted, exitDenied, "the key is not trusted here: tadactl key show"}},
	{ErrAudience, Failure{"audience", OutcomeAudience, exitDenied, "it was signed for another machine"}},
	{ErrScope, Failure{"scope", OutcomeScope, exitDenied, "the signer is not allowed to approve this"}},
	{ErrPassphrase, Failure{"passphrase", "", exitDenied, "the passphrase is missing or wrong"}},
	{ErrKey, Failure{"key", "", exitConfig, "not a key file; to create one: tadactl key init NAME"}},
	{ErrPayload, Failure{"payload", "", exitConfig, "not a canonical plan"}},
	{ErrMalformed, Failure{"malformed", OutcomeMalformed, exitDenied, "wrong format"}},

	{ErrMissing, Failure{"store_missing", "", exitConfig, "the approval database is missing, so nothing can be approved; restore the file, or rebuild it from the record: tadactl approvals rebuild"}},
	{ErrBehind, Failure{"store_behind", "", exitTampered, "the approval database is an older copy, in which used approvals would be valid again, so nothing can be approved; rebuild it from the record: tadactl approvals rebuild"}},
	{ErrCorrupt, Failure{"store_corrupt", "", exitConfig, "the approval database is damaged, so nothing can be approved; rebuild it from the record: tadactl approvals rebuild"}},
	{ErrFuture, Failure{"store_future", "", exitConfig, "a newer tada-run wrote the approval database; install that version"}},
	{ErrLocked, Failure{"store_locked", "", exitConfig, "another process has locked the approval database; end it and try again"}},
	{ErrMeddled, Failure{"store_meddled", "", exitConfig, "the approval files have the wrong owner or mode; they must be yours and closed to others"}},
	{ErrUnsupported, Failure{"unsupported", "", exitConfig, "approvals are not supported on this system"}},
}

// Explain says how an error of this package is told. For any other error it reports false.
func Explain(err error) (Failure, bool) {
	for _, x := range failures {
		if errors.Is(err, x.err) {
			f := x.f
			if errors.Is(err, ErrPerson) { // the same to programs
				f.Message = "run it in a terminal of your own, outside the agent"
			}
			if refused := (*Refused)(nil); errors.As(err, &refused) {
				f.Message = naming(f.Message, refused.Envelope)
			}
			return f, true
		}
	}
	return Failure{}, false
}

// naming puts the id of the question into what a message tells to type.
func naming(message, id string) string {
	before, hinted := strings.CutSuffix(message, " ID")
	if !hinted || id == "" || strings.Trim(id, idLetters) != "" {
		return message
	}
	return before + " " + id
}

// idLetters are what ids are made of: nothing in them is read by a shell, or moves a cursor.
const idLetters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-"

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
