// Package flock takes locks of open files, as flock(2) has them: the kernel takes one away from a
// process that dies.
package flock

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Patience is when the waiting of [Wait] is called. A change takes milliseconds; on a busy disk, a
// second. The first is for a holder that is stopped; one that runs may wait for the disk.
var Patience = [...]time.Duration{time.Second, 5 * time.Second}

// Wait takes a lock of f, unix.LOCK_EX or unix.LOCK_SH, unless ctx ends before. It waits in the
// kernel's queue, which wakes those who wait in order: of those who only look from time to time,
// some never get it beside a busy writer. After an error f is closed; when ctx ended, by the thread
// that is left behind, whenever it gets the lock: flock(2) cannot be given up.
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

// closing closes f when there is an error, and returns that.
func closing(f *os.File, err error) error {
	if err != nil {
		f.Close()
	}
	return err
}

// Try takes the exclusive lock if no one has it.
func Try(f *os.File) error { return Do(f, unix.LOCK_EX|unix.LOCK_NB) }

// Unlock gives a lock back.
func Unlock(f *os.File) error { return Do(f, unix.LOCK_UN) }

// Do is flock(2), called again after a signal.
func Do(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); err != unix.EINTR {
			return err
		}
	}
}
