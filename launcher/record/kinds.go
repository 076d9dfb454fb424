package record

import (
	"errors"
	"fmt"
	"slices"
	"syscall"

	"github.com/tada-run/tada-run/audit"
)

// The kinds of entries that a run writes, in their order. Approval events come between intent and
// start under the kinds that package approval gives them.
const (
	KindIntent = "exec.intent" // what is about to be done, and by which verdict
	KindDenied = "exec.denied" // it was not done
	KindStart  = "exec.start"  // it runs, in this sandbox
	KindEnd    = "exec.end"    // how it ended
	KindFailed = "exec.failed" // it could not be started

	KindPaused    = "exec.paused" // between start and end: nothing of it runs
	KindContinued = "exec.continued"
)

// KindHook is the decision of a hook about a call of another program.
const KindHook = "hook.decision"

// KindAccepted says that a person accepted what the configuration of a workspace allows, or no
// longer does.
const KindAccepted = "policy.accepted"

// KindUngated says that a person has a bundle of the fleet in force, or has withdrawn one, though
// what ran was not judged again first.
const KindUngated = "fleet.ungated"

// KindTraffic is what a run did with the network, as it does it.
const KindTraffic = "net.traffic"

// Ends are the kinds that tell the end of a run.
var Ends = []string{KindDenied, KindEnd, KindFailed}

// IsEnd reports whether a kind of entry is about the end of a run.
func IsEnd(kind string) bool { return slices.Contains(Ends, kind) }

// A Error says that an entry could not be written. What cannot be recorded does not run.
type Error struct {
	Kind string
	Err  error
}

func (e *Error) Error() string {
	var tampered *audit.TamperError
	help := "tadactl audit verify"
	switch {
	case errors.As(e.Err, &tampered), errors.Is(e.Err, audit.ErrNotDurable):
		help += "; to accept it after a review: tadactl audit accept --reason WHY"
	case IsFull(e.Err):
		help = MakeRoom
	}
	return fmt.Sprintf("cannot record %q, so nothing runs: %v; try: %s", e.Kind, e.Err, help)
}

// MakeRoom is what helps where the disk of the state directory is full.
const MakeRoom = "df -h ~/.tada; to delete old transcripts: tadactl gc --older 30d"

// IsFull reports whether there was no room to write.
func IsFull(err error) bool {
	return errors.Is(err, audit.ErrNoSpace) || errors.Is(err, syscall.ENOSPC) ||
		errors.Is(err, syscall.EDQUOT)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// gapKinds are the kinds of the entries that set apart what is no entry.
var gapKinds = []string{audit.KindAccept, audit.KindRecover}
