package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// finish tells the store what came of an approval that was consumed for this run alone.
func (a *authority) finish(l *Launcher, log *audit.Log, what string) error {
	if a == nil { // a refusal that came before any permission
		return nil
	}
	err := a.settle()
	if a.envelope != "" && a.batch == "" {
		err = errors.Join(err, l.finishApproval(log, a.envelope, what))
	}
	return err
}

// finishApproval tells the store what came of what an approval permitted, so that no later process
// takes it for a run that died in the middle.
func (l *Launcher) finishApproval(log *audit.Log, envelope, what string) error {
	ctx, cancel := storeContext()
	defer cancel()
	return l.change(log, audit.Lazy, func() ([]approval.Event, error) {
		return l.store.Finish(ctx, envelope, approval.OutcomeExecuted, what)
	})
}
