package pathguard

import (
	"slices"
	"strconv"

	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
)

// Judge says whether the plan may run. It is a pure function: the same plan and policy give
// the same verdict, and nothing is opened, read or asked.
//
// Judge keeps every rule that applies as a reason; the strictest decides. The order of strictness
// is deny, ask, allow.
func (p Policy) Judge(plan *resolve.Plan) Verdict {
	if p.tree == nil || plan == nil || plan.Script == nil {
		return Verdict{Reasons: []Reason{{Rule: "policy.missing", Risk: 3, Message: noPolicy(),
			Command: -1}}}
	}
	j := judgement{p: &p, plan: plan, script: plan.Script}
	j.homes = p.homes
	j.text()
	j.effects()
	j.codes()
	j.compiles()
	j.opaque()
	j.limits()
	j.inners()
	j.linked()
	whole, losses := j.reversible()
	stands, unsure := j.stands(whole)
	j.levels()
	v := j.verdict()
	v.Reversible, v.Losses, v.Stands, v.Unsure = whole, losses, stands, unsure
	v.Unread = j.unread()
	return v
}

// linked judges what a program could write in place without a word of the text about it. What git
// writes replaces the file that was there.
func (j *judgement) linked() {
	untold := func(c shellparse.Command) bool { return !resolve.TellsWrites(&c) && c.Name != "git" }
	if j.class() == ReadOnly || !j.contained && !slices.ContainsFunc(j.script.Commands, untold) {
		return
	}
	if outside := j.plan.LinkedOutside(); len(outside) > 0 {
		j.add(Ask, "code.linked", j.shown(outside[0]), strconv.Itoa(len(outside)),
			shellparse.Span{End: len(j.script.Text)}, -1)
	}
}

// levels applies security.command_level last, because it speaks about the others.
func (j *judgement) levels() {
	whole := shellparse.Span{End: len(j.script.Text)}
	level := j.p.set.Level
	if level.Always {
		j.add(Ask, "level.always", "", "", whole, -1)
	}
	if level.Never && j.strictest() == Ask {
		j.add(Deny, "level.never", "", "", whole, -1)
	}
}
