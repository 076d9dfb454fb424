package launcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// A permitFunc decides whether an attempt may run, and by what right. The authority names what was
// consumed for it even if the answer is a refusal.
type permitFunc func(context.Context, *attempt) (*permit.Authority, *refusal.Refusal, error)

// guarded lets decide say whether it may run, between two verifications of the protected files: a
// person may have thought for an hour in between. When it returns no refusal and no error, what the
// run may write is on the disk, and it may start.
func (l *Launcher) guarded(ctx context.Context, a *attempt,
	decide permitFunc) (*permit.Authority, *refusal.Refusal, error) {
	if a.Verdict.IsFrozen() {
		return &permit.Authority{}, a.denied(), nil
	}
	if refusal, err := a.verify(); refusal != nil || err != nil {
		return &permit.Authority{}, refusal, err
	}
	by, refusal, err := decide(ctx, a)
	if refusal == nil && err == nil && by.Envelope != "" {
		refusal, err = a.verify() // the judgement is a new one
	}
	if refusal == nil && err == nil {
		err = a.grantWrites()
	}
	if refusal != nil {
		a.used = by
	}
	return by, refusal, err
}

// verify settles what needs no decision, and refuses where a person has to decide first.
func (a *attempt) verify() (*refusal.Refusal, error) {
	configured := a.l.policy.Settings().TamperProof
	w, err := a.protection()
	if err != nil {
		return nil, err
	}
	if w.clean() && w.stores[0].InForce(configured) {
		return nil, nil
	}
	blocking, pending, err := w.settle(a.who(), configured, a.policy.Settings().TamperProof,
		os.Stderr)
	if err != nil {
		return nil, &ProtectionError{Err: err}
	}
	for _, s := range w.stores {
		if err := record.Deliver(a.log, s.Store, audit.Lazy); err != nil {
			return nil, err
		}
	}
	if len(blocking) == 0 {
		return nil, nil
	}
	a.endGrants("protected files were changed")
	return a.l.tampered(a.Judgement, blocking, pending), nil
}

// settle verifies again, this time writing down what needs no decision. It returns the findings
// that do. The mode is the one that was in force before this run.
func (w *protection) settle(who tamper.Who, configured, stricter bool,
	out io.Writer) (blocking []tamper.Finding, pending bool, err error) {
	for _, s := range w.stores {
		if s.report, err = s.VerifyIntegrity(who); err != nil {
			return nil, false, err
		}
		if s != w.stores[0] {
			tellNotes(out, s.report.Notes)
		}
	}
	strict, pending, err := w.stores[0].Mode(who, configured)
	if err != nil {
		return nil, false, err
	}
	for _, s := range w.stores {
		var hard, soft []tamper.Finding
		for _, f := range s.report.Findings {
			if w.blocks(s, f, strict || stricter) {
				hard = append(hard, f)
			} else {
				soft = append(soft, f)
			}
		}
		if err = errors.Join(s.Detected(who, hard), s.pass(who, soft, out)); err != nil {
			return nil, false, err
		}
		blocking = append(blocking, hard...)
	}
	return blocking, pending, nil
}

// pass accepts findings while security.tamper_proof is off: they are reported, archived, and
// settled.
func (s *watched) pass(who tamper.Who, found []tamper.Finding, out io.Writer) error {
	if len(found) == 0 {
		return nil
	}
	events, err := s.Pass(who, found)
	for _, e := range events {
		fmt.Fprintf(out, "tada-run: warning: protected file %s: %s from outside; both versions "+
			"are kept: tadactl tamper log\n", notice.Visible(e.Path), e.Kind)
	}
	return err
}

// tampered words a TamperError: the text for a person on stderr now, the line and the object as of
// every refusal.
func (l *Launcher) tampered(j *Judgement, found []tamper.Finding, pending bool) *refusal.Refusal {
	e := &tamper.TamperError{Root: j.Plan.Workspace, Findings: found}
	in := j.tamperLocale()
	fmt.Fprint(os.Stderr, l.ownChange(found, in)+e.Text(in))
	if pending {
		fmt.Fprint(os.Stderr, ownWords[in].pending)
	}
	return j.tamperRefusal(e)
}

// tamperLocale is the language in which protected files are reported.
func (j *Judgement) tamperLocale() tamper.Locale {
	if j.Locale() == pathguard.Chinese {
		return tamper.Chinese
	}
	return tamper.English
}

// tamperRefusal is the message to a program about protected files that were changed.
func (j *Judgement) tamperRefusal(e *tamper.TamperError) *refusal.Refusal {
	f := &refusal.Refusal{
		Version: 1, Status: "denied", Code: tamper.Code, Message: e.In(j.tamperLocale()),
		Items: []refusal.Item{}, Retry: "after the user has decided",
		HumanCan: "tadactl tamper diff",
	}
	f.Exit, f.In = exit.Tampered, j.Locale()
	for _, told := range e.Files() {
		f.Items = append(f.Items, refusal.Item{
			ID: refusal.FirstCall, Decision: "denied", Rule: "tamper." + string(told.Kind),
			Message: fmt.Sprintf("%s: expected %s, actual %s, digest %s", told.Path,
				cmp.Or(told.Expected, "none"), cmp.Or(told.Actual, "none"), told.Digest),
		})
	}
	return f
}

// grantWrites says on the disk which protected files the run may write.
func (a *attempt) grantWrites() error {
	w, err := a.protection()
	if err != nil {
		return err
	}
	for _, s := range w.stores {
		var paths []string
		for _, path := range s.report.Files {
			if a.mayWrite(path) {
				paths = append(paths, path)
			}
		}
		for plan := range a.Plan.All() { // and those that do not exist yet
			for i := range plan.Targets {
				if t := &plan.Targets[i]; writes(t) && s.Covers(t.Path()) &&
					!slices.Contains(paths, t.Path()) {
					paths = append(paths, t.Path())
				}
			}
		}
		if len(paths) == 0 {
			continue
		}
		if err := s.Begin(a.id, a.l.state.Self(), paths); err != nil {
			return &ProtectionError{Err: err}
		}
		s.granted = true
	}
	return nil
}

// wrote takes over what the run was allowed to write, once, and reports it.
func (a *attempt) wrote() error {
	w, err := a.protection()
	if err != nil || w.ended {
		return nil // it never started, or has reported already
	}
	w.ended = true
	var problem error
	for _, s := range w.stores {
		if !s.granted {
			continue
		}
		_, err := s.UpdateIntegrity(a.who(), a.id)
		problem = errors.Join(problem, err, record.Deliver(a.log, s.Store, audit.Lazy))
	}
	if problem != nil {
		return &record.Error{Kind: "tamper.written", Err: problem}
	}
	return nil
}

// who identifies on whose behalf the run happens.
func (a *attempt) who() tamper.Who {
	w := person(a.Request.Door)
	if agent := a.agent(); agent != "" {
		w.User += "/" + agent
	}
	w.Task, w.Session = a.Request.WorkItem, a.id
	return w
}
