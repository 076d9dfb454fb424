package launcher

import (
	"fmt"

	"github.com/tada-run/tada-run/approval/plan"
)

// trust is how far the origin of a request is trusted. This is the agent's entry point, and no name
// or variable raises that, whatever process uses it: a process inside a sandbox asks nothing
// itself. The caller and the policy can only lower it.
func (j *Judgement) trust() plan.Level {
	level := plan.Agent
	if j.policy.Settings().Approval.Quarantined {
		level = plan.Quarantined
	}
	if j.Request.Origin != "" {
		level = plan.Inherit(level, plan.ParseLevel(j.Request.Origin))
	}
	return level
}

// needs says who has to answer, if that is more than one person: on the page, and bound by the
// plan.
func (j *Judgement) needs(risk int) string {
	people, self := j.policy.Settings().Approval.For(risk)
	switch {
	case people > 1 && self:
		return fmt.Sprintf("approvals by %d different people", people)
	case people > 1:
		return fmt.Sprintf("approvals by %d different people other than this account", people)
	case !self:
		return "approval by someone other than this account"
	}
	return ""
}

func (j *Judgement) mode() string {
	mode := j.policy.Settings().Level.String()
	if j.Request.Profile != "" {
		mode += "/" + j.Request.Profile
	}
	return mode
}
