package pathguard

import (
	"slices"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// JudgeUnfenced is [Policy.Judge] for a plan that will be carried out without a sandbox. Files that
// the sandbox would have hidden from a search through a whole tree are a question here, and so is a
// list of all names if some are in a restricted path. It reads the disk for the names that exist.
func (p Policy) JudgeUnfenced(plan *resolve.Plan) Verdict {
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
			if pathname.Within(name, t.Path()) &&
				(t.Flags&command.List == 0 || j.marked(name, markRestricted)) {
				j.add(Ask, "path.sweep", t.Path(), name, j.span(t.Effect), t.Command)
				break
			}
		}
	}
	for _, h := range plan.Script.Hazards {
		if h.Rule == "net.serve" {
			j.add(Ask, "net.listen", "", "", h.Span, h.Command)
		}
	}
	if len(j.reasons) == 0 {
		return v
	}
	return j.verdict()
}

// JudgeTool is [Policy.JudgeUnfenced] for an unknown tool: the names in its arguments are judged as
// usual, the tool itself is a question unless the configuration names it, and so is every command
// that is not known to change nothing, because there is no sandbox around it and nothing is stored
// to undo it with.
func (p Policy) JudgeTool(plan *resolve.Plan, tool string) Verdict {
	v := p.JudgeUnfenced(plan)
	j := judgement{p: &p, plan: plan, script: plan.Script, homes: p.homes, contained: v.Contained,
		reasons: slices.Clone(v.Reasons)}
	whole := shellparse.Span{End: len(plan.Script.Text)}
	if v.Contained || len(plan.Script.Commands) > 0 && v.Class != ReadOnly {
		j.add(Ask, "tool.uncontained", "", tool, whole, -1)
	}
	if !p.set.knows(tool) {
		j.add(Ask, "tool.unknown", "", tool, whole, -1)
	}
	j.levels()
	return j.verdict()
}
