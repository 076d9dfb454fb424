package launcher

import (
	"context"
	"slices"
	"strings"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
)

// An attempt is a judged request that the log is open for: what a question is asked about, and
// what protected files are verified for. Only one that is [announced] can run here.
type attempt struct {
	*Judgement
	l   *Launcher
	id  string // of the session, and so of its transcript; "" where there will be none
	log *audit.Log

	rejudge func() (*Judgement, error) // judges the same request again
	standby *standby                   // of a run of this process; nil where another one runs it
	used    *permit.Authority          // what was consumed for it although it was refused
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

// forPermit is the attempt as a permission is asked for it.
func (a *attempt) forPermit() *permit.Attempt {
	req := a.Request
	return &permit.Attempt{
		Case: a.Judgement, Approvals: a.l.Approvals, Log: a.log,
		AskHere: req.Ask, Wait: req.Wait, Inside: req.Within != nil, CI: req.Profile == profileCI,
		Tool: req.Tool != nil,
		Again: func() (permit.Case, error) {
			fresh, err := a.rejudge()
			if err != nil {
				return nil, err
			}
			a.renew(fresh)
			return fresh, nil
		},
		Other:   a.other,
		Reserve: a.standby.reserve,
		Begin:   func() { a.standby.begin(a.Judgement) },
	}
}

// other judges another command in the place of this one.
func (a *attempt) other(command string) (permit.Case, func(), error) {
	req := a.Request
	req.Shell = shell.Call{Text: command, Name: "tada-run", Dialect: req.Shell.Dialect}
	j, err := a.l.Judge(req)
	if err != nil {
		return nil, nil, err
	}
	return j, func() { _ = j.Close() }, nil
}

// endGrants ends the standing approvals of the session.
func (a *attempt) endGrants(why string) { a.forPermit().EndGrants(why) }

// permit decides whether the attempt may run, and asks a person where that is needed.
func (l *Launcher) permit(ctx context.Context,
	a *attempt) (*permit.Authority, *refusal.Refusal, error) {
	if no := a.heldIn(); no != nil {
		return &permit.Authority{}, no, nil
	}
	return a.forPermit().Permit(ctx)
}

// QuarantineVariable is the variable in an agent's environment that names the quarantine it is in.
// A process that inherits it can run nothing, even if the hooks of its platform have missed that.
// It can only restrict.
const QuarantineVariable = "TADA_QUARANTINE"

// heldIn returns the refusal of a request that comes out of a quarantine, or nil.
func (j *Judgement) heldIn() *refusal.Refusal {
	if !slices.ContainsFunc(j.Request.Env, func(v string) bool {
		value, ok := strings.CutPrefix(v, QuarantineVariable+"=")
		return ok && value != ""
	}) {
		return nil
	}
	return refusal.Of(j.Locale(), pathguard.Verdict{}, "denied", "policy_denied",
		j.say("quarantined"), exit.Denied)
}
