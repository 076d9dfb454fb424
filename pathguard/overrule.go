package pathguard

// The rules that are no matter of a plan, but of the machine.
const (
	RuleFrozen  = "fleet.frozen"  // nothing new starts
	RuleOffline = "fleet.offline" // the agent of the fleet is away
)

// Frozen is the verdict on a machine on which nothing new may start.
func Frozen(why string) Verdict {
	return Verdict{Reasons: []Reason{ofMachine(Deny, RuleFrozen, why)}}
}

// IsFrozen reports whether a verdict is that of Frozen.
func (v Verdict) IsFrozen() bool { return len(v.Reasons) == 1 && v.Reasons[0].Rule == RuleFrozen }

// Offline is a verdict that allows, while the agent of the fleet is away: d at most.
func (v Verdict) Offline(d Decision, why string) Verdict {
	if d >= v.Decision {
		return v
	}
	v.Decision, v.Stands, v.Standing = d, false, false
	v.Reasons = append([]Reason{ofMachine(d, RuleOffline, why)}, v.Reasons...)
	return v
}

func ofMachine(d Decision, rule, detail string) Reason {
	text, _ := ruleTextOf(rule)
	r := Reason{Rule: rule, Decision: d, Risk: text.risk, detail: detail, Command: -1}
	r.Message = r.fill(text.en)
	return r
}
