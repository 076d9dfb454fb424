package approval_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// E-del-1: a delegation is signed, narrower and expiring, and cannot be passed on.
func testDelegation(t *testing.T, b *bench) {
	boss, deputy, third := newKey(t, "boss"), newKey(t, "deputy"), newKey(t, "third")
	trust := trustOf(t, boss.TrustLine()+" max-risk=2")
	delegate := func(by approval.Key, change func(*approval.Delegation)) string {
		d := approval.Delegation{Public: deputy.Public(), Name: "deputy", Audience: host,
			MaxRisk: 2, WorkItems: []string{"PR-118"},
			Issued: b.Now, Expires: b.Now.Add(2 * time.Hour)}
		if change != nil {
			change(&d)
		}
		text, err := by.Delegate(d)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	n := 0
	next := func(change func(map[string]any)) approval.Envelope {
		n++
		return ask(t, b, plantest.Small(t, func(p map[string]any) {
			p["risk"], p["n"] = 2, n
			if change != nil {
				change(p)
			}
		}))
	}
	e := next(nil)
	good := delegate(boss, nil)
	s, err := approval.Verify(signed(t, deputy, e, b.Now,
		func(a *approval.Answer) { a.Delegation = good }), trust, host, b.Now)
	if err != nil || s.Person != "boss" || !strings.HasSuffix(s.Signer, "deputy for boss") {
		t.Fatalf("%+v, %v", s, err)
	}
	if _, err := b.DecideSigned(ctx, s); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		signer approval.Key
		cert   string
		change func(*approval.Answer)
		at     time.Duration
		want   error
	}{
		"wider than the delegator": {deputy,
			delegate(boss, func(d *approval.Delegation) { d.MaxRisk = 3 }), nil, 0,
			approval.ErrScope},
		"by nobody": {deputy, delegate(third, nil), nil, 0, approval.ErrUntrusted},
		"passed on": {third,
			delegate(deputy, func(d *approval.Delegation) {
				d.Public, d.Name = third.Public(), "third"
			}), nil, 0, approval.ErrUntrusted},
		"used by another": {third, good, nil, 0, approval.ErrUntrusted},
		"over":            {deputy, good, nil, 2 * time.Hour, approval.ErrExpired},
		"longer than it lasts": {deputy,
			delegate(boss, func(d *approval.Delegation) { d.Expires = b.Now.Add(time.Minute) }),
			nil, 0, approval.ErrScope},
		"for another machine": {deputy,
			delegate(boss, func(d *approval.Delegation) { d.Audience = "x" }), nil, 0,
			approval.ErrAudience},
		"a standing approval": {deputy, good,
			func(a *approval.Answer) { a.Scope = approval.Scope{Uses: 2} }, 0, approval.ErrScope},
		"changed": {deputy, good[:20] + "x" + good[21:], nil, 0,
			approval.ErrMalformed},
		"cut": {deputy, good[:len(good)-4], nil, 0, approval.ErrTruncated},
	} {
		token := signed(t, c.signer, e, b.Now, func(a *approval.Answer) {
			a.Delegation = c.cert
			if c.change != nil {
				c.change(a)
			}
		})
		if _, err := approval.Verify(token, trust, host, b.Now.Add(c.at)); !errors.Is(err,
			c.want) && !(c.want == approval.ErrMalformed && errors.Is(err, approval.ErrSignature)) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	// Within the delegation, but beyond what it is for.
	for name, change := range map[string]func(map[string]any){
		"another work item": func(p map[string]any) { p["work_item_id"] = "PR-119" },
		"a higher risk":     func(p map[string]any) { p["risk"] = 3 },
	} {
		e := next(change)
		s, err := approval.Verify(signed(t, deputy, e, b.Now,
			func(a *approval.Answer) { a.Delegation = good }), trust, host, b.Now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := b.DecideSigned(ctx, s); !errors.Is(err, approval.ErrScope) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := boss.Delegate(approval.Delegation{Public: boss.Public(), Name: "boss",
		Issued: b.Now, Expires: b.Now.Add(time.Hour)}); err == nil {
		t.Error("delegated to oneself")
	}
}

// E-quo-1: as many different people, not counting the requester; one denial denies.
func testQuorum(t *testing.T, b *bench) {
	const yes2, no1, part = "yes", "no", "part"
	type vote struct {
		person, says string
		want         error
	}
	for i, c := range []struct {
		name  string
		votes []vote
		state approval.State
		calls []bool // nil: no permit
	}{
		{"two of two", []vote{{"ann", yes2, nil}, {"ben", yes2, nil}}, approval.Consumed,
			[]bool{true, true}},
		{"one is not enough", []vote{{"ann", yes2, nil}}, approval.Pending, nil},
		{"the same twice", []vote{{"ann", yes2, nil}, {"ann", yes2, approval.ErrVoted}},
			approval.Pending, nil},
		{"the requester", []vote{{"ann", yes2, nil}, {"req", yes2, approval.ErrSelf}},
			approval.Pending, nil},
		{"one no", []vote{{"ann", yes2, nil}, {"ben", no1, nil}}, approval.Rejected, nil},
		{"no at once", []vote{{"ann", no1, nil}, {"ben", yes2, approval.ErrDenied}},
			approval.Rejected, nil},
		{"the requester may say no", []vote{{"req", no1, nil}}, approval.Rejected, nil},
		{"one call denied", []vote{{"ann", part, nil}, {"ben", yes2, nil}}, approval.Consumed,
			[]bool{true, false}},
		{"a third is too late", []vote{{"ann", yes2, nil}, {"ben", yes2, nil},
			{"cat", no1, approval.ErrDecided}}, approval.Consumed, []bool{true, true}},
	} {
		e, _, err := b.Request(ctx, approval.Request{Session: "s1", Quorum: 2, Requester: "req",
			Payload: plantest.Small(t, func(p map[string]any) { p["n"] = i }, "c1", "c2")})
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range c.votes {
			d := yes(e)
			d.Person, d.Approver = v.person, v.person+"'s key"
			d.Calls[0].Approved, d.Calls[1].Approved = v.says != no1, v.says == yes2
			_, err := b.Decide(ctx, d)
			if !errors.Is(err, v.want) || (err == nil) != (v.want == nil) {
				t.Errorf("%s: %s says %s: %v", c.name, v.person, v.says, err)
			}
		}
		p, err := b.Consume(ctx, claim(e))
		if (err == nil) != (c.calls != nil) || b.state(e.ID) != c.state {
			t.Errorf("%s: %v, %s", c.name, err, b.state(e.ID))
		}
		for j, approved := range c.calls {
			if p.Calls[j].Approved != approved {
				t.Errorf("%s: call %d is %v", c.name, j, p.Calls[j].Approved)
			}
		}
		if c.state == approval.Pending {
			if now, err := b.Get(ctx, e.ID); err != nil || now.Votes != 1 || now.Approved() ||
				now.Quorum != 2 {
				t.Errorf("%s: %+v, %v", c.name, now, err)
			}
			if _, err := b.Cancel(ctx, e.ID, ""); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, _, err := b.Request(ctx,
		approval.Request{Session: "s1", Quorum: 17, Payload: plantest.Small(t, nil)}); err == nil {
		t.Error("a quorum that nobody can bring together")
	}
	// Asked of one person first, then of two: the first question does not answer the second.
	p := plantest.Small(t, func(p map[string]any) { p["n"] = "stricter" })
	one := ask(t, b, p)
	decide(t, b, yes(one))
	two, created, err := b.Request(ctx, approval.Request{Session: "s1", Quorum: 2, Payload: p})
	if err != nil || !created || two.ID == one.ID || two.Approved() {
		t.Errorf("%+v, %v, %v", two, created, err)
	}
	_, err = b.Consume(ctx, claim(two))
	wantRefusal(t, err, approval.ErrPending, "")
	// A key and its delegate are one person.
	boss, deputy := newKey(t, "boss"), newKey(t, "deputy")
	cert, err := boss.Delegate(approval.Delegation{Public: deputy.Public(), Name: "deputy",
		Audience: host, MaxRisk: 3, Issued: b.Now, Expires: b.Now.Add(2 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	e, _, err := b.Request(ctx, approval.Request{Session: "s1", Quorum: 2,
		Payload: plantest.Small(t, func(p map[string]any) { p["n"] = "d" })})
	if err != nil {
		t.Fatal(err)
	}
	for i, token := range [][]byte{
		signed(t, boss, e, b.Now, nil),
		signed(t, deputy, e, b.Now, func(a *approval.Answer) { a.Delegation = string(cert) }),
	} {
		s, err := approval.Verify(token, trustOf(t, boss.TrustLine()), host, b.Now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = b.DecideSigned(ctx, s); i == 1 && !errors.Is(err, approval.ErrVoted) ||
			i == 0 && err != nil {
			t.Errorf("vote %d: %v", i, err)
		}
	}
}
