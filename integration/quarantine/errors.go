package quarantine

import "errors"

// What is wrong with a reference. [CodeOf] names each for machines.
var (
	ErrMalformed    = errors.New("the reference is malformed")
	ErrBadHMAC      = errors.New("the reference was not signed by this session")
	ErrExpired      = errors.New("the reference has expired")
	ErrFuture       = errors.New("the reference is from the future")
	ErrWrongSession = errors.New("the reference belongs to another session")
	ErrNotFound     = errors.New("the file does not exist, or is not the referenced one")
	ErrChanged      = errors.New("the file changed after it was referenced")
)

// What is wrong with a session, or with asking for one.
var (
	// ErrUnknownSession is also the answer for a session that has ended, and for every session
	// of a broker that has died: keys are nowhere but in its memory.
	ErrUnknownSession = errors.New("no such session")
	// ErrTimeout is the answer of a session whose time is over.
	ErrTimeout = errors.New("the session's time is over")
	// ErrOutside refuses a file that is not below the session's root.
	ErrOutside = errors.New("it is not below the session's root")
	// ErrBusy refuses an agent above the number that may run at once.
	ErrBusy = errors.New("too many quarantined agents are running")
	// ErrPeer refuses a process that runs inside a fence, or for another user.
	ErrPeer = errors.New("this process is not allowed to ask")
	// errDestroyed is what a key that is gone answers.
	errDestroyed = errors.New("the session has ended and its key is gone")
	// ErrUnsupported is returned where the kernel is not Linux.
	ErrUnsupported = errors.New("quarantine needs Linux")
)

// A Code is an error for machines.
type Code string

// The codes of [Result].
const (
	CodeOK           Code = ""
	CodeMalformed    Code = "malformed"
	CodeBadHMAC      Code = "bad_hmac"
	CodeExpired      Code = "expired"
	CodeFuture       Code = "future"
	CodeWrongSession Code = "wrong_session"
	CodeNotFound     Code = "not_found"
	CodeChanged      Code = "content_changed"
	CodeUnknown      Code = "unknown_session"
	CodeTimeout      Code = "timeout"
	CodeOutside      Code = "outside"
	CodeBusy         Code = "busy"
	CodePeer         Code = "peer"
	CodeFailed       Code = "failed" // anything else; it is a refusal too
)

// codes pairs each error with its code.
var codes = [...]struct {
	err  error
	code Code
}{
	{ErrMalformed, CodeMalformed}, {ErrBadHMAC, CodeBadHMAC}, {ErrExpired, CodeExpired},
	{ErrFuture, CodeFuture},
	{ErrWrongSession, CodeWrongSession}, {ErrNotFound, CodeNotFound}, {ErrChanged, CodeChanged},
	{ErrUnknownSession, CodeUnknown}, {ErrTimeout, CodeTimeout}, {ErrOutside, CodeOutside},
	{ErrBusy, CodeBusy}, {ErrPeer, CodePeer},
}

// CodeOf returns the code of an error: CodeOK for nil, CodeFailed for one that has none.
func CodeOf(err error) Code {
	if err == nil {
		return CodeOK
	}
	for _, c := range codes {
		if errors.Is(err, c.err) {
			return c.code
		}
	}
	return CodeFailed
}

// errorOf is the way back, for what came over a socket.
func errorOf(code Code, message string) error {
	if code == CodeOK {
		return nil
	}
	for _, c := range codes {
		if c.code == code {
			return &remoteError{c.err, message}
		}
	}
	return errors.New(message)
}

// A remoteError is an error as the broker worded it.
type remoteError struct {
	kind    error
	message string
}

func (e *remoteError) Error() string { return e.message }
func (e *remoteError) Unwrap() error { return e.kind }
