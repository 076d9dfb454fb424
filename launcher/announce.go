package launcher

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard"
)

// An announced is an attempt whose intent is in the log. It ends as refused, as failed, or as the
// run that [permitted.start] makes of it; each of them writes one entry that says so.
type announced struct {
	*attempt
	shown   string // the command line as the record may tell it
	secrets int    // credentials of a known shape that were hidden in it
	began   time.Time
	leave   func() // gives up its place among the runs that have no end yet, once
}

// announce opens the record and writes what is about to be done. For a verdict that allows, it
// returns only when the entry is on the disk; the sandbox is built meanwhile.
func (l *Launcher) announce(j *Judgement, namespaces *sandbox.Nest) (*announced, error) {
	if j.Verdict.Decision != pathguard.Deny && j.Hash() == "" {
		return nil, errors.New("the plan cannot be hashed, so nothing runs")
	}
	id, err := newSessionID(l.now(), l.random)
	if err != nil {
		return nil, fmt.Errorf("name the session: %w", err)
	}
	began := l.now()
	s := l.standbyFor(j, namespaces)
	a, err := l.attempt(j, id)
	if err != nil {
		s.cancel()
		return nil, err
	}
	a.standby = s
	r := &announced{attempt: a, began: began}
	r.shown, r.secrets = audit.HideSecrets(j.Script.Text)
	if err := r.enrol(); err != nil {
		s.cancel()
		_ = r.log.Close()
		return nil, err
	}
	return r, nil
}

// standbyFor prepares what will run the judged request. What goes wrong there, start reports.
func (l *Launcher) standbyFor(j *Judgement, namespaces *sandbox.Nest) *standby {
	switch {
	case j.Request.Within != nil: // it runs in the sandbox of the session
		return nil
	case j.Verdict.Decision == pathguard.Allow:
		s := &standby{reserved{l, namespaces}}
		s.begin(j)
		return s
	}
	namespaces.Leave() // it may be long before it runs
	return &standby{reserved{l, nil}}
}

// enrol records the end of runs whose launcher died, takes this run's place among those that have
// none, and writes the intent.
func (r *announced) enrol() error {
	if _, err := r.log.Orphans(); err != nil {
		return &RecordError{Kind: audit.KindOrphan, Err: err}
	}
	running, err := r.log.Begin(r.id)
	if err != nil {
		return &RecordError{Kind: kindIntent, Err: err}
	}
	// A place that cannot be given up is found by the next run, and then has an end.
	r.leave = sync.OnceFunc(func() { _ = running.End() })
	if err := r.record(kindIntent, r.intent(), r.urgency()); err != nil {
		r.leave()
		return err
	}
	return nil
}

// record appends one entry. Only the launcher writes records, so whether something was recorded
// has one answer.
func (r *announced) record(kind string, body object, d audit.Durability) error {
	body["sid"] = r.id
	b, err := canonical.Append(nil, body)
	if err == nil {
		_, err = r.log.Append(kind, b, d)
	}
	if err != nil {
		return &RecordError{Kind: kind, Err: err}
	}
	if isEnd(kind) {
		r.leave()
	}
	return nil
}

// close releases what the run holds. Its sandbox is cancelled where nothing was started in it.
func (r *announced) close() {
	r.standby.cancel()
	_ = r.wrote()
	_ = r.Judgement.Close()
	_ = r.log.Close()
}

// refused ends a run that was not permitted, with the refusal in the record.
func (r *announced) refused(f *Refusal) Outcome {
	defer r.log.Close()
	if f == nil { // the store of approvals failed, not the command
		facts := object{"error": "no one could be asked", "plan_hash": r.Hash()}
		_ = r.record(kindFailed, facts, audit.Lazy)
		return Outcome{}
	}
	if r.log.SealDue() {
		defer r.seal() // no command waits for it
	}
	_ = f.used.finish(r.l, r.log, "it was refused")
	_ = r.record(kindDenied, object{
		"code": f.Code, "status": f.Status, "envelope_id": f.Envelope, "plan_hash": r.Hash(),
	}, audit.Lazy)
	return Outcome{Session: r.id, Envelope: f.Envelope, Status: f.exit, Refusal: f}
}
