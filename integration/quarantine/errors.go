package quarantine

import "errors"

// Errors of a reference. [CodeOf] has a name for each, for programs.
var (
	ErrMalformed    = errors.New("the reference is malformed")
	ErrBadHMAC      = errors.New("the reference was not signed by this session")
	ErrExpired      = errors.New("the reference has expired")
	ErrFuture       = errors.New("the reference is from the future")
	ErrWrongSession = errors.New("the reference belongs to another session")
	ErrNotFound     = errors.New("the file does not exist, or is not the referenced one")
	ErrChanged      = errors.New("the file changed after it was referenced")
)

// Errors of a session, or of a request for one.
var (
	// ErrUnknownSession is also returned for a session that has ended, and for every session of a
	// broker that died: keys exist only in its memory.
	ErrUnknownSession = errors.New("no such session")
	// ErrTimeout is returned for a session whose time is over.
	ErrTimeout = errors.New("the session's time is over")
	// ErrOutside is returned for a file that is not below the session's root.
	ErrOutside = errors.New("it is not below the session's root")
	// ErrBusy is returned for an agent above the number that may run at once.
	ErrBusy = errors.New("too many quarantined agents are running")
	// ErrPeer is returned for a process inside a sandbox, or of another user.
	ErrPeer = errors.New("this process is not allowed to ask")
	// errDestroyed is returned after the key was destroyed.
	errDestroyed = errors.New("the session has ended and its key is gone")
	// ErrUnsupported is returned on systems other than Linux.
	ErrUnsupported = errors.New("quarantine needs Linux")
)

// A Code is an error for programs.
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

// CodeOf returns the code of an error: CodeOK for nil, CodeFailed for an error without one.
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

// errorOf is the inverse, for an error that came over a socket.
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

// A remoteError is an error in the broker's words.
type remoteError struct {
	kind    error
	message string
}

func (e *remoteError) Error() string { return e.message }
func (e *remoteError) Unwrap() error { return e.kind }
