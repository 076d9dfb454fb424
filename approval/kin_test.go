package approval_test

import (
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// E-deny-3: a question near-identical to one that was denied a while ago is asked, and says so; the
// identical one is not asked.
func testKin(t *testing.T, b *bench) {
	first := b.numbered(1)
	if first.Kin == "" || first.Refused != "" {
		t.Errorf("kin %q, after %q: nothing was denied yet", first.Kin, first.Refused)
	}
	b.advance(time.Millisecond)
	early := b.numbered(2)
	b.advance(time.Millisecond)
	decide(t, b, no(first, "not on a Friday"))
	if now, err := b.Get(ctx, early.ID); err != nil || now.Refused != "" {
		t.Errorf("what was asked before the denial comes after %q, %v", now.Refused, err)
	}
	late := b.numbered(3)
	if late.Kin != first.Kin || late.Refused != first.ID {
		t.Errorf("kin %q and %q, after %q", late.Kin, first.Kin, late.Refused)
	}
	list, err := b.Pending(ctx)
	if open := approval.Grouped(list); err != nil || len(open) != 2 || open[0].ID != early.ID ||
		open[1].ID != late.ID {
		t.Errorf("%v, %v", open, err)
	}
	for name, change := range map[string]func(map[string]any){
		"agent":     func(p map[string]any) { p["agent_name"] = "another" },
		"work item": func(p map[string]any) { p["work_item_id"] = "another" },
		"directory": func(p map[string]any) { p["context"] = map[string]any{"cwd": "/elsewhere"} },
		"risk":      func(p map[string]any) { p["risk"] = 2 },
		"rules": func(p map[string]any) {
			p["reasons"] = []any{map[string]any{"rule": "git.force-push", "verdict": "ask"}}
		},
		"tool": func(p map[string]any) {
			p["tool_calls"] = []any{map[string]any{"tool_call_id": "c1", "tool_name": "tool:Edit",
				"args": map[string]any{}}}
		},
	} {
		if e := ask(t, b, plantest.Small(t, change)); e.Kin == first.Kin || e.Refused != "" {
			t.Errorf("another %s counts as near-identical: after %q", name, e.Refused)
		}
	}
	b.advance(10 * time.Minute)
	if e := b.numbered(4); e.Refused != "" {
		t.Errorf("after the cool-off it still comes after %q", e.Refused)
	}
}

// E-deny-3: near-identical questions are listed together, with no riskier one below them; a
// question without others like it is alone.
func TestGrouped(t *testing.T) {
	t.Parallel()
	at := time.Unix(1000, 0)
	e := func(id, kin string, risk int, after time.Duration) approval.Envelope {
		return approval.Envelope{ID: id, Kin: kin, Risk: risk, Issued: at.Add(after)}
	}
	list := []approval.Envelope{e("a", "x", 1, 0), e("b", "", 1, 1), e("c", "y", 2, 5),
		e("d", "x", 1, 9), e("f", "", 1, 1), e("g", "y", 2, 4)}
	got := ""
	for _, e := range approval.Grouped(list) {
		got += e.ID
	}
	if want := "gcadbf"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
