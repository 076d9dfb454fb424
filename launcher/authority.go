package launcher

import "github.com/tada-run/tada-run/approval"

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
