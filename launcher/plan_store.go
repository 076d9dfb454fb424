package launcher

import (
	"errors"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/past"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/replay"
	"github.com/tada-run/tada-run/pathguard/frozen"
)

// storePlan puts what a verdict depended on into the record, once for equal plans, and returns its
// name there; "" for a plan that is too long to keep or was not judged, and for one that has to do
// with the secret value of a variable: the shell may cut and change it, and nobody knows what to
// look for. Credentials of a known shape are replaced by asterisks.
func (l *Launcher) storePlan(j *Judgement) (name string, err error) {
	j = j.subject()
	if j.frozen == nil {
		return "", nil
	}
	f := j.frozen()
	plan := frozen.Freeze(f, nil)
	text := string(plan)
	if environ.NamesSecret(j.environ.vars, text) {
		return "", nil
	}
	if audit.MayHoldSecrets(text) {
		found := 0
		hide := func(text string) string {
			shown, n := audit.HideSecrets(text)
			found += n
			return shown
		}
		if _ = frozen.Freeze(f, hide); found > 0 {
			f.Hidden = true
			plan = frozen.Freeze(f, hide)
		}
	}
	if len(plan) > frozen.Max {
		return "", nil
	}
	if name, err = plans.Put(l.state.Plans(), plan); err != nil {
		return "", &record.Error{Kind: record.KindIntent, Err: err}
	}
	return name, nil
}

// Touched returns what the plan of a recorded run touches, by the five words of effects, as it was
// when the run was judged. The error says why it cannot be told.
func (l *Launcher) Touched(r past.Run) (map[string][]string, error) {
	if r.Plan == "" {
		return nil, plans.ErrNone
	}
	b, err := plans.Get(l.state.Plans(), r.Plan, l.Codec)
	if err != nil {
		return nil, err
	}
	f, err := frozen.Thaw(b)
	if errors.Is(err, frozen.ErrOther) {
		err = replay.ErrOtherVersion
	}
	if err != nil {
		return nil, err
	}
	return touched(f.Plan, nil, nil), nil
}

// PlansThat returns, for each recorded plan that can be read, whether match is true of what it
// touches.
func (l *Launcher) PlansThat(match func(touched map[string][]string) bool) map[string]bool {
	found := map[string]bool{}
	for p := range plans.All(l.state.Plans(), l.Codec) {
		if p.Err != nil {
			continue
		}
		if f, err := frozen.Thaw(p.Bytes); err == nil {
			found[p.Name] = match(touched(f.Plan, nil, nil))
		}
	}
	return found
}
