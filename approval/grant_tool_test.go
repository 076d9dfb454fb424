package approval_test

import (
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// toolPlan is a plan that is asked about for its tool alone, with changes to it and to its only
// call.
func toolPlan(changes, call map[string]any) map[string]any {
	p := lintPlan("deploy")
	p["reasons"] = []any{map[string]any{"rule": "tool.unknown", "verdict": "ask", "message": "x",
		"span": []any{0, 6}}}
	own := map[string]any{"tool_call_id": "c1", "tool_name": "tool:deploy",
		"args": map[string]any{"command": "deploy", "canonical": "deploy", "with target": "test"}}
	for name, v := range call {
		own[name] = v
	}
	p["tool_calls"] = []any{own}
	for name, v := range changes {
		p[name] = v
	}
	return p
}

// J5: a grant for a tool binds the tool, the agent and the workspace, but not the input. As soon as
// there is another reason to ask, it covers nothing.
func TestAGrantForATool(t *testing.T) {
	template := func(p map[string]any) string {
		h, err := plan.Template(plantest.Bytes(t, p))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	given := toolPlan(nil, nil)
	if tool, ok := plan.ForTool(plantest.Bytes(t, given)); !ok || tool != "deploy" ||
		len(approval.Grantable(plantest.Bytes(t, given))) > 0 {
		t.Fatalf("%q, %v, %q", tool, ok, approval.Grantable(plantest.Bytes(t, given)))
	}
	other := map[string]any{"command": "ls", "canonical": "ls\n", "with command": "ls"}
	for name, p := range map[string]map[string]any{
		"other input":     toolPlan(nil, map[string]any{"args": other}),
		"another context": toolPlan(map[string]any{"context": map[string]any{"cwd": "/home/dg/proj/src"}, "bound": "x"}, nil),
		"files":           toolPlan(map[string]any{"effects": map[string]any{"write": []any{"/home/dg/proj/y"}}, "targets": []any{}}, nil),
	} {
		if template(p) != template(given) {
			t.Errorf("%s: the tool is another", name)
		}
	}
	reason := func(rule string) map[string]any {
		return map[string]any{"rule": rule, "verdict": "ask", "message": "x", "span": []any{0, 1}}
	}
	for name, p := range map[string]map[string]any{
		"another tool":      toolPlan(nil, map[string]any{"tool_name": "tool:deploys"}),
		"a command":         toolPlan(nil, map[string]any{"tool_name": "shell"}),
		"another agent":     toolPlan(map[string]any{"agent_name": "?other"}, nil),
		"another workspace": toolPlan(map[string]any{"workspace_root": "/home/dg/other"}, nil),
		"another mode":      toolPlan(map[string]any{"toolset_mode": "always"}, nil),
		"other work":        toolPlan(map[string]any{"work_item_id": "PR-1"}, nil),
		"another origin":    toolPlan(map[string]any{"trust": "quarantined"}, nil),
		"more risk":         toolPlan(map[string]any{"risk": 2}, nil),
		"more reasons": toolPlan(map[string]any{"reasons": []any{reason("tool.unknown"),
			reason("tool.uncontained")}}, nil),
		"another reason": toolPlan(map[string]any{"reasons": []any{reason("write.outside")}},
			nil),
		"the network": toolPlan(map[string]any{"effects": map[string]any{"net": []any{"example.com"}}}, nil),
		"opaque parts": toolPlan(map[string]any{"opaque": []any{map[string]any{"text": "$x",
			"why": "y"}}}, nil),
	} {
		if template(p) == template(given) {
			t.Errorf("%s: it is covered", name)
		}
	}
}
