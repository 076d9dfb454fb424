package launcher

import (
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/pathguard"
)

// An Explained is a judgement with the rules around it.
type Explained struct {
	Report
	Fitting []pathguard.Fitting // rules of the configuration that fit, whether they decide or not
	Ways    []pathguard.Way     // rules that together would allow it; nil if it is, or rules cannot
	Choices []plan.Choice       // what an answer to the question may allow from now on
}

// Explain says which rules decide about a judgement, and which would allow it.
func (j *Judgement) Explain() Explained {
	e := Explained{Report: j.Report("")}
	s := j.subject()
	if s.Plan == nil {
		return e
	}
	e.Fitting, e.Choices = s.policy.Fittings(s.Plan), plan.Choices(j.Payload())
	if s.Verdict.Decision == pathguard.Ask {
		e.Ways = s.policy.Ways(s.Plan)
	}
	return e
}
