package launcher

import (
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/watch"
)

// before is what watchers know of a command that has not begun.
func (j *Judgement) before(p sandbox.Profile) watch.Before {
	limits, _ := j.limited()
	return watch.Before{
		Plan: j.Plan, Verdict: j.Verdict, Exact: j.fence().Exact, Profile: p, Limits: limits,
		Removed: j.client.Removed(j.environ.Removed), Session: j.Request.Hold != nil,
	}
}

// after is what they know of one that has ended.
func (e *ended) after() watch.After {
	a := watch.After{
		Status: e.status, Receipt: e.receipt, Complaints: string(e.out.complaints()),
		Approved: e.Envelope != "", Careful: e.Request.Started != nil || e.isOver(),
		GoesOn:  e.goesOn,
		Network: watch.Network{Traffic: e.process.Traffic, Asked: e.asked},
		Dropped: e.recorder.Dropped, Once: e.l.say, Verify: e.sweep,
		WhyEnded: e.ends,
	}
	if e.timedOut {
		a.TimedOut = e.overtime(e.shown)
	}
	return a
}
