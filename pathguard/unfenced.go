package pathguard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"sync"

	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/resolve"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// judgeUnfenced is [Policy.Judge] for a plan that will be carried out without a sandbox. Files that
// the sandbox would have hidden from a search through a whole tree are a question here, and so is a
// list of all names if some are in a restricted path. It reads the disk for the names that exist.
func (p Policy) judgeUnfenced(plan *resolve.Plan) Verdict {
	v := p.Judge(plan)
	if v.Decision != Allow {
		return v
	}
	j := judgement{p: &p, plan: plan, script: plan.Script, homes: p.homes}
	hidden := sync.OnceValue(func() []string {
		return plan.HiddenBy(p.hiding(), func() []string { return p.swept(plan) })
	})
	for i := range plan.Targets {
		t := &plan.Targets[i]
		if !searched(t) {
			continue
		}
		for _, name := range hidden() {
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

// searched reports whether a target is a tree whose files are all read, or all listed.
func searched(t *resolve.Target) bool {
	return t.Right == command.Read && t.Flags&command.Recursive != 0
}

// swept are the names that a sandbox would hide from the searches of a plan.
func (p Policy) swept(plan *resolve.Plan) []string {
	return slices.DeleteFunc(p.Fence(plan).Hide, func(name string) bool {
		return !slices.ContainsFunc(plan.Targets, func(t resolve.Target) bool {
			return searched(&t) && pathname.Within(name, t.Path())
		})
	})
}

// hiding is a digest of the settings by which a sandbox hides names: policies with the same one
// hide the same.
func (p Policy) hiding() string {
	rules := fmt.Appendf(nil, "%q %q", p.set.RestrictedPaths, p.set.ReadOnlyPaths)
	for _, r := range p.set.Paths {
		if r.Verdict == Deny {
			rules = fmt.Appendf(rules, " %q %d", r.Path, r.Rights)
		}
	}
	sum := sha256.Sum256(rules)
	return hex.EncodeToString(sum[:8])
}

// JudgeCall is [Policy.Judge] for a plan of a command, and of a call of an agent's own tool what is
// right for that.
func (p Policy) JudgeCall(plan *resolve.Plan, c resolve.Call) Verdict {
	switch {
	case c.Unknown:
		return p.judgeTool(plan, c.Tool)
	case c.Own:
		return p.judgeUnfenced(plan)
	}
	return p.Judge(plan)
}

// judgeTool is judgeUnfenced for an unknown tool: the names in its arguments are judged as
// usual, the tool itself is a question unless the configuration names it, and so is every command
// that is not known to change nothing, because there is no sandbox around it and nothing is stored
// to undo it with.
func (p Policy) judgeTool(plan *resolve.Plan, tool string) Verdict {
	v := p.judgeUnfenced(plan)
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
