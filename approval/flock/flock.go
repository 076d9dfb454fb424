// Package flock takes locks of open files with flock(2): the kernel releases the lock of a process
// that dies.
package flock

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Patience is when [Wait] calls waiting. A change takes milliseconds; on a busy disk, a second. The
// first call is for a holder that is stopped; a holder that runs may be waiting for the disk.
var Patience = [...]time.Duration{time.Second, 5 * time.Second}

// Wait takes a lock of f, unix.LOCK_EX or unix.LOCK_SH, unless ctx ends first. It waits in the
// kernel's queue, which wakes waiters in order: with polling, some would never get the lock beside
// a busy writer. After an error f is closed. If ctx ended, the thread that is left behind closes it
// when it gets the lock: flock(2) cannot be cancelled.
func Wait(ctx context.Context, f *os.File, how int, waiting func(*os.File, time.Duration)) error {
	err := Do(f, how|unix.LOCK_NB)
	if !errors.Is(err, unix.EWOULDBLOCK) {
		return closing(f, err)
	}
	if waiting != nil {
		for _, d := range Patience {
			defer time.AfterFunc(d, func() { waiting(f, d) }).Stop()
		}
	}
	got := make(chan error, 1)
	go func() { got <- Do(f, how) }()
	select {
	case err := <-got:
		return closing(f, err)
	case <-ctx.Done():
		go func() {
			<-got
			f.Close()
		}()
		return ctx.Err()
	}
}

// closing closes f if there is an error, and returns the error.
func closing(f *os.File, err error) error {
	if err != nil {
		f.Close()
	}
	return err
}

// Try takes the exclusive lock if it is free.
func Try(f *os.File) error { return Do(f, unix.LOCK_EX|unix.LOCK_NB) }

// Unlock releases the lock.
func Unlock(f *os.File) error { return Do(f, unix.LOCK_UN) }

// Do calls flock(2), again after a signal. On a file system without locks the error is a
// [NoLocksError].
func Do(f *os.File, how int) error {
	for {
		err := unix.Flock(int(f.Fd()), how)
		switch err {
		case unix.EINTR:
			continue
		case unix.ENOLCK, unix.ENOSYS, unix.EOPNOTSUPP:
			return &NoLocksError{err}
		}
		return err
	}
}

// A NoLocksError is returned on a file system that has no locks, such as some of a network. Two
// processes that write there would not know of each other.
type NoLocksError struct{ Err error }

func (e *NoLocksError) Error() string {
	return e.Err.Error() + ": this file system has no locks; name a directory on another one: " +
		"--home DIR"
}

// Unwrap returns the error of the kernel.
func (e *NoLocksError) Unwrap() error { return e.Err }
