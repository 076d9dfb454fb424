package permit

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/flock"
	"github.com/tada-run/tada-run/audit"
)

// The kernel lets go of the lock on run/waiting/ID however the process ends, SIGKILL too: a file
// that is there and not locked is a question that nothing waits for any more. A question asked
// without waiting has no such file: it is asked to be answered later.

const waitingDir = "waiting"

// placing is locked shared while a file is made and locked, and exclusively by a process that looks
// for files that are not locked.
const placing = "placing"

func (p *Approvals) askerFile(id string) string {
	return filepath.Join(p.dir.Runtime(), waitingDir, id)
}

// withdrawDead withdraws the questions whose askers waited for the answer and are gone, and records
// it. An answered one stays as it is: its time is short anyway.
func (p *Approvals) withdrawDead(ctx context.Context) error {
	entries, _ := os.ReadDir(filepath.Join(p.dir.Runtime(), waitingDir))
	if len(entries) == 0 {
		return nil
	}
	lock, err := p.dir.Lock(placing, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil // the next process that looks finds it
	}
	if err != nil {
		return err
	}
	defer lock.Close()
	for _, entry := range entries {
		if err := p.withdrawIfDead(ctx, entry.Name()); err != nil {
			return err
		}
	}
	return nil
}

func (p *Approvals) withdrawIfDead(ctx context.Context, id string) error {
	f, err := os.OpenFile(p.askerFile(id), os.O_RDWR, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if flock.Try(f) != nil {
		return nil // it is waited for
	}
	e, err := p.Store.Get(ctx, id)
	switch {
	case err != nil && !errors.As(err, new(*approval.Refused)):
		return err
	case err == nil && e.State == approval.Pending && e.Decision == nil:
		log, err := p.record.OpenLog()
		if err != nil {
			return err
		}
		defer log.Close()
		err = p.Change(log, audit.Lazy, func() ([]approval.Event, error) {
			return p.Store.Cancel(ctx, id, "the process that waited for the answer has exited")
		})
		if err != nil && !errors.As(err, new(*approval.Refused)) {
			return err
		}
	}
	if err := os.Remove(p.askerFile(id)); !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil // its process has removed it since it was opened here
}

// lookEvery is how often watchers of questions look for askers that are gone: nothing else reports
// that.
const lookEvery = 500 * time.Millisecond

// withdrawing withdraws dead questions until ctx ends. If it fails, the next process that answers
// reports that.
func (p *Approvals) withdrawing(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			_ = p.withdrawDead(ctx)
		}
	}
}
