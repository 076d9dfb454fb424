package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// An authority is by what right a run runs: its zero value is the policy's own permission.
type authority struct {
	envelope string                  // of the approval that was consumed; "" for none
	grant    string                  // the standing approval that was used; "" for none
	batch    string                  // plan of the batch that it is for, which reports its end
	answers  []approval.CallDecision // to each call of a batch

	// forgotten tells when the store has dropped what the log has of the use of the approval; nil
	// where there was no such use.
	forgotten <-chan error
}

// kind is the authority as the record names it, which has an entry with the id of each.
func (a *authority) kind() string {
	switch {
	case a.grant != "":
		return "grant"
	case a.envelope != "":
		return "approval"
	}
	return "policy"
}

// settle waits until the store has dropped what is in the log.
func (a *authority) settle() error {
	if a.forgotten == nil {
		return nil
	}
	forgotten := a.forgotten
	a.forgotten = nil // it tells once
	return <-forgotten
}

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
