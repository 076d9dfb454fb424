package approval_test

import (
	"context"
	"errors"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

func testExpiry(t *testing.T, b *bench) {
	b.reopen(func(o *approval.Options) { o.Unused = 2 * time.Hour })
	last := b.approved()
	b.advance(time.Hour - time.Nanosecond)
	if _, err := b.Consume(ctx, claim(last)); err != nil {
		t.Fatalf("one nanosecond before the end: %v", err)
	}
	e := b.approved()
	b.advance(time.Hour)
	if got := b.state(e.ID); got != approval.Expired {
		t.Errorf("Get says %q at the very end", got)
	}
	if list, err := b.Pending(ctx); err != nil || len(list) != 0 {
		t.Errorf("Pending lists it: %v, %v", list, err)
	}
	_, err := b.Consume(ctx, claim(e))
	r := wantRefusal(t, err, approval.ErrExpired, approval.OutcomeExpired)
	if len(r.Events) != 1 || r.Events[0].Kind != approval.KindExpired || r.Events[0].Seq == 0 {
		t.Errorf("%+v", r.Events)
	}
	b.advance(-time.Hour)
	_, err = b.Consume(ctx, claim(e))
	wantRefusal(t, err, approval.ErrExpired, approval.OutcomeExpired)
	_, err = b.Decide(ctx, yes(e))
	wantRefusal(t, err, approval.ErrExpired, approval.OutcomeExpired)
}

func testClocks(t *testing.T, b *bench) {
	b.reopen(func(o *approval.Options) { o.Unused = 24 * time.Hour })
	for _, c := range []struct {
		name       string
		wall, boot time.Duration
		reboot     bool
		ok         bool
	}{
		{"a minute on both", time.Minute, time.Minute, false, true},
		{"wall set back, hour over", -time.Hour, time.Hour, false, false},
		{"wall set back two hours", -2 * time.Hour, time.Minute, false, false},
		{"wall stepped back a little", -30 * time.Second, time.Minute, false, true},
		{"wall stands still, slept an hour", 0, time.Hour, false, false},
		{"wall ahead", time.Hour, 0, false, false},
		{"boot clock runs backwards", time.Minute, -time.Second, false, false},
		{"rebooted, wall inside", 30 * time.Minute, -50 * time.Minute, true, true},
		{"rebooted, wall outside", time.Hour, -50 * time.Minute, true, false},
		{"rebooted, wall before the question", -2 * time.Minute, -50 * time.Minute, true, false},
	} {
		before := b.Clock
		e := b.numbered(c.name)
		decide(t, b, yes(e))
		b.Now, b.Boot = b.Now.Add(c.wall), b.Boot+c.boot
		if c.reboot {
			b.BootID = "boot-2"
		}
		_, err := b.Consume(ctx, claim(e))
		if ok := err == nil; ok != c.ok || !ok && !errors.Is(err, approval.ErrExpired) {
			t.Errorf("%s: %v", c.name, err)
		}
		b.Clock = before
	}
}

func testTTL(t *testing.T, b *bench) {
	for i, c := range []struct{ ttl, want time.Duration }{{time.Minute, time.Minute},
		{0, time.Hour}, {1e9 * time.Second, time.Hour}, {-time.Second, time.Hour}} {
		p := plantest.Small(t, func(p map[string]any) { p["n"] = i })
		e, _, err := b.Request(ctx, approval.Request{Session: "s1", Payload: p, TTL: c.ttl})
		if err != nil || e.Expires.Sub(e.Issued) != c.want {
			t.Errorf("ttl %v: expires after %v, %v; want %v", c.ttl, e.Expires.Sub(e.Issued), err,
				c.want)
		}
	}
}

func testUnused(t *testing.T, b *bench) {
	e := b.approved()
	b.advance(5 * time.Minute)
	_, err := b.Consume(ctx, claim(e))
	wantRefusal(t, err, approval.ErrExpired, approval.OutcomeExpired)
	e = b.approved()
	b.advance(5*time.Minute - time.Nanosecond)
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		t.Error(err)
	}
	// An approval can be taken back.
	e = b.approved()
	if _, err := b.Cancel(ctx, e.ID, "thought again"); err != nil {
		t.Fatal(err)
	}
	_, err = b.Consume(ctx, claim(e))
	wantRefusal(t, err, approval.ErrDenied, approval.OutcomeDenied)
}

