package launcher

import (
	"context"

	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// inFleet makes a verdict what it is on a machine of a fleet: a denial while it is frozen, and
// fleet.offline for what may run while the agent is away. Anywhere else it changes nothing.
func (l *Launcher) inFleet(j *Judgement) {
	if !l.joined() {
		return
	}
	if why := l.state.Frozen(); why != "" {
		j.decide(pathguard.Frozen(why))
		return
	}
	offline := j.policy.Settings().Approval.Offline
	if j.Verdict.Decision <= offline {
		return
	}
	if err := l.Online(context.Background()); err != nil {
		j.decide(j.Verdict.Offline(offline, err.Error()))
	}
}

// frozen returns why nothing may run on this machine of a fleet; "" if it may, or it is in none.
func (l *Launcher) frozen() string {
	why := l.state.Frozen()
	if why == "" || !l.state.Joined() { // nearly always there is no order: one look
		return ""
	}
	return why
}

// Frozen is the refusal of what a request is about, whatever it is, while nothing new may start on
// this machine of a fleet; nil otherwise.
func (l *Launcher) Frozen(req Request) *refusal.Refusal {
	return l.frozenIn((&Judgement{Request: req}).Locale())
}

func (l *Launcher) frozenIn(in pathguard.Locale) *refusal.Refusal {
	if why := l.frozen(); why != "" {
		return refusal.Denied(in, pathguard.Frozen(why))
	}
	return nil
}

// offline says why no question about j can be asked now; "" if it can.
func (l *Launcher) offline(j *Judgement) string {
	if j.Verdict.Decision != pathguard.Ask || !l.state.Joined() {
		return ""
	}
	if err := l.Online(context.Background()); err != nil {
		return err.Error()
	}
	return ""
}

// decide sets the verdict of a judgement, and of the agent's command in it. It is no verdict of the
// policy, so the record has no plan that could be judged again by another one.
func (j *Judgement) decide(v pathguard.Verdict) {
	for at := j; at != nil; at = at.own {
		at.Verdict, at.frozen = v, nil
	}
}
