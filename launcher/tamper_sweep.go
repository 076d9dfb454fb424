package launcher

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/watch"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// bares reports whether there are protected files that the sandbox has to keep as they are and
// cannot.
func (s *started) bares() bool {
	n := len(s.exposed)
	return n > maxKept || n > 0 && !watch.Keeps(s.receipt)
}

// unkept says, as a run begins, that its sandbox cannot keep all protected files as they are; ""
// when it can. The record has it with the run's start.
func (s *started) unkept() string {
	where := cmp.Or(s.Plan.Workspace, s.Plan.Dir)
	switch {
	case !s.bares():
		return ""
	case !watch.Keeps(s.receipt):
		return fmt.Sprintf("%s: sandbox level %s inside another sandbox cannot stop a command "+
			"from changing protected files; a change is reported when the command ends, with "+
			"status %d (shown once; see tadactl doctor -v)",
			where, s.receipt.Level, exit.Tampered)
	default:
		return fmt.Sprintf("%s: the sandbox can stop a command from changing %d of %d protected "+
			"files; a change of the others is reported when the command ends, with status "+
			"%d (shown once)",
			where, maxKept, len(s.exposed), exit.Tampered)
	}
}

// sweep verifies the protected files once more after a command whose sandbox could not make them
// read-only: at level base below another program that answers system calls, because Landlock cannot
// exclude a file from a folder that it allows, and if there are more of them than a sandbox can
// protect. Waiting for the next command would leave the agent with a success, and a reader of the
// file with a text that was tampered with.
//
// It returns a *tamper.TamperError for what a person has to decide about. Nothing is put back: an
// editor outside, at the same moment, leaves just the same traces, and its words would be lost to
// the folder.
func (s *started) sweep(out io.Writer) error {
	w, err := s.protection()
	if err != nil || !s.bares() {
		return nil // what could not be looked at has let nothing start
	}
	found, _, err := w.settle(s.who(), s.l.policy.Settings().TamperProof,
		s.policy.Settings().TamperProof, out)
	if err != nil {
		return &ProtectionError{Err: err}
	}
	for _, store := range w.stores {
		err = errors.Join(err, record.Deliver(s.log, store.Store, audit.Lazy))
	}
	if err != nil || len(found) == 0 {
		return err
	}
	s.endGrants("protected files were changed")
	e := &tamper.TamperError{Root: s.Plan.Workspace, Findings: found}
	fmt.Fprintf(out, "tada-run: protected files changed while the command ran; nothing runs until "+
		"you decide\n%s", e.Text(s.tamperLocale()))
	return e
}