func testRetention(t *testing.T, b *bench) {
	o := b.o
	o.TTL = 8 * 24 * time.Hour
	_, err := b.backend.Open(o)
	var config *approval.ConfigError
	if !errors.As(err, &config) || !strings.Contains(err.Error(), "168h0m0s") ||
		!strings.Contains(err.Error(), "192h0m0s") {
		t.Errorf("got %v, want both values named", err)
	}
	o.TTL = 7*24*time.Hour - time.Minute // the defaults: 7 days, and a minute of skew
	if _, err := b.backend.Open(o); err != nil {
		t.Errorf("exactly the default of retention less that of skew: %v", err)
	}
	o.TTL++
	if _, err := b.backend.Open(o); !errors.As(err, &config) {
		t.Errorf("a nanosecond more: %v", err)
	}
	o.TTL, o.Retention, o.Skew = time.Hour, time.Hour+time.Minute, time.Minute
	if _, err := b.backend.Open(o); err != nil {
		t.Errorf("exactly ttl + skew: %v", err)
	}
	o.Retention--
	if _, err := b.backend.Open(o); err == nil {
		t.Error("a nanosecond less must be refused")
	}
	for _, o := range []approval.Options{{}, {Clock: b.o.Clock}, {Rand: b.o.Rand},
		{Clock: b.o.Clock, Rand: b.o.Rand, TTL: -1}} {
		if _, err := b.backend.Open(o); !errors.As(err, &config) {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func testPrune(t *testing.T, b *bench) {
	ends := map[string]error{}
	used := b.approved()
	if _, err := b.Consume(ctx, claim(used)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Finish(ctx, used.ID, approval.OutcomeExecuted, ""); err != nil {
		t.Fatal(err)
	}
	ends[used.ID] = approval.ErrReplayed
	denied := b.numbered(2)
	decide(t, b, no(denied, ""))
	ends[denied.ID] = approval.ErrDenied
	ends[b.numbered(3).ID] = approval.ErrExpired
	b.advance(time.Hour)
	if ev := b.prune(); len(ev) != 1 || ev[0].Kind != approval.KindExpired {
		t.Fatalf("%v", ev)
	}
	running := b.approved()
	if _, err := b.Consume(ctx, claim(running)); err != nil {
		t.Fatal(err)
	}
	check := func(when string, want func(error) error) {
		t.Helper()
		for id, end := range ends {
			if _, err := b.Get(ctx, id); !errors.Is(err, want(end)) {
				t.Errorf("Get %s: %v", when, err)
			}
		}
	}
	b.advance(6 * 24 * time.Hour)
	b.prune()
	check("after 6 days", func(error) error { return nil })
	b.advance(2 * 24 * time.Hour)
	b.prune()
	check("after 8 days", func(end error) error { return end })
	for id, want := range ends {
		if _, err := b.Consume(ctx, approval.Claim{Session: "s1", Envelope: id}); !errors.Is(err,
			want) {
			t.Errorf("Consume after 8 days: %v, want %v", err, want)
		}
	}
	if _, err := b.Get(ctx, running.ID); err != nil {
		t.Errorf("an envelope whose run has not ended was pruned: %v", err)
	}
	b.advance(90 * 24 * time.Hour)
	b.prune()
	check("after 98 days", func(error) error { return approval.ErrUnknown })
}

func testCoolOff(t *testing.T, b *bench) {
	p := plantest.Small(t, nil)
	e := ask(t, b, p)
	decide(t, b, no(e, "not on a Friday"))
	for _, session := range []string{"s1", "another"} {
		_, _, err := b.Request(ctx, approval.Request{Session: session, Payload: p})
		r := wantRefusal(t, err, approval.ErrDenied, approval.OutcomeDenied)
		if r.Envelope != e.ID || r.Message != "not on a Friday" ||
			!r.Until.Equal(b.Now.Add(10*time.Minute)) || len(r.Events) != 1 {
			t.Errorf("%+v", r)
		}
	}
	if list, _ := b.Pending(ctx); len(list) != 0 {
		t.Errorf("it was asked again: %v", list)
	}
	b.numbered(1) // another plan is another question
	b.advance(10*time.Minute - time.Nanosecond)
	_, _, err := b.Request(ctx, approval.Request{Session: "s1", Payload: p})
	wantRefusal(t, err, approval.ErrDenied, approval.OutcomeDenied)
	b.advance(time.Nanosecond)
	ask(t, b, p)
}

// A denial that is taken back no longer keeps anything from being asked, near-identical questions
// included; the denial of another question stays.
func testUndeny(t *testing.T, b *bench) {
	p := plantest.Small(t, nil)
	e := ask(t, b, p)
	decide(t, b, no(e, ""))
	other := b.numbered(1)
	decide(t, b, no(other, ""))
	denied := func(want ...string) {
		t.Helper()
		list, err := b.Denied(ctx)
		var ids []string
		for _, e := range list {
			ids = append(ids, e.ID)
		}
		slices.Sort(ids)
		slices.Sort(want)
		if err != nil || !slices.Equal(ids, want) {
			t.Errorf("denied %v, want %v, %v", ids, want, err)
		}
	}
	denied(e.ID, other.ID)
	b.advance(time.Minute)
	events, err := b.Undeny(ctx, e.ID, "me", "test")
	if err != nil || len(events) != 1 || events[0].Kind != approval.KindUndenied ||
		events[0].Envelope != e.ID || events[0].PlanHash != e.PlanHash ||
		events[0].Approver != "me" {
		t.Fatalf("%+v, %v", events, err)
	}
	denied(other.ID)
	if again := ask(t, b, p); again.ID == e.ID || again.State != approval.Pending {
		t.Errorf("%+v", again)
	}
	if got := b.state(e.ID); got != approval.Rejected {
		t.Errorf("the denied question became %q", got)
	}
	_, _, err = b.Request(ctx, approval.Request{Session: "s1", Payload: other.Payload})
	wantRefusal(t, err, approval.ErrDenied, approval.OutcomeDenied)
	for _, id := range []string{e.ID, "none", ""} { // taken back, unknown
		_, err := b.Undeny(ctx, id, "me", "test")
		wantRefusal(t, err, approval.ErrUnknown, approval.OutcomeUnknown)
	}
	b.advance(10 * time.Minute)
	_, err = b.Undeny(ctx, other.ID, "me", "test") // its time is over anyway
	wantRefusal(t, err, approval.ErrUnknown, approval.OutcomeUnknown)

	cancelled := b.numbered(2)
	if _, err := b.Cancel(ctx, cancelled.ID, "left"); err != nil {
		t.Fatal(err)
	}
	if again := b.numbered(2); again.ID == cancelled.ID || again.Refused != "" {
		t.Errorf("a cancelled question is remembered: %+v", again)
	}
}

// B-I4: whatever is done in whatever order, each change of a question's state has one event that
// names both states, and no event reports a change that did not happen.
func testEveryChangeIsTold(t *testing.T, b *bench) {
	type change struct {
		envelope string
		from, to approval.State
	}
	r := mathrand.New(mathrand.NewPCG(1, 2))
	states, seen := map[string]approval.State{}, map[change]int{}
	var all []approval.Envelope
	look := func() {
		for _, e := range all {
			if now := b.state(e.ID); now != states[e.ID] {
				seen[change{e.ID, states[e.ID], now}]++
				states[e.ID] = now
			}
		}
	}
	reached := map[approval.State]int{}
	for i := range 200 {
		if len(all) == 0 || r.IntN(4) == 0 {
			plan := plantest.Small(t, func(p map[string]any) { p["n"] = i },
				[]string{"a", "b"}[:1+r.IntN(2)]...)
			if e, _, err := b.Request(ctx,
				approval.Request{Session: "s1", Payload: plan}); err == nil {
				// there may be too many
				all = append(all, e)
			}
			look()
		}
		e := all[max(0, len(all)-1-r.IntN(6))]
		if e, err := b.Get(ctx, e.ID); err == nil {
			switch r.IntN(8) { // each may be refused, and then changes nothing
			case 0, 1:
				b.Decide(ctx, yes(e))
			case 2:
				b.Decide(ctx, no(e, "no"))
			case 3, 4:
				b.Consume(ctx, claim(e))
			case 5:
				b.Consume(ctx, approval.Claim{Session: e.Session, Envelope: e.ID,
					PlanHash: plan.Hash(nil)})
			case 6:
				b.Cancel(ctx, e.ID, "")
			case 7:
				b.Finish(ctx, e.ID, approval.OutcomeExecuted, "")
			}
		}
		look()
		if r.IntN(40) == 0 {
			b.advance(time.Duration(r.IntN(120)) * time.Minute)
			b.prune()
			look()
		}
	}
	events, err := b.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for i, ev := range events {
		if ev.Seq != uint64(i+1) {
			t.Errorf("event %d has the number %d", i, ev.Seq)
		}
		if ev.From != ev.To {
			reached[ev.To]++
			seen[change{ev.Envelope, ev.From, ev.To}]--
		}
	}
	for c, n := range seen {
		if n != 0 {
			t.Errorf("%s: %q -> %q happened %d times more often than it is told", c.envelope,
				c.from, c.to, n)
		}
	}
	for _, s := range []approval.State{approval.Pending, approval.Consumed, approval.Rejected,
		approval.Expired} {
		if reached[s] < 3 {
			t.Errorf("%d became %s: too few to prove anything", reached[s], s)
		}
	}
}

// Every outcome once: each change of state leaves exactly one stored event, in order, and the nonce
// is in an event only after the envelope has ended.
func testEvents(t *testing.T, b *bench) {
	var want []string
	e := b.numbered(1)
	decide(t, b, yes(e))
	b.Consume(ctx, claim(e))
	b.Finish(ctx, e.ID, approval.OutcomeExecuted, "exit status 0")
	want = append(want, "approval.issued  ", "approval.decided approved ",
		"approval.consumed executed nonce", "approval.finished executed nonce")
	e = b.numbered(2, "a", "b")
	decide(t, b, no(e, "no"))
	want = append(want, "approval.issued  ", "approval.rejected denied nonce")
	e = b.numbered(3)
	b.Cancel(ctx, e.ID, "")
	want = append(want, "approval.issued  ", "approval.rejected cancelled nonce")
	e = b.numbered(4)
	decide(t, b, yes(e))
	b.Consume(ctx, approval.Claim{Session: "s1", Envelope: e.ID, PlanHash: "drift"})
	want = append(want, "approval.issued  ", "approval.decided approved ",
		"approval.consumed rejected:mismatch nonce")
	b.numbered(5)
	b.advance(time.Hour)
	b.prune()
	want = append(want, "approval.issued  ", "approval.expired rejected:expired nonce")
	b.Consume(ctx, claim(e)) // a refusal leaves nothing behind

	events, err := b.Unlogged(ctx)
	if err != nil || len(events) != len(want) {
		t.Fatalf("%d events, want %d: %v", len(events), len(want), err)
	}
	transitions := 0
	for i, ev := range events {
		nonce := ""
		if ev.Nonce != "" {
			nonce = "nonce"
			if !uuid4.MatchString(ev.Nonce) {
				t.Errorf("nonce %q", ev.Nonce)
			}
		}
		if got := ev.Kind + " " + ev.Outcome + " " + nonce; got != want[i] ||
			ev.Seq != uint64(i+1) {
			t.Errorf("event %d is %q, seq %d; want %q", i, got, ev.Seq, want[i])
		}
		if len(ev.NonceHash) != 64 || ev.WorkItem != "PR-118" || ev.Envelope == "" ||
			len(ev.PlanHash) != 64 || ev.Session != "s1" || ev.Time.IsZero() {
			t.Errorf("incomplete: %s", ev.Body())
		}
		if ev.From != ev.To {
			transitions++
		}
	}
	if transitions != 10 { // five births and five deaths
		t.Errorf("%d transitions", transitions)
	}
	if err := b.MarkLogged(ctx, "", 1, 2, 3, 99); err != nil {
		t.Fatal(err)
	}
	if events, err = b.Unlogged(ctx); err != nil || len(events) != len(want)-3 ||
		events[0].Seq != 4 {
		t.Errorf("after MarkLogged: %d, %v", len(events), err)
	}
}

func testUnfinished(t *testing.T, b *bench) {
	e := b.approved()
	c := claim(e)
	c.Runner = "4121@boot-1"
	if _, err := b.Consume(ctx, c); err != nil {
		t.Fatal(err)
	}
	b.reopen(nil) // the launcher died
	runs, err := b.Unfinished(ctx)
	if err != nil || len(runs) != 1 || runs[0].Envelope != e.ID ||
		runs[0].Runner != "4121@boot-1" || !runs[0].Since.Equal(b.Now) {
		t.Fatalf("%+v, %v", runs, err)
	}
	ev, err := b.Finish(ctx, e.ID, approval.OutcomeLost, "the launcher died")
	if err != nil || len(ev) != 1 || ev[0].Kind != approval.KindFinished ||
		ev[0].Outcome != "unknown" {
		t.Fatalf("%+v, %v", ev, err)
	}
	if _, err := b.Finish(ctx, e.ID, approval.OutcomeExecuted, ""); err == nil {
		t.Error("finished twice")
	}
	if runs, err := b.Unfinished(ctx); err != nil || len(runs) != 0 {
		t.Errorf("%+v, %v", runs, err)
	}
}

func testWait(t *testing.T, b *bench) {
	type answer struct {
		e   approval.Envelope
		err error
	}
	start := func(id string) chan answer {
		got := make(chan answer, 1)
		go func() {
			e, err := b.Wait(ctx, id)
			got <- answer{e, err}
		}()
		// most times it is waiting by then; it must work either way
		time.Sleep(5 * time.Millisecond)
		return got
	}
	e := ask(t, b, plantest.Small(t, nil))
	got := start(e.ID)
	b.numbered(1) // another's change is no answer
	decide(t, b, yes(e))
	if a := <-got; a.err != nil || !a.e.Approved() {
		t.Errorf("yes: %+v", a)
	}
	e = b.numbered(2)
	got = start(e.ID)
	decide(t, b, no(e, "no"))
	if a := <-got; a.err != nil || a.e.State != approval.Rejected ||
		a.e.Decision.Calls[0].Message != "no" {
		t.Errorf("no: %+v", a)
	}
	if a := <-start(e.ID); a.err != nil || a.e.State != approval.Rejected {
		t.Errorf("after the answer: %+v", a)
	}
	if a := <-start("unknown"); !errors.Is(a.err, approval.ErrUnknown) {
		t.Errorf("unknown: %+v", a)
	}
	e = b.numbered(3)
	short, cancel := context.WithTimeout(ctx, 10*time.Millisecond)
	defer cancel()
	if _, err := b.Wait(short, e.ID); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("timeout: %v", err)
	}
}
