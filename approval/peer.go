package approval

import (
	"errors"
	"fmt"
)

// PeerFacts are what the kernel says about a process that wants to answer a question. None of them
// is a secret, so none can be stolen. The zero value is a process about which nothing is known.
type PeerFacts struct {
	// the fields below were read, and the process was still the same one afterwards (pidfd)
	Known      bool
	UID        int
	NoNewPrivs bool // /proc/PID/status: inherited, and never cleared again (prctl(2))
	Seccomp    int  // /proc/PID/status: 0 is no filter
	// the sandboxed session that, as the launcher knows, it or an ancestor belongs to; "" is none
	Session  string
	Ancestor bool // an ancestor of it is a process that a launcher has sandboxed
	Terminal bool // it has a controlling terminal and is in its foreground process group
}

// PeerRules say what is required of the process.
type PeerRules struct {
	UID int // whose answers count
	// Terminal requires a person's terminal: for answers that are not signed.
	Terminal bool
	// NoNewPrivsIsNormal is for machines where a person's own shell has no_new_privs, as in some
	// containers. Then only the sessions and ancestors that the launcher knows show whether a
	// process is in a sandbox.
	NoNewPrivsIsNormal bool
}

// ErrPeer is returned by [MayDecide] for a process that may ask but not answer.
var ErrPeer = errors.New("this process may ask questions but not answer them")

// ErrPerson wraps [ErrPeer], for actions that do not answer a question.
var ErrPerson error = personError{}

type personError struct{}

func (personError) Error() string { return "this needs a person at a terminal" }
func (personError) Unwrap() error { return ErrPeer }

// MayDecide reports whether a process may answer questions; the error is the reason and wraps
// ErrPeer. A process inside a sandbox never may.
func MayDecide(p PeerFacts, r PeerRules) error {
	for _, rule := range []struct {
		no  bool
		why string
	}{
		{!p.Known, "it could not be identified"},
		{p.UID != r.UID, fmt.Sprintf("it belongs to uid %d", p.UID)},
		{p.Session != "", fmt.Sprintf("it runs inside session %q", p.Session)},
		{p.Ancestor, "it was started inside a sandbox"},
		{p.NoNewPrivs && !r.NoNewPrivsIsNormal,
			"it has no_new_privs, like everything inside a sandbox"},
		{p.Seccomp != 0 && !r.NoNewPrivsIsNormal,
			"it has a seccomp filter, like everything inside a sandbox"},
		{r.Terminal && !p.Terminal, "it is not in the foreground of a terminal"},
	} {
		if rule.no {
			return fmt.Errorf("approval: %w: %s", ErrPeer, rule.why)
		}
	}
	return nil
}
