package approval_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// lintPlan is a plan that can be granted.
func lintPlan(command string) map[string]any {
	p := plantest.Full(command)
	p["risk"], p["opaque"], p["hazards"], p["agent_says"] = 1, []any{}, []any{}, "please"
	p["effects"] = map[string]any{"write": []any{"/home/dg/proj/out"},
		"delete": []any{"/home/dg/proj/build/x"}, "net": []any{}, "read": []any{},
		"exec": []any{"/usr/bin/npm"}}
	p["reasons"] = []any{map[string]any{"rule": "level.always", "verdict": "ask",
		"message": "asked always", "span": []any{0, 3}}}
	p["tool_calls"] = []any{map[string]any{"tool_call_id": "c1", "tool_name": "shell",
		"args": map[string]any{"command": command, "canonical": command + "\n", "stdin": "null"}}}
	return p
}

// granted asks, approves and grants.
func granted(b *bench, plan map[string]any, r approval.GrantRequest) approval.Grant {
	b.Helper()
	e := ask(b, b.Store, plantest.Bytes(b, plan))
	decide(b, b.Store, yes(e))
	r.Envelope, r.PlanHash, r.Approver, r.Channel = e.ID, e.PlanHash, "me", "tty"
	g, events, err := b.Grant(ctx, r)
	if err != nil || len(events) == 0 || events[len(events)-1].Kind != approval.KindGranted ||
		events[len(events)-1].Grant != g.ID {
		b.Fatalf("%+v, %v", events, err)
	}
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		b.Fatal(err)
	}
	return g
}

func (b *bench) use(plan map[string]any) (approval.Grant, error) {
	g, _, err := b.UseGrant(ctx, "s1", plantest.Bytes(b, plan))
	return g, err
}

