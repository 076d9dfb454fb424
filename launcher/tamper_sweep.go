package launcher

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// bares reports whether there are protected files that the fence has to keep as they are and cannot.
func (r *run) bares() bool {
	n := len(r.fenced.exposed)
	return n > maxKept || n > 0 && !r.keeps()
}

// unkept says, as a run begins, that its fence cannot keep all protected files as they are; "" when it can. The record
// has it with the run's start.
func (r *run) unkept() string {
	where := cmp.Or(r.Plan.Workspace, r.Plan.Dir)
	switch {
	case !r.bares():
		return ""
	case !r.keeps():
		return fmt.Sprintf("%s: level %s of the fence cannot keep protected files from being changed while a command runs; a change is found as it ends: status %d (said once; tadactl doctor)",
			where, r.receipt.Level, ExitTampered)
	default:
		return fmt.Sprintf("%s: the fence keeps %d protected files from being changed while a command runs, of %d; a change of the others is found as it ends: status %d (said once)",
			where, maxKept, len(r.fenced.exposed), ExitTampered)
	}
}

// sweep verifies the protected files once more behind a command whose fence could not keep them as they are: at level
// base, because Landlock cannot take a file out of a folder that it allows, and where there are more of them than a
// fence keeps. Waiting for the next command would leave an agent with a success, and whoever reads the file with
// somebody else's words.
//
// It returns a *tamper.TamperError for what a person has to decide about. Nothing is put back: an editor outside, at
// the same moment, leaves just the same traces, and its words would be lost to the folder.
func (r *run) sweep(out io.Writer) error {
	w, err := r.ward()
	if err != nil || !r.bares() {
		return nil // a ward that could not be looked at has let nothing start
	}
	found, _, err := w.settle(r.who(), r.l.policy.Settings().TamperProof, r.policy.Settings().TamperProof, out)
	if err != nil {
		return &WardError{Err: err}
	}
	for _, s := range w.stores {
		err = errors.Join(err, deliver(r.log, s.Store, audit.Lazy))
	}
	if err != nil || len(found) == 0 {
		return err
	}
	r.endGrants("protected files were changed")
	e := &tamper.TamperError{Root: r.Plan.Workspace, Findings: found}
	fmt.Fprintf(out, "tada-run: while the command ran, protected files were changed that it was not to change; nothing runs before a person has decided\n%s", e.Text(r.tamperLocale()))
	return e
}
