package permit

import (
	"errors"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// An Authority is by what right a run runs: its zero value is the policy's own permission.
type Authority struct {
	Envelope string                  // of the approval that was consumed; "" for none
	Grant    string                  // the standing approval that was used; "" for none
	Batch    string                  // plan of the batch that it is for, which reports its end
	Answers  []approval.CallDecision // to each call of a batch

	// forgotten receives once the store has dropped the logged use of the approval; nil if there
	// was no such use.
	forgotten <-chan error
}

// Kind is the authority as the record names it, which has an entry with the id of each.
func (a *Authority) Kind() string {
	switch {
	case a.Grant != "":
		return "grant"
	case a.Envelope != "":
		return "approval"
	}
	return "policy"
}

// Settle waits until the store has dropped what is in the log.
func (a *Authority) Settle() error {
	if a.forgotten == nil {
		return nil
	}
	forgotten := a.forgotten
	a.forgotten = nil // it is received once
	return <-forgotten
}

// Finish records in the store the result of an approval that was consumed for this run alone.
func (a *Authority) Finish(p *Approvals, log *audit.Log, what string) error {
	if a == nil { // a refusal that came before any permission
		return nil
	}
	err := a.Settle()
	if a.Envelope != "" && a.Batch == "" {
		err = errors.Join(err, p.FinishApproval(log, a.Envelope, what))
	}
	return err
}

// FinishApproval records in the store the result of what an approval permitted, so that no later
// process takes it for a run that died in the middle.
func (p *Approvals) FinishApproval(log *audit.Log, envelope, what string) error {
	ctx, cancel := StoreContext()
	defer cancel()
	return p.Change(log, audit.Lazy, func() ([]approval.Event, error) {
		return p.Store.Finish(ctx, envelope, approval.OutcomeExecuted, what)
	})
}
