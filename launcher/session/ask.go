package session

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// How long Ask waits by default. Quiet is longer than the gap between the bytes of a paste or of a
// held key. Guard is longer than a person needs to see that the screen changed, and not to press
// the key that was meant for the program before.
const (
	DefaultQuiet = 100 * time.Millisecond
	DefaultGuard = 400 * time.Millisecond
)

// AskOptions say how Ask asks. The zero value asks for "y".
type AskOptions struct {
	Approve   rune          // the key that approves; 0 is 'y'. Not used with a Challenge.
	Others    []rune        // further keys that end the question with the answer Chosen
	Hint      string        // what those do, in the line that lists the keys
	Challenge string        // if not empty, these characters approve: letters and digits
	Details   bool          // only the full text can be approved: the short one lacks something
	Quiet     time.Duration // silence required before the question is shown; 0 is DefaultQuiet
	// after it is shown, keys that approve are ignored this long; 0 is DefaultGuard
	Guard   time.Duration
	Timeout time.Duration // how long the question may stay open; 0 is for ever
}

// Answer is what a person answered. The zero value is no answer at all, which permits nothing.
type Answer int

const (
	// left without an answer: q, Escape, Ctrl-C, Ctrl-D, Ctrl-\, a challenge missed too often
	Cancelled Answer = iota
	Denied           // by the key n and by nothing else
	Approved         // by the key or the whole challenge
	Chosen           // one of AskOptions.Others
)

// String returns "cancelled", "denied", "approved" or "chosen".
func (a Answer) String() string {
	switch a {
	case Denied:
		return "denied"
	case Approved:
		return "approved"
	case Chosen:
		return "chosen"
	default:
		return "cancelled"
	}
}

// Reply is the result of Ask. Without an error it is a person's; with one it is the zero
// value, and the question is still open.
type Reply struct {
	Answer Answer
	Key    rune // the key that ended it: 0 for a challenge, and for a challenge missed too often
}

var (
	// ErrBackground is returned by Ask when we are not the terminal's foreground process
	// group, at the start or after a stop: the keys belong to another program.
	ErrBackground = errors.New("not the foreground process group of the terminal")
	// ErrTimeout is returned by Ask when no one answered in AskOptions.Timeout.
	ErrTimeout = errors.New("no answer in time")
	// ErrHangup is returned by Ask when the terminal went away.
	ErrHangup = errors.New("the terminal was closed")
)

// Interrupted is returned by Ask when a signal asked this process to end while the question
// was open. The terminal is restored by then; the caller should end by the signal.
type Interrupted struct{ Signal os.Signal }

func (e *Interrupted) Error() string { return fmt.Sprintf("interrupted by signal: %v", e.Signal) }

// maxTries is how often a challenge may be missed. Three allows two slips; a person who misses more
// does not read.
const maxTries = 3

// settled fills in the defaults and refuses what cannot be asked safely.
func (o AskOptions) settled() (AskOptions, error) {
	if o.Approve == 0 {
		o.Approve = 'y'
	}
	if o.Quiet <= 0 {
		o.Quiet = DefaultQuiet
	}
	if o.Guard <= 0 {
		o.Guard = DefaultGuard
	}
	// Enter, space and the like are pressed without reading; escape and control keys deny.
	for _, r := range append([]rune{o.Approve}, o.Others...) {
		if !plainKey(r) || strings.ContainsRune(denyKeys+quitKeys+pageKeys, r) {
			return o, fmt.Errorf("the key %q cannot be an answer", r)
		}
	}
	for _, r := range o.Challenge {
		if !plainKey(r) {
			return o, fmt.Errorf("the challenge %q has more than letters and digits", o.Challenge)
		}
	}
	return o, nil
}

func plainKey(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
}
