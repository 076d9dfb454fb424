package undo

import "fmt"

const (
	// ErrUnavailable is returned by everything here on systems other than Linux.
	ErrUnavailable = reason("undo is not available on this system")
	// ErrUnknownRun means that the store has no journal of that run.
	ErrUnknownRun = reason("nothing is kept of this run")
	errLater      = reason("it was changed after the run")
	errNotEmpty   = reason("it has what the run did not make")
	// ErrRunning means that the run goes on.
	ErrRunning = reason("the run has not ended")
	// ErrBusy means that an undo of the run goes on.
	ErrBusy = reason("an undo of the run goes on")
)

// A NotKeptError says why a pre-image could not be kept. The change can be made only at the price
// that it cannot be undone.
type NotKeptError struct {
	Path string
	Err  error
}

func (e *NotKeptError) Error() string { return fmt.Sprintf("cannot keep %q: %v", e.Path, e.Err) }

func (e *NotKeptError) Unwrap() error { return e.Err }

// Reasons for a NotKeptError, besides those of the kernel.
const (
	ErrTooLarge  = reason("it is larger than undo.file allows")
	ErrQuota     = reason("undo.quota is used up; make room with: tadactl gc")
	ErrMoved     = reason("its folder was moved meanwhile")
	ErrElsewhere = reason("it is in none of the folders of which something is kept")
	ErrChanging  = reason("another program is changing it")
	ErrOwner     = reason("only root can make it again for the user or group that owns it")
)

// A DamagedError says why a journal is refused.
type DamagedError struct {
	Run, Why string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the undo journal of run %q: %s", e.Run, e.Why)
}

// A reason is an error without any data.
type reason string

func (r reason) Error() string { return string(r) }
