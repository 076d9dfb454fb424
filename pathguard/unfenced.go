package pathguard

import "github.com/tada-run/tada-run/shellparse/command"

// JudgeUnfenced is [Policy.Judge] for a plan that will be carried out without a fence: what a fence would have
// hidden from a search through a whole tree is a question here, and so is a list of all names where some are in a
// restricted path. It asks the disk for the names that exist.
func (p Policy) JudgeUnfenced(plan *Plan) Verdict {
	v := p.Judge(plan)
	if v.Decision != Allow {
		return v
	}
	j := judgement{p: &p, plan: plan, script: plan.Script, homes: p.homes}
	var hidden []string
	for i := range plan.Targets {
		t := &plan.Targets[i]
		if t.Right != command.Read || t.Flags&command.Recursive == 0 {
			continue
		}
		if hidden == nil {
			hidden = append([]string{}, p.Fence(plan).Hide...)
		}
		for _, name := range hidden {
			if within(name, t.Path()) && (t.Flags&command.List == 0 || j.marked(name, markRestricted)) {
				j.add(Ask, "path.sweep", t.Path(), name, j.span(t.Effect), t.Command)
				break
			}
		}
	}
	if len(j.reasons) == 0 {
		return v
	}
	return j.verdict()
}
