package launcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/state"
)

// A process that waits for the answer to its question holds a lock on run/waiting/ID. The kernel
// lets go of it however the process ends, SIGKILL too; a file that is there and not locked is a
// question that nothing waits for any more, and whoever looks next withdraws it. A question asked
// without waiting has no such file: it is asked to be answered later.

const waitingDir = "waiting"

// placing is locked shared while a file is made and locked, and alone by who looks for those that
// are not locked.
const placing = "placing"

func (l *Launcher) askerFile(id string) string {
	return filepath.Join(l.state.Runtime(), waitingDir, id)
}

// waits says that this process waits for the answer to the question e, which it made or not, until
// the function that comes back is called.
func (a *attempt) waits(e approval.Envelope, made bool) (done func(), err error) {
	l, path := a.l, a.l.askerFile(e.ID)
	if a.Request.Ask == nil && a.Request.Wait <= 0 {
		_ = os.Remove(path) // from here on it is also asked by someone who comes back for the answer
		return func() {}, nil
	}
	lock, err := l.state.Lock(placing, syscall.LOCK_SH)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	flags := os.O_RDWR
	if made {
		flags |= os.O_CREATE
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
	}
	f, err := os.OpenFile(path, flags, 0o600)
	if errors.Is(err, os.ErrNotExist) {
		return func() {}, nil // it was asked by someone who comes back for the answer
	}
	if err != nil {
		return nil, err
	}
	if err := state.Flock(f, syscall.LOCK_SH); err != nil {
		f.Close()
		return nil, err
	}
	return func() {
		if state.Flock(f, syscall.LOCK_EX|syscall.LOCK_NB) == nil { // nobody else waits for it
			_ = os.Remove(path)
		}
		f.Close()
	}, nil
}

// withdrawDead withdraws the questions whose askers waited for the answer and are gone, and records
// it. An answered one stays as it is: its time is short anyway.
func (l *Launcher) withdrawDead(ctx context.Context) error {
	entries, _ := os.ReadDir(filepath.Join(l.state.Runtime(), waitingDir))
	if len(entries) == 0 {
		return nil
	}
	lock, err := l.state.Lock(placing, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil // whoever looks next finds it
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	for _, entry := range entries {
		if err := l.withdrawIfDead(ctx, entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (l *Launcher) withdrawIfDead(ctx context.Context, id string) error {
	f, err := os.OpenFile(l.askerFile(id), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if state.Flock(f, syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		return nil // it is waited for
	}
	e, err := l.store.Get(ctx, id)
	switch {
	case err != nil && !errors.As(err, new(*approval.Refused)):
		return err
	case err == nil && e.State == approval.Pending && e.Decision == nil:
		log, err := l.OpenLog()
		if err != nil {
			return err
		}
		defer log.Close()
		err = l.change(log, audit.Lazy, func() ([]approval.Event, error) {
			return l.store.Cancel(ctx, id, "the process that waited for the answer has exited")
		})
		if err != nil && !errors.As(err, new(*approval.Refused)) {
			return err
		}
	}
	if err := os.Remove(l.askerFile(id)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil // whoever waited has removed it, since it was opened here
}

// lookEvery is how often those who watch questions look for askers that are gone: nothing else
// tells it.
const lookEvery = 500 * time.Millisecond

// withdrawing withdraws dead questions until ctx ends. What it cannot do, the next one who answers
// is told.
func (l *Launcher) withdrawing(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = l.withdrawDead(ctx)
		}
	}
}
