package approval_test

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

// oneTimeCode implements RFC 6238 a second time, so that the test does not rely on the store.
func oneTimeCode(secret []byte, at time.Time) string {
	var msg [8]byte
	binary.BigEndian.PutUint64(msg[:], uint64(at.Unix()/30))
	mac := hmac.New(sha1.New, secret)
	mac.Write(msg[:])
	sum := mac.Sum(nil)
	n := binary.BigEndian.Uint32(sum[sum[19]&15:]) & 0x7fffffff
	return fmt.Sprintf("%06d", n%1000000)
}

// E-chan-9, E-chan-8: a one-time code opens one envelope, once.
func testTOTP(t *testing.T, b *bench) {
	n := 0
	next := func() approval.Envelope {
		n++
		return ask(t, b, plantest.Small(t, func(p map[string]any) { p["risk"], p["n"] = 3, n }))
	}
	s := b.Store
	uri, _, err := s.EnrollTOTP(ctx, approval.Enrolment{Account: "me@host"})
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "otpauth" || u.Host != "totp" ||
		u.Query().Get("issuer") != "tada-run" {
		t.Fatalf("%q, %v", uri, err)
	}
	secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(u.Query().Get("secret"))
	if err != nil || len(secret) != 20 {
		t.Fatal(len(secret), err)
	}
	with := func(e approval.Envelope, c string) error {
		d := yes(e)
		d.Code = c
		_, err := b.Decide(ctx, d)
		return err
	}
	e := next()
	if !e.Friction.Factor {
		t.Error("no factor is asked for")
	}
	wantRefusal(t, with(e, ""), approval.ErrFactor, approval.OutcomeDenied)
	wantRefusal(t, with(e, "000000x"), approval.ErrFactor, approval.OutcomeDenied)
	wantRefusal(t, with(e, oneTimeCode(secret, b.Now.Add(-2*time.Minute))), approval.ErrFactor,
		approval.OutcomeDenied)
	good := oneTimeCode(secret, b.Now)
	if err := with(e, good[:3]+" "+good[3:]); err != nil {
		t.Fatal(err)
	}
	if now, err := b.Get(ctx, e.ID); err != nil || now.Decision.Factor != "totp" {
		t.Errorf("%+v, %v", now.Decision, err)
	}
	e = next()
	wantRefusal(t, with(e, good), approval.ErrCodeUsed, approval.OutcomeDenied)
	// older than what was used
	wantRefusal(t, with(e, oneTimeCode(secret, b.Now.Add(-30*time.Second))), approval.ErrCodeUsed,
		approval.OutcomeDenied)
	b.advance(30 * time.Second)
	if err := with(e, oneTimeCode(secret, b.Now)); err != nil {
		t.Error(err)
	}
	// Guessing withdraws the question.
	e = next()
	for range 4 {
		wantRefusal(t, with(e, "12345"), approval.ErrFactor, approval.OutcomeDenied)
	}
	wantRefusal(t, with(e, "12345"), approval.ErrFactor, approval.OutcomeCancelled)
	if b.state(e.ID) != approval.Rejected {
		t.Error(b.state(e.ID))
	}
}

