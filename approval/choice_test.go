package approval_test

import (
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// pushPlan is a question that offers two choices.
func pushPlan(branch string) map[string]any {
	p := lintPlan("git push origin feature/" + branch)
	p["risk"] = 2
	p["effects"] = map[string]any{"net": []any{"host.test"}, "exec": []any{"/usr/bin/git"}}
	p["reasons"] = []any{map[string]any{"rule": "net.upload", "verdict": "ask", "message": "sends"}}
	choice := func(word, most string) map[string]any {
		return map[string]any{"dir": "/w", "program": "/usr/bin/git", "rule": "net.upload",
			"words": []any{"push", "origin", word}, "asks": []any{"sends"}, "at_most": most}
	}
	p["lasting"] = []any{choice("feature/"+branch, "the same"), choice("feature/*", "any name")}
	return p
}

// useChoice uses the grant of a choice of a plan, in whatever session.
func (b *bench) useChoice(p map[string]any, n int) (approval.Grant, error) {
	b.Helper()
	chosen, err := plan.Choose(plantest.Bytes(b, p), n)
	if err != nil {
		return approval.Grant{}, err
	}
	g, _, err := b.UseGrant(ctx, approval.AnySession, chosen)
	return g, err
}

// E-std-2, E-std-4: a choice covers every plan that offers the same in that workspace, until it is
// revoked, and nothing else.
func testChoice(t *testing.T, b *bench) {
	first := pushPlan("a")
	g := granted(b, first, approval.GrantRequest{Choice: 2})
	if !g.Lasting || g.Session != approval.AnySession {
		t.Fatalf("%+v", g)
	}
	if c, ok := plan.Chosen(g.Payload); !ok || c.Text() != "git push origin feature/*" {
		t.Errorf("%+v", c)
	}
	b.advance(1000 * time.Hour)
	for i := 1; i <= 120; i++ {
		if used, err := b.useChoice(pushPlan("b"), 2); err != nil || used.ID != g.ID ||
			used.Used != i {
			t.Fatalf("use %d: %+v, %v", i, used, err)
		}
	}
	// what it is told with binds nothing
	worded := pushPlan("b")
	worded["lasting"].([]any)[1].(map[string]any)["at_most"] = "in other words"
	if _, err := b.useChoice(worded, 2); err != nil {
		t.Error(err)
	}
	if _, err := b.useChoice(pushPlan("a"), 1); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("the other choice: %v", err)
	}
	for _, member := range []string{"dir", "program", "rule", "words", "asks"} {
		other := pushPlan("b")
		other["lasting"].([]any)[1].(map[string]any)[member] = "another"
		if _, err := b.useChoice(other, 2); !errors.Is(err, approval.ErrNoGrant) {
			t.Errorf("another %s: %v", member, err)
		}
	}
	elsewhere := maps.Clone(pushPlan("b"))
	elsewhere["workspace_root"] = "/home/dg/other"
	if _, err := b.useChoice(elsewhere, 2); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("another workspace: %v", err)
	}
	if _, err := b.Suspend(ctx, "s1", "a denial"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.useChoice(pushPlan("c"), 2); err != nil {
		t.Errorf("after a denial in a session: %v", err)
	}
	// Given again, it replaces itself and nothing else.
	exact := granted(b, pushPlan("x"), approval.GrantRequest{Choice: 1})
	granted(b, pushPlan("y"), approval.GrantRequest{Choice: 2})
	list, err := b.Grants(ctx)
	if err != nil || len(list) != 2 || !slices.ContainsFunc(list,
		func(g approval.Grant) bool { return g.ID == exact.ID }) {
		t.Errorf("%+v, %v", list, err)
	}
	for _, g := range list {
		if _, err := b.Revoke(ctx, g.ID, "me"); err != nil {
			t.Error(err)
		}
	}
	if _, err := b.useChoice(pushPlan("b"), 2); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("revoked: %v", err)
	}
}

// E-std-2: a choice that a plan does not offer, or that its plan may not have, is no grant.
func testChoiceRefused(t *testing.T, b *bench) {
	for what, c := range map[string]struct {
		change func(p map[string]any)
		choice int
	}{
		"no such choice":  {func(map[string]any) {}, 3},
		"below one":       {func(map[string]any) {}, -1},
		"nothing offered": {func(p map[string]any) { delete(p, "lasting") }, 1},
		"no program": {func(p map[string]any) {
			delete(p["lasting"].([]any)[0].(map[string]any), "program")
		}, 1},
		"risk 3":       {func(p map[string]any) { p["risk"] = 3 }, 1},
		"quarantine":   {func(p map[string]any) { p["trust"] = "quarantined" }, 1},
		"opaque":       {func(p map[string]any) { p["opaque"] = []any{"x"} }, 1},
		"no workspace": {func(p map[string]any) { delete(p, "workspace_root") }, 1},
		"a secret": {func(p map[string]any) {
			p["reasons"] = append(p["reasons"].([]any), map[string]any{"rule": "read.secret"})
		}, 1},
		"a listener": {func(p map[string]any) {
			p["reasons"] = append(p["reasons"].([]any), map[string]any{"rule": "net.listen"})
		}, 1},
		"a protected file": {func(p map[string]any) {
			p["reasons"] = append(p["reasons"].([]any), map[string]any{"rule": "path.protected"})
		}, 1},
		"deletes elsewhere": {func(p map[string]any) {
			p["effects"].(map[string]any)["delete"] = []any{"/srv/x"}
		}, 1},
	} {
		p := pushPlan("a")
		c.change(p)
		e := ask(b, b.Store, plantest.Bytes(b, p))
		r := approval.GrantRequest{Envelope: e.ID, PlanHash: e.PlanHash, Choice: c.choice}
		if err := e.MayStand(yes(e), r); !errors.Is(err, approval.ErrNotGrantable) {
			t.Errorf("%s: may stand: %v", what, err)
		}
		decide(b, b.Store, yes(e))
		if _, _, err := b.Grant(ctx, r); !errors.Is(err, approval.ErrNotGrantable) {
			t.Errorf("%s: %v", what, err)
		}
		if _, err := b.Consume(ctx, claim(e)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}
