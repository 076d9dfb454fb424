package launcher

import (
	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// An attempt is a judged request that the log is open for: what a question is asked about, and
// what protected files are verified for. Only one that is [announced] can run here.
type attempt struct {
	*Judgement
	l   *Launcher
	id  string // of the session, and so of its transcript; "" where there will be none
	log *audit.Log

	rejudge func() (*Judgement, error) // makes the judgement anew, of the same request
	standby *standby                   // of a run of this process; nil where another one runs it
	used    *authority                 // what was consumed for it although it was refused
}

// attempt opens the log for what was judged.
func (l *Launcher) attempt(j *Judgement, id string) (*attempt, error) {
	log, err := l.OpenLog()
	if err != nil {
		return nil, err
	}
	return l.attemptIn(log, j, id), nil
}

func (l *Launcher) attemptIn(log *audit.Log, j *Judgement, id string) *attempt {
	return &attempt{
		Judgement: j, l: l, id: id, log: log,
		rejudge: func() (*Judgement, error) { return l.Judge(j.Request) },
	}
}

// renew puts a fresh judgement of the same request in the place of the present one.
func (a *attempt) renew(fresh *Judgement) {
	a.Judgement.Close()
	a.Judgement = fresh
}

// endGrants ends the standing approvals of the session: an agent that tries what is denied, or
// works where protected files were changed, is asked about everything again. A store that cannot
// do it permits nothing either.
func (a *attempt) endGrants(why string) {
	if a.l.ready() != nil {
		return
	}
	ctx, cancel := storeContext()
	defer cancel()
	_ = a.l.change(a.log, audit.Lazy, func() ([]approval.Event, error) {
		return a.l.store.Suspend(ctx, a.askerOf(), why)
	})
}
