package launcher

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// self names this process for those that come after it: the boot, its id and when it started.
func (l *Launcher) self() string { return l.bootID + "/" + runner() }

// lives reports whether the process of that name is still there.
func (l *Launcher) lives(name string) bool {
	boot, process, _ := strings.Cut(name, "/")
	var pid int
	_, err := fmt.Sscanf(process, "%d@", &pid)
	return err == nil && boot == l.bootID && runnerOf(pid) == process
}

// tellLost ends approvals that a process used and died before it told what came of it. The approval stays used; whether
// its command ran, the story of the run says. The caller holds the outbox alone, so nobody is about to tell it.
func (l *Launcher) tellLost(ctx context.Context, log *audit.Log) error {
	runs, err := l.store.Unfinished(ctx)
	if err != nil {
		return err
	}
	for _, run := range runs {
		if l.lives(run.Runner) {
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
