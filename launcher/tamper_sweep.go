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
		return fmt.Sprintf("%s: sandbox level %s cannot stop a command from changing protected files; a change is reported when the command ends, with status %d (shown once; see tadactl doctor)",
			where, r.receipt.Level, ExitTampered)
	default:
		return fmt.Sprintf("%s: the sandbox can stop a command from changing %d of %d protected files; a change of the others is reported when the command ends, with status %d (shown once)",
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
	fmt.Fprintf(out, "tada-run: protected files changed while the command ran; nothing runs until you decide\n%s", e.Text(r.tamperLocale()))
	return e
}