// E-chan-9: the holder of a new secret can answer, so setting one needs a code of the old one;
// wrong codes can only be tried slowly.
func testReplaceTOTP(t *testing.T, b *bench) {
	s := b.Store
	secretOf := func(uri string) []byte {
		u, _ := url.Parse(uri)
		secret, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(u.Query().Get("secret"))
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	by := approval.Enrolment{Account: "me", Approver: "uid 7",
		Via: approval.Via{Channel: "tadactl", Terminal: "pts/1"}}
	uri, events, err := s.EnrollTOTP(ctx, by)
	if err != nil || len(events) != 1 || events[0].Kind != approval.KindFactor ||
		events[0].Outcome != approval.OutcomeEnrolled || events[0].Via.Terminal != "pts/1" {
		t.Fatalf("%+v, %v", events, err)
	}
	secret := secretOf(uri)
	with := func(code string) approval.Enrolment { by.Old = code; return by }
	for _, code := range []string{"", "000000", "000000"} {
		b.advance(30 * time.Second)
		_, _, err := s.EnrollTOTP(ctx, with(code))
		wantRefusal(t, err, approval.ErrFactor, approval.OutcomeDenied)
		// right, and too soon after a wrong one
		_, err = s.RemoveTOTP(ctx, with(oneTimeCode(secret, b.Now)))
		wantRefusal(t, err, approval.ErrCodeUsed, approval.OutcomeDenied)
	}
	b.advance(30 * time.Second)
	used := oneTimeCode(secret, b.Now)
	if err := s.SpendTOTP(ctx, with(used)); err != nil {
		t.Fatal(err)
	}
	_, _, err = s.EnrollTOTP(ctx, with(used))
	wantRefusal(t, err, approval.ErrCodeUsed, approval.OutcomeDenied)
	b.advance(30 * time.Second)
	uri, events, err = s.EnrollTOTP(ctx, with(oneTimeCode(secret, b.Now)))
	if err != nil || len(events) != 1 || events[0].Outcome != approval.OutcomeReplaced {
		t.Fatalf("%+v, %v", events, err)
	}
	b.advance(30 * time.Second)
	_, err = s.RemoveTOTP(ctx, with(oneTimeCode(secret, b.Now)))
	wantRefusal(t, err, approval.ErrFactor, approval.OutcomeDenied)
	b.advance(30 * time.Second)
	events, err = s.RemoveTOTP(ctx, with(oneTimeCode(secretOf(uri), b.Now)))
	if has, _ := s.HasTOTP(ctx); err != nil || has || len(events) != 1 ||
		events[0].Outcome != approval.OutcomeRemoved {
		t.Fatalf("%v %+v, %v", has, events, err)
	}
}

// E-fat-3: an approval that comes before the page can be read is refused, whatever is typed; the
// question stays. After three of them, everything must be typed. The time grows with the page and
// the risk.
func testHasty(t *testing.T, b *bench) {
	page := func(n, risk, lines int) approval.Envelope {
		return ask(t, b, plantest.Small(t, func(p map[string]any) {
			p["risk"], p["n"] = risk, n
			for i := range lines {
				p[fmt.Sprint("line", i)] = i
			}
		}))
	}
	short, long, risky := page(1, 1, 0), page(2, 1, 40), page(3, 2, 0)
	if !(short.ReadingTime() < long.ReadingTime() && short.ReadingTime() < risky.ReadingTime()) {
		t.Errorf("short %v, long %v, risky %v", short.ReadingTime(), long.ReadingTime(),
			risky.ReadingTime())
	}
	for i, e := range []approval.Envelope{short, long, risky} {
		d := yes(e)
		d.Took, d.Paged = e.ReadingTime()-time.Millisecond, true
		_, err := b.Decide(ctx, d)
		wantRefusal(t, err, approval.ErrHasty, approval.OutcomeHasty)
		now, err := b.Get(ctx, e.ID)
		if err != nil || now.Decision != nil {
			t.Errorf("%+v, %v", now.Decision, err)
		}
		if want := map[bool]int{false: plan.FrictionOf(e.Risk).Challenge,
			true: 8}[i == 2]; len(now.Challenge) != want {
			t.Errorf("after %d: %q", i+1, now.Challenge)
		}
	}
	now, _ := b.Get(ctx, short.ID)
	d := yes(now)
	d.Took = now.ReadingTime()
	decide(t, b, d)
	if _, err := b.Decide(ctx, no(long, "")); err != nil { // a denial takes no time
		t.Error(err)
	}
}

// A denial by a program says nothing about a person: the brake stays.
func TestAProgramsNoLiftsNoBrake(t *testing.T) {
	t.Parallel()
	b := &bench{TB: t, backend: newBoltBackend(t), clock: newClock()}
	b.o = approval.Options{Clock: b.clock.read, Rand: rand.Reader}
	b.reopen(nil)
	for i := range 3 {
		e := ask(t, b, plantest.Small(t, func(p map[string]any) { p["n"] = i }))
		d := yes(e)
		d.Took = time.Millisecond
		_, err := b.Decide(ctx, d)
		wantRefusal(t, err, approval.ErrHasty, approval.OutcomeHasty)
	}
	e := ask(t, b, plantest.Small(t, func(p map[string]any) { p["n"] = "denied" }))
	d := no(e, "")
	d.Via.Channel = approval.ChannelAgent
	decide(t, b, d)
	if e := ask(t, b,
		plantest.Small(t, func(p map[string]any) { p["n"] = "after" })); e.Challenge == "" {
		t.Error("an agent has lifted the brake by denying")
	}
}

// E-fat-3: after three high-risk approvals within two seconds each, everything must be typed.
func testBrake(t *testing.T, b *bench) {
	n := 0
	answer := func(risk int, took time.Duration, approve bool) approval.Envelope {
		t.Helper()
		n++
		e := ask(t, b, plantest.Small(t, func(p map[string]any) { p["risk"], p["n"] = risk, n }))
		d := yes(e)
		if !approve {
			d = no(e, "")
		}
		d.Took = took
		decide(t, b, d)
		if approve {
			if _, err := b.Consume(ctx, claim(e)); err != nil {
				t.Fatal(err)
			}
		}
		return e
	}
	fast, slow := 1900*time.Millisecond, 2*time.Second
	answer(2, fast, true)
	answer(2, fast, true)
	answer(2, slow, true) // interrupts the row
	answer(2, fast, true)
	answer(2, fast, true)
	for _, took := range []time.Duration{fast, slow} {
		// a low risk neither counts nor interrupts the row
		if e := answer(1, took, true); e.Challenge != "" {
			t.Errorf("too early: %+v", e.Friction)
		}
	}
	answer(2, fast, true)
	for _, c := range []struct{ risk, length int }{{0, 4}, {1, 4}, {2, 8}, {3, 8}} {
		e := ask(t, b, plantest.Small(t,
			func(p map[string]any) { p["risk"], p["n"] = c.risk, "braked" }))
		if len(e.Challenge) != c.length || e.Friction.Challenge != c.length {
			t.Errorf("risk %d asks for %d characters", c.risk, len(e.Challenge))
		}
		d := yes(e)
		d.Challenge = ""
		_, err := b.Decide(ctx, d)
		wantRefusal(t, err, approval.ErrChallenge, approval.OutcomeDenied)
	}
	if e := answer(1, fast, true); e.Challenge == "" { // typed, and as fast as before
		t.Error("the brake is off")
	}
	if e := answer(1, slow, true); e.Challenge == "" {
		t.Error("the brake is off")
	}
	if e := answer(1, slow, true); e.Challenge != "" {
		t.Error("the brake is still on")
	}
	// A denial shows attention too.
	for range 3 {
		answer(2, fast, true)
	}
	answer(2, fast, false)
	if e := answer(1, fast, true); e.Challenge != "" {
		t.Error("the brake is still on")
	}
	events, err := b.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var turns []string
	for _, e := range events {
		if e.Kind == approval.KindBrake {
			turns = append(turns, e.Outcome)
		}
	}
	if strings.Join(turns, " ") != "on off on off" {
		t.Errorf("recorded: %v", turns)
	}
}

// E-fat-4: a canary never runs, and approving it has a consequence.
func testCanary(t *testing.T, b *bench) {
	for i, approve := range []bool{false, true} {
		plan := approval.Canary(i, "claude-code", "PR-118", "/home/me/proj")
		e, created, err := b.Request(ctx,
			approval.Request{Session: "s1", Payload: plan, Canary: true})
		if err != nil || !created {
			t.Fatal(created, err)
		}
		if page := render.Render(e.Payload, render.Options{}).Text(); strings.Contains(page,
			"canary") {
			t.Error("it says what it is")
		}
		_, err = b.Consume(ctx, claim(e))
		wantRefusal(t, err, approval.ErrPending, "")
		// An agent that asks the same while the canary is open gets a question of its own, which no
		// answer to the canary reaches.
		real, created, err := b.Request(ctx, approval.Request{Session: "s1", Payload: plan})
		if err != nil || !created || real.ID == e.ID {
			t.Errorf("asked in earnest: %v, %v", created, err)
		}
		if _, err := b.Cancel(ctx, real.ID, ""); err != nil {
			t.Fatal(err)
		}
		d := no(e, "no")
		if approve {
			d = yes(e)
		}
		_, err = b.Decide(ctx, d)
		want := map[bool]string{true: approval.OutcomeApproved,
			false: approval.OutcomeDenied}[approve]
		wantRefusal(t, err, approval.ErrCanary, want)
		_, err = b.Consume(ctx, approval.Claim{Session: "s1", Envelope: e.ID, PlanHash: e.PlanHash})
		wantRefusal(t, err, approval.ErrDenied, approval.OutcomeDenied)
		next := b.numbered(i)
		if (next.Challenge != "") != approve {
			t.Errorf("approved %v: the next asks for %q", approve, next.Challenge)
		}
		// A real plan with the same words is asked: the canary leaves no cool-off behind.
		if real, created, err := b.Request(ctx,
			approval.Request{Session: "s2", Payload: plan}); err != nil || !created ||
			real.ID == e.ID {
			t.Errorf("%v, %v", created, err)
		}
	}
	events, err := b.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	s := approval.Summarize(slices.Values(events))
	if s.Canaries != 2 || s.Fooled != 1 || s.Approved != 0 || s.Denied != 0 || s.Brakes != 1 {
		t.Errorf("%+v", s)
	}
	// A canary that is not answered is also reported as one: there is no other entry about it.
	e, _, err := b.Request(ctx, approval.Request{Session: "s3",
		Payload: approval.Canary(2, "claude-code", "PR-118", "/home/me/proj"), Canary: true})
	if err != nil {
		t.Fatal(err)
	}
	b.advance(24 * time.Hour)
	if _, err := b.Pending(ctx); err != nil {
		t.Fatal(err)
	}
	if events, err = b.Unlogged(ctx); err != nil {
		t.Fatal(err)
	}
	for _, ev := range events {
		if ev.Envelope == e.ID && (ev.Kind != approval.KindCanary ||
			ev.Outcome != approval.OutcomeExpired) {
			t.Errorf("%+v", ev)
		}
	}
	if b.state(e.ID) != approval.Expired {
		t.Errorf("state %v", b.state(e.ID))
	}
}

// B-R5.2a: a page that was cut cannot be approved until it was paged through.
func testPaging(t *testing.T, b *bench) {
	e := ask(t, b, plantest.Small(t,
		func(p map[string]any) { p["extra"] = strings.Repeat("long ", 1000) }))
	_, err := b.Decide(ctx, yes(e))
	wantRefusal(t, err, approval.ErrUnread, approval.OutcomeDenied)
	page := render.Render(e.Payload, render.Options{Full: true})
	r := render.NewReading(len(page.Lines))
	r.Show(0, 10)
	r.Show(len(page.Lines)-10, len(page.Lines)+5) // a jump to the end is not reading
	if r.Done() || r.Next() != 10 {
		t.Errorf("next unread line is %d", r.Next())
	}
	r.Show(-1, len(page.Lines)-5)
	if !r.Done() || r.Next() != len(page.Lines) {
		t.Error("all was shown")
	}
	d := yes(e)
	d.Paged = r.Done()
	decide(t, b, d)
	if (*render.Reading)(nil).Done() {
		t.Error("nothing was read")
	}
}

// B-R9.1: the level of the origin is in the envelope, in the plan's hash and in the record.
func testLevel(t *testing.T, b *bench) {
	with := func(trust any) []byte {
		return plantest.Small(t, func(p map[string]any) { p["trust"] = trust })
	}
	if plan.Hash(with("agent")) == plan.Hash(with("human")) {
		t.Error("the level is not hashed")
	}
	for trust, want := range map[any]plan.Level{"human": plan.Human, "agent": plan.Agent,
		"quarantined": plan.Quarantined, "root": plan.Quarantined, 2: plan.Quarantined} {
		e := ask(t, b, with(trust))
		if e.Trust != want || len(e.Events) != 1 || e.Events[0].Trust != want ||
			!strings.Contains(string(e.Events[0].Body()), `"trust":"`+want.String()+`"`) {
			t.Errorf("%v: %v, %+v", trust, e.Trust, e.Events)
		}
		why := strings.Join(approval.Grantable(with(trust)), "; ")
		if strings.Contains(why, "quarantined") != (want == plan.Quarantined) {
			t.Errorf("%v: a standing approval: %s", trust, why)
		}
	}
}

// E-fat-2: what the record says about how people answer.
func TestSummarize(t *testing.T) {
	t.Parallel()
	var events []approval.Event
	add := func(n int, e approval.Event) {
		for range n {
			events = append(events, e)
		}
	}
	add(10, approval.Event{Kind: approval.KindIssued})
	add(4, approval.Event{Kind: approval.KindDecided, Took: 500 * time.Millisecond,
		Rules: []string{"net.new", "git.push"}})
	add(2, approval.Event{Kind: approval.KindDecided, Took: 5 * time.Second,
		Rules: []string{"delete.outside"}})
	add(1, approval.Event{Kind: approval.KindDecided, Token: "t", Rules: []string{"rare"}})
	add(1, approval.Event{Kind: approval.KindRejected, Outcome: approval.OutcomeDenied,
		Took: 9 * time.Second, Rules: []string{"git.push"}})
	add(1, approval.Event{Kind: approval.KindRejected, Outcome: approval.OutcomeCancelled})
	add(1, approval.Event{Kind: approval.KindExpired})
	add(5, approval.Event{Kind: approval.KindConsumed, Outcome: approval.OutcomeExecuted})
	add(1, approval.Event{Kind: approval.KindConsumed, Outcome: approval.OutcomeMismatch})
	add(3, approval.Event{Kind: approval.KindGrantUsed})
	got := approval.Summarize(slices.Values(events))
	want := approval.Stats{Asked: 10, Approved: 7, Denied: 1, Expired: 1, Cancelled: 1, Used: 5,
		ByGrant: 3, Median: 500 * time.Millisecond, SubOne: 4,
		NeverDenied: []approval.RuleCount{{Rule: "net.new", Asked: 4}}}
	if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	if got.ApprovedShare() != 0.875 || (approval.Stats{}).ApprovedShare() != 0 {
		t.Error(got.ApprovedShare())
	}
}

// E-chan-2: who may answer.
func TestMayDecide(t *testing.T) {
	t.Parallel()
	shell := approval.PeerFacts{Known: true, UID: 1000, Terminal: true}
	rules := approval.PeerRules{UID: 1000, Terminal: true}
	with := func(fn func(*approval.PeerFacts, *approval.PeerRules)) (approval.PeerFacts,
		approval.PeerRules) {
		p, r := shell, rules
		fn(&p, &r)
		return p, r
	}
	for name, c := range map[string]struct {
		change func(*approval.PeerFacts, *approval.PeerRules)
		may    bool
	}{
		"a login shell": {func(p *approval.PeerFacts, r *approval.PeerRules) {}, true},
		"nothing known": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			*p = approval.PeerFacts{}
		}, false},
		"read too late": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.Known = false
		}, false},
		"another user": {func(p *approval.PeerFacts, r *approval.PeerRules) { p.UID = 1001 },
			false},
		"root for a user": {func(p *approval.PeerFacts, r *approval.PeerRules) { p.UID = 0 },
			false},
		"no_new_privs": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.NoNewPrivs = true
		}, false},
		"a seccomp filter": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.Seccomp = 2
		}, false},
		"in a session": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.Session = "s7f2"
		}, false},
		"below a fence": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.Ancestor = true
		}, false},
		"no terminal": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.Terminal = false
		}, false},
		"no terminal, signed": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.Terminal, r.Terminal = false, false
		}, true},
		"a container": {func(p *approval.PeerFacts, r *approval.PeerRules) {
			p.NoNewPrivs, p.Seccomp, r.NoNewPrivsIsNormal = true, 2, true
		}, true},
		"in a session in a container": {func(p *approval.PeerFacts, r *approval.PeerRules) {
			p.NoNewPrivs, p.Session, r.NoNewPrivsIsNormal = true, "s", true
		}, false},
		"below a fence in a container": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.Ancestor, r.NoNewPrivsIsNormal = true, true
		}, false},
		"signed, but from in a session": {func(p *approval.PeerFacts,
			r *approval.PeerRules) {
			p.Session, r.Terminal = "s", false
		}, false},
	} {
		err := approval.MayDecide(with(c.change))
		if (err == nil) != c.may || err != nil && !errors.Is(err, approval.ErrPeer) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
