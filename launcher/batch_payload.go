package launcher

import (
	"slices"
	"strings"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/pathguard"
)

// whole is the batch as one judgement: what is shown, hashed and spent is all of it. It holds no
// file; its calls do.
func (m *batch) whole() (*Judgement, error) {
	asked := m.asked()
	if len(asked) == 0 {
		return nil, ErrBatch
	}
	first := m.Calls[0]
	w := &Judgement{policy: asked[0].policy, Request: Request{
		Agent: first.Agent, WorkItem: first.WorkItem, Profile: first.Profile, Env: first.Env,
		Dir: first.Dir, Wait: m.Wait, Ask: m.Ask,
	}}
	w.Verdict.Decision = pathguard.Ask
	for _, j := range asked {
		w.Verdict.Risk = max(w.Verdict.Risk, j.Verdict.Risk)
		w.Verdict.Reasons = append(w.Verdict.Reasons, j.Verdict.Reasons...)
	}
	payload, err := m.payload(asked, w.Verdict.Risk)
	if err != nil {
		return nil, err
	}
	w.sealed = func() sealed { return sealed{payload, plan.Hash(payload)} }
	return w, nil
}

// payload is the plan of the batch in canonical bytes: what is common to its calls once, then each
// call with its effects, and with the hash of the plan that it has alone. That binds everything
// that the calls' own plans bind. A call that policy denies is shown, but cannot be answered.
func (m *batch) payload(asked []*Judgement, risk int) ([]byte, error) {
	first := asked[0]
	trust := first.trust()
	var calls, reasons, refused []any
	for _, j := range asked {
		trust = plan.Inherit(trust, j.trust())
		calls = append(calls, j.asCall(first))
		for _, r := range j.reasons() {
			r := r.(object)
			r["tool_call_id"] = j.Request.CallID
			reasons = append(reasons, r)
		}
	}
	for _, j := range m.calls {
		if j.Verdict.Decision == pathguard.Deny {
			refused = append(refused,
				object{"tool_call_id": j.Request.CallID, "command": j.Script.Text,
					"rule": j.rules(), "plan": j.Hash()})
		}
	}
	plan := trimmed(object{
		"version":        1,
		"work_item_id":   first.Request.WorkItem,
		"agent_name":     first.agent(),
		"workspace_root": first.Plan.Workspace,
		"toolset_mode":   first.mode(),
		"tool_calls":     calls,
		"context":        first.context(),
		"reasons":        reasons,
		"refused":        refused,
		"risk":           risk,
		"trust":          trust.String(),
		"needs":          first.needs(risk),
	})
	if m.Stop {
		plan["stop"] = "at the first call that is denied"
	}
	return canonical.Append(nil, plan)
}

// rules are the names of the rules that decided.
func (j *Judgement) rules() string {
	var names []string
	for _, r := range j.Verdict.Reasons {
		if r.Decision == j.Verdict.Decision && !slices.Contains(names, r.Rule) {
			names = append(names, r.Rule)
		}
	}
	return strings.Join(names, " ")
}

// asCall is a judgement as one call of several. What it has in common with the first is left out.
func (j *Judgement) asCall(first *Judgement) object {
	call := j.toolCall()
	call["tool_call_id"] = j.Request.CallID
	call["verdict"] = j.Verdict.Decision.String()
	call["risk"] = j.Verdict.Risk
	call["effects"], call["targets"], call["opaque"] = j.effectText(), j.targets(), j.opaque()
	j.addFence(call)
	call["undo"] = j.undoBut(j.unsaid())
	call["agent_says"] = j.Plan.Caller.Intent.Hint
	call["plan"] = j.Hash()
	if j.Plan.Dir != first.Plan.Dir {
		call["cwd"] = j.Plan.Dir
	}
	if j.Plan.Workspace != first.Plan.Workspace {
		call["workspace_root"] = j.Plan.Workspace
	}
	return trimmed(call)
}
