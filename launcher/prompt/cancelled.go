package prompt

import "errors"

// ErrElsewhere takes a question back that somebody answered in another place.
var ErrElsewhere = errors.New("it was answered elsewhere")

// A CancelledError is returned by Ask when the person left the question without an answer: by a key
// that cancels, or by ending the process or the terminal that shows it. That is no denial. The
// question is as it was; who asked it withdraws it.
type CancelledError struct {
	By string // the key, the signal, or what became of the terminal
}

func (e *CancelledError) Error() string { return "left without an answer (" + e.By + ")" }
