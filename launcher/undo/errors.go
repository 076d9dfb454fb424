package undo

import (
	"errors"
	"fmt"
)

var (
	// ErrUnavailable is returned by everything here on systems other than Linux.
	ErrUnavailable = errors.New("undo is not available on this system")
	// ErrUnknownRun means that the store has no journal of that run.
	ErrUnknownRun = errors.New("nothing is kept of this run")
	errLater      = errors.New("it was changed after the run")
	errNotEmpty   = errors.New("it has what the run did not make")
	// ErrRunning means that the run goes on.
	ErrRunning = errors.New("the run has not ended")
	// ErrBusy means that an undo of the run goes on.
	ErrBusy = errors.New("an undo of the run goes on")
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
var (
	ErrTooLarge = errors.New("it is larger than undo.file allows")
	ErrQuota    = errors.New("undo.quota is used up; make room with: tadactl gc")
	ErrMoved    = errors.New("its folder was moved meanwhile")
)

// A DamagedError says why a journal is refused.
type DamagedError struct {
	Run, Why string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("the undo journal of run %q: %s", e.Run, e.Why)
}
