package launcher

import (
	"context"
	"errors"
	"os"
	"syscall"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// tellLost ends approvals that a process used and died before it told what came of it. The approval
// stays used; whether its command ran, the story of the run says. The caller holds the outbox
// alone, so nobody is about to tell it.
func (l *Launcher) tellLost(ctx context.Context, log *audit.Log) error {
	runs, err := l.store.Unfinished(ctx)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if l.state.Lives(run.Runner) {
			continue
		}
		events, err := l.store.Finish(ctx, run.Envelope, approval.OutcomeLost, "its launcher died before it recorded the end")
		if errors.Is(err, approval.ErrUnknown) { // told by a process that did not live to hear so
			continue
		}
		if err == nil {
			_, err = appendEvents(log, events, audit.Lazy)
		}
		if err == nil {
			err = l.forget(events, "")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settle records what processes that died had changed in the store and not yet recorded, and what
// they never told. While others are at work it leaves that to them, or to whoever comes next.
func (l *Launcher) settle(log *audit.Log) error {
	if err := l.ready(); err != nil {
		return err
	}
	outbox, err := l.state.Lock("outbox", syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	defer outbox.Close()
	ctx, cancel := storeContext()
	defer cancel()
	if err := l.tellLeft(ctx, log); err != nil {
		return err
	}
	return l.tellLost(ctx, log)
}

// tellLeft records what stands in the outbox.
func (l *Launcher) tellLeft(ctx context.Context, log *audit.Log) error {
	events, err := l.store.Unlogged(ctx)
	if err != nil || len(events) == 0 {
		return err
	}
	untold, err := l.untold(events)
	if err != nil {
		return err
	}
	if _, err := appendEvents(log, untold, audit.Lazy); err != nil {
		return err
	}
	return l.forget(events, "")
}

// untold are the events that do not stand in the log: a process may have died after it had written
// them there.
func (l *Launcher) untold(events []approval.Event) ([]approval.Event, error) {
	told := make(map[string]bool)
	for e, err := range l.Entries(audit.Filter{Kinds: []string{"approval."}}) {
		if errors.Is(err, os.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		told[string(e.Body)] = true
	}
	var untold []approval.Event
	for _, e := range events {
		if !told[string(e.Body())] {
			untold = append(untold, e)
		}
	}
	return untold, nil
}
