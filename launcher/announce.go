package launcher

import (
	"errors"
	"fmt"
	"sync"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard"
)

// announce opens the log and writes what is about to be done. For a verdict that allows, it returns
// only when the entry is on the disk; the sandbox is built at the same time.
func (l *Launcher) announce(j *Judgement, namespaces *sandbox.Prepared) (*announced, error) {
	if err := supported(); err != nil {
		return nil, err
	}
	if j.Verdict.Decision != pathguard.Deny && j.Hash() == "" {
		return nil, errors.New("the plan cannot be hashed, so nothing runs")
	}
	id, err := state.NewID(l.state.Now(), l.state.Random)
	if err != nil {
		return nil, fmt.Errorf("name the session: %w", err)
	}
	began := l.state.Now()
	s := l.standbyFor(j, id, namespaces)
	a, err := l.attempt(j, id)
	if err != nil {
		s.cancel()
		return nil, err
	}
	a.standby = s
	r := &announced{attempt: a, began: began}
	r.shown, r.secrets = audit.HideSecrets(j.Script.Text)
	if r.plan, err = l.storePlan(j); err == nil {
		err = r.enrol()
	}
	if err != nil {
		s.cancel()
		_ = r.log.Close()
		return nil, err
	}
	return r, nil
}

// standbyFor prepares what will run the judged request. What goes wrong there, start reports.
func (l *Launcher) standbyFor(j *Judgement, id string, namespaces *sandbox.Prepared) *standby {
	switch {
	case j.Request.Within != nil: // it runs in the sandbox of the session
		return nil
	case j.Verdict.Decision == pathguard.Allow:
		s := &standby{reserved{l, id, namespaces}}
		s.begin(j)
		return s
	}
	namespaces.Release() // it may be long before it runs
	return &standby{reserved{l, id, nil}}
}

// enrol records the end of runs whose launcher died, takes this run's place among those that have
// none, and writes the intent.
func (r *announced) enrol() error {
	if _, err := r.log.Orphans(); err != nil {
		return &record.Error{Kind: audit.KindOrphan, Err: err}
	}
	running, err := r.log.Begin(r.id)
	if err != nil {
		return &record.Error{Kind: record.KindIntent, Err: err}
	}
	// A place that cannot be given up is found by the next run, and then has an end.
	r.leave = sync.OnceFunc(func() { _ = running.End() })
	if err := r.record(record.KindIntent, r.intent(), r.urgency()); err != nil {
		r.leave()
		return err
	}
	return nil
}