// A grant covers its plan, five times, for an hour; anything else asks.
func testGrant(t *testing.T, b *bench) {
	full := lintPlan("npm run lint --color=never")
	g := granted(b, full, approval.GrantRequest{})
	if g.Uses != 5 || g.Expires.Sub(g.Issued) != time.Hour || !uuid4.MatchString(g.ID) ||
		g.Session != "s1" || g.WorkItem != "PR-118" {
		t.Fatalf("%+v", g)
	}
	plantest.Mutants(full, func(way string, x any) {
		m, ok := x.(map[string]any)
		if _, err := plan.Template(plantest.Bytes(t, x)); !ok || err != nil {
			return // no full at all
		}
		if strings.HasPrefix(way, ".agent_says") || strings.HasSuffix(way, "tool_call_id +") {
			return // the same full, in other words or as another attempt
		}
		if _, err := b.use(m); !errors.Is(err, approval.ErrNoGrant) {
			t.Errorf("plan%s changed is still covered: %v", way, err)
		}
	})
	exec := lintPlan("npm run lint --color=never")
	// which might have a grant for itself
	exec["tool_calls"].([]any)[0].(map[string]any)["tool_name"] = "exec"
	if _, err := b.use(exec); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("another tool: %v", err)
	}
	if _, _, err := b.UseGrant(ctx, "s2", plantest.Bytes(t, full)); !errors.Is(err,
		approval.ErrNoGrant) {
		t.Errorf("another session: %v", err)
	}
	b.advance(19 * time.Minute)
	again := maps.Clone(full)
	again["agent_says"] = "once more"
	for i := 1; i <= 5; i++ {
		g, err := b.use(again)
		if err != nil || g.Used != i {
			t.Fatalf("use %d: %+v, %v", i, g, err)
		}
		if i == 2 && g.Authority(b.Now) != "allowed by grant "+g.ID+", 2/5, 41 min left" {
			t.Errorf("authority %q", g.Authority(b.Now))
		}
		if list, err := b.Grants(ctx); err != nil || len(list) != min(1, 5-i) {
			t.Errorf("after use %d: %v, %v", i, list, err)
		}
	}
	if _, err := b.use(full); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("the sixth use: %v", err)
	}
	events, err := b.Unlogged(ctx)
	uses := slices.DeleteFunc(events,
		func(e approval.Event) bool { return e.Kind != approval.KindGrantUsed })
	if err != nil || len(uses) != 5 || uses[4].Grant != g.ID ||
		!strings.Contains(uses[4].Reason, "5/5") {
		t.Errorf("each use must be told: %+v, %v", uses, err)
	}

	// Both clocks; the limit itself is too late.
	granted(b, full, approval.GrantRequest{For: 12 * time.Hour, Uses: 100})
	b.Now, b.Boot = b.Now.Add(-13*time.Hour), b.Boot+12*time.Hour
	if _, err := b.use(full); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("the wall clock set back: %v", err)
	}
	b.Now, b.Boot = b.Now.Add(13*time.Hour+12*time.Hour-time.Nanosecond), b.Boot-time.Nanosecond
	if _, err := b.use(full); err != nil {
		t.Errorf("one nanosecond before the end: %v", err)
	}
	b.advance(time.Nanosecond)
	if _, err := b.use(full); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("at the end: %v", err)
	}
	b.advance(8 * 24 * time.Hour)
	b.prune()

	// Concurrent uses are counted one by one.
	granted(b, full, approval.GrantRequest{Uses: 3})
	var wg sync.WaitGroup
	var mu sync.Mutex
	n := 0
	for range 10 {
		wg.Go(func() {
			if _, err := b.use(full); err == nil {
				mu.Lock()
				n++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if n != 3 {
		t.Errorf("%d uses of 3", n)
	}
}

// A denial, in whole or in part, tampering, or a person ends a grant.
func testGrantEnds(t *testing.T, b *bench) {
	plan := lintPlan("npm run lint")
	for name, end := range map[string]func(g approval.Grant){
		"denied": func(approval.Grant) { decide(t, b, no(b.numbered("denied"), "")) },
		"denied in part": func(approval.Grant) {
			e := b.numbered("part", "a", "b")
			d := yes(e)
			d.Calls[1].Approved = false
			decide(t, b, d)
		},
		"suspended": func(approval.Grant) {
			if ev, err := b.Suspend(ctx, "s1", "tampering"); err != nil || len(ev) != 1 ||
				ev[0].Kind != approval.KindGrantSuspended {
				t.Errorf("%+v, %v", ev, err)
			}
		},
		"revoked": func(g approval.Grant) {
			if ev, err := b.Revoke(ctx, g.ID, "enough"); err != nil || len(ev) != 1 ||
				ev[0].Kind != approval.KindGrantRevoked || ev[0].Reason != "enough" {
				t.Errorf("%+v, %v", ev, err)
			}
			if _, err := b.Revoke(ctx, g.ID, ""); !errors.Is(err, approval.ErrNoGrant) {
				t.Errorf("revoked twice: %v", err)
			}
		},
	} {
		g := granted(b, plan, approval.GrantRequest{})
		if _, err := b.use(plan); err != nil {
			t.Fatalf("%s: before: %v", name, err)
		}
		if _, err := b.Suspend(ctx, "another", ""); err != nil {
			t.Fatal(err)
		}
		if _, err := b.use(plan); err != nil {
			t.Fatalf("%s: another session's end: %v", name, err)
		}
		end(g)
		if _, err := b.use(plan); !errors.Is(err, approval.ErrNoGrant) {
			t.Errorf("%s: %v", name, err)
		}
		if list, err := b.Grants(ctx); err != nil || len(list) != 0 {
			t.Errorf("%s: %v, %v", name, list, err)
		}
	}
}

// sessionPlan is what the session of an agent opens.
func sessionPlan(host string) map[string]any {
	p := lintPlan("agent")
	p["effects"] = map[string]any{"write": []any{"/home/dg/.local/state/agent"}, "net": []any{host}}
	p["tool_calls"] = []any{map[string]any{"tool_call_id": "c1", "tool_name": plan.SessionTool,
		"args": map[string]any{"agent": "agent"}}}
	return p
}

// A grant for what a session opens does not expire, and there is only one: the next one replaces
// it.
func testGrantLasts(t *testing.T, b *bench) {
	first, second := sessionPlan("api.test"), sessionPlan("other.test")
	g := granted(b, first, approval.GrantRequest{Uses: 2})
	for i := range 9 {
		b.advance(99 * 24 * time.Hour)
		b.prune()
		if g, err := b.use(first); err != nil || g.Used != i+1 ||
			!strings.Contains(g.Authority(b.Now), "tadactl grants revoke "+g.ID) {
			t.Fatalf("use %d: %+v, %v", i, g, err)
		}
	}
	if _, err := b.use(second); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("another host: %v", err)
	}
	if _, _, err := b.UseGrant(ctx, "s2", plantest.Bytes(b, first)); !errors.Is(err,
		approval.ErrNoGrant) {
		t.Errorf("another session: %v", err)
	}
	granted(b, second, approval.GrantRequest{})
	if _, err := b.use(first); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("the old one stands beside the new one: %v", err)
	}
	list, err := b.Grants(ctx)
	if err != nil || len(list) != 1 || list[0].ID == g.ID || !list[0].Lasting {
		t.Fatalf("%+v, %v", list, err)
	}
	if _, err := b.Revoke(ctx, list[0].ID, "enough"); err != nil {
		t.Fatal(err)
	}
	if _, err := b.use(second); !errors.Is(err, approval.ErrNoGrant) {
		t.Errorf("after it was revoked: %v", err)
	}
	b.advance(99 * 24 * time.Hour)
	b.prune()
}

func testGrantRefused(t *testing.T, b *bench) {
	e := ask(t, b, plantest.Bytes(t, lintPlan("npm run lint")))
	r := approval.GrantRequest{Envelope: e.ID, PlanHash: e.PlanHash}
	if _, _, err := b.Grant(ctx, r); !errors.Is(err, approval.ErrPending) {
		t.Errorf("before the yes: %v", err)
	}
	decide(t, b, yes(e))
	r.PlanHash = e.PlanHash[:12]
	if _, _, err := b.Grant(ctx, r); !errors.Is(err, approval.ErrMismatch) {
		t.Errorf("another plan: %v", err)
	}
	for _, bad := range []approval.GrantRequest{{For: 12*time.Hour + 1}, {For: -1}, {Uses: 101},
		{Uses: -1}} {
		bad.Envelope, bad.PlanHash = e.ID, e.PlanHash
		var config *approval.ConfigError
		if _, _, err := b.Grant(ctx, bad); !errors.As(err, &config) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		t.Fatal(err)
	}
	r.PlanHash = e.PlanHash
	if _, _, err := b.Grant(ctx, r); !errors.Is(err, approval.ErrReplayed) {
		t.Errorf("after the use: %v", err)
	}
	plan := lintPlan("npm run lint")
	plan["risk"] = 2
	e = ask(t, b, plantest.Bytes(t, plan))
	decide(t, b, yes(e))
	_, _, err := b.Grant(ctx, approval.GrantRequest{Envelope: e.ID, PlanHash: e.PlanHash})
	if r := wantRefusal(t, err, approval.ErrNotGrantable,
		approval.OutcomeDenied); !strings.Contains(r.Message, "risk") {
		t.Errorf("message %q", r.Message)
	}
	if list, err := b.Grants(ctx); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}

// E-std-2, E-std-3: each class that must be asked every time, and ordinary commands that can be
// granted.
func TestGrantable(t *testing.T) {
	for _, command := range []string{"npm run lint", "make -j4 all", "rm -rf build",
		"ls --color=always | wc -l", "cp 'a b' c && mv c d"} {
		if why := approval.Grantable(plantest.Bytes(t, lintPlan(command))); len(why) != 0 {
			t.Errorf("%s: %v", command, why)
		}
	}
	for _, command := range []string{
		"flock l sh -c x", "time -p x", "sh -lc x", "bash x", "/bin/sh x", "zsh x", `\sh x`,
		"busybox x", "python3 -c x", "python3.11 x", "node -e x", "perl -e x", "awk x",
		"env A=1 x", "sudo x", "xargs rm", "ls | xargs rm", "nohup x", "timeout 5 x",
		"find . -delete", "ssh host x", "A=1 x", "PATH=/tmp x", "echo $(x)", "echo `x`", "echo $x",
		"r\\m x",
		"eval x", "source x", "npm publish", "npm install", "pip install x", "git push --force",
		"make install", "curl x", "docker run x", "tadactl approve x", "(sh)", "x;sh", "x&&sh",
		"x|sh", "\"sh\" x", "",
	} {
		if len(approval.Grantable(plantest.Bytes(t, lintPlan(command)))) == 0 {
			t.Errorf("%q may be granted", command)
		}
	}
	for name, change := range map[string]func(p map[string]any){
		"risk":            func(p map[string]any) { p["risk"] = 2 },
		"no risk":         func(p map[string]any) { delete(p, "risk") },
		"uninspectable":   func(p map[string]any) { p["opaque"] = []any{"x"} },
		"hazard":          func(p map[string]any) { p["hazards"] = []any{map[string]any{"rule": "git.force-push"}} },
		"network":         func(p map[string]any) { p["effects"].(map[string]any)["net"] = []any{"x"} },
		"delete outside":  func(p map[string]any) { p["effects"].(map[string]any)["delete"] = []any{"/home/dg/other"} },
		"delete the root": func(p map[string]any) { p["effects"].(map[string]any)["delete"] = []any{"/home/dg/proj"} },
		"delete upwards":  func(p map[string]any) { p["effects"].(map[string]any)["delete"] = []any{"/home/dg/proj/../x"} },
		"no workspace":    func(p map[string]any) { delete(p, "workspace_root") },
		"no effects":      func(p map[string]any) { delete(p, "effects") },
		"secret":          func(p map[string]any) { p["reasons"] = []any{map[string]any{"rule": "read.secret"}} },
		"protected":       func(p map[string]any) { p["reasons"] = []any{map[string]any{"rule": "path.state"}} },
		"policy":          func(p map[string]any) { p["reasons"] = []any{map[string]any{"rule": "policy.write"}} },
		"tampered":        func(p map[string]any) { p["reasons"] = []any{map[string]any{"rule": "tamper.accept"}} },
		"several calls": func(p map[string]any) {
			call, _ := p["tool_calls"].([]any)[0].(map[string]any)
			other := maps.Clone(call)
			other["tool_call_id"] = "c2"
			p["tool_calls"] = []any{call, other}
		},
		"nameless reason": func(p map[string]any) { p["reasons"] = []any{"x"} },
		"marked Unicode":  func(p map[string]any) { p["x"] = "l\u0455" },
		"tamper accept":   func(p map[string]any) { p["tool_calls"].([]any)[0].(map[string]any)["tool_name"] = "accept_tamper" },
		"takeover":        func(p map[string]any) { p["tool_calls"].([]any)[0].(map[string]any)["tool_name"] = "takeover" },
		"no arguments":    func(p map[string]any) { delete(p["tool_calls"].([]any)[0].(map[string]any), "args") },
		"argv": func(p map[string]any) {
			p["tool_calls"].([]any)[0].(map[string]any)["args"].(map[string]any)["argv"] = []any{"sh", "-c"}
		},
	} {
		p := lintPlan("npm run lint")
		change(p)
		if len(approval.Grantable(plantest.Bytes(t, p))) == 0 {
			t.Errorf("%s: may be granted", name)
		}
	}
	if why := approval.Grantable(plantest.Bytes(t, sessionPlan("api.test"))); len(why) != 0 {
		t.Errorf("what a session opens: %v", why)
	}
	for name, change := range map[string]func(p map[string]any){
		"risk":           func(p map[string]any) { p["risk"] = 2 },
		"quarantined":    func(p map[string]any) { p["trust"] = "quarantined" },
		"marked Unicode": func(p map[string]any) { p["x"] = "l\u0455" },
		"no workspace":   func(p map[string]any) { delete(p, "workspace_root") },
		"secret":         func(p map[string]any) { p["reasons"] = []any{map[string]any{"rule": "read.secret"}} },
		"two calls": func(p map[string]any) {
			p["tool_calls"] = append(p["tool_calls"].([]any),
				map[string]any{"tool_call_id": "c2", "tool_name": "shell",
					"args": map[string]any{"command": "ls"}})
		},
		"a hook's tool": func(p map[string]any) { p["tool_calls"].([]any)[0].(map[string]any)["tool_name"] = "tool:session" },
	} {
		p := sessionPlan("api.test")
		if change(p); len(approval.Grantable(plantest.Bytes(t, p))) == 0 {
			t.Errorf("what a session opens, %s: may be granted", name)
		}
	}
	if len(approval.Grantable([]byte("{"))) == 0 {
		t.Error("bytes that are no plan may be granted")
	}
}
