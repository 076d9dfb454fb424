package prompt

import "errors"

// ErrElsewhere withdraws a question that was answered in another place.
var ErrElsewhere = errors.New("it was answered elsewhere")

// A CancelledError is returned by Ask when the person left the question without an answer: by a key
// that cancels, or by ending the process or the terminal that shows it. That is not a denial. The
// question is as it was; its asker withdraws it.
type CancelledError struct {
	By string // the key, the signal, or what became of the terminal
}

func (e *CancelledError) Error() string { return "left without an answer (" + e.By + ")" }
