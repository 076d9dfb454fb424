package approval_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

var uuid4 = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

func testEnvelope(t *testing.T, b *bench) {
	b.Now = b.Now.In(time.FixedZone("far", 5*3600)) // the envelope is always in UTC
	p := plantest.Small(t, nil, "c2", "c1")
	e := ask(t, b, p)
	if !uuid4.MatchString(e.ID) {
		t.Errorf("id %q is no UUID version 4", e.ID)
	}
	if e.Issued.Location() != time.UTC || e.Expires.Sub(e.Issued) != time.Hour ||
		!e.Issued.Equal(b.Now) {
		t.Errorf("issued %v, expires %v", e.Issued, e.Expires)
	}
	if fmt.Sprint(e.Calls) != "[c2 c1]" || e.WorkItem != "PR-118" || e.Agent != "claude-code" ||
		e.Session != "s1" || e.Risk != 1 {
		t.Errorf("%+v", e)
	}
	if e.PlanHash != plan.Hash(p) || string(e.Payload) != string(p) {
		t.Error("the payload is not the one that was given")
	}
	decide(t, b, yes(e))
	got, err := b.Get(ctx, e.ID)
	if err != nil || string(got.Payload) != string(p) || got.PlanHash != e.PlanHash ||
		!got.Expires.Equal(e.Expires) || !got.Approved() {
		t.Errorf("after the decision: %+v, %v", got, err)
	}
}

func testKept(t *testing.T, b *bench) {
	first := b.numbered(1)
	b.advance(time.Second)
	second := b.numbered(2)
	b.reopen(nil)
	list, err := b.Pending(ctx)
	if err != nil || len(list) != 2 || list[0].ID != first.ID || list[1].ID != second.ID {
		t.Fatalf("pending after a restart: %+v, %v", list, err)
	}
}

func testSameQuestion(t *testing.T, b *bench) {
	p := plantest.Small(t, nil)
	e := ask(t, b, p)
	again, created, err := b.Request(ctx, approval.Request{Session: "s1", Payload: p})
	if err != nil || created || again.ID != e.ID || again.Approved() {
		t.Errorf("the same question: %+v %v %v", again, created, err)
	}
	other, created, err := b.Request(ctx, approval.Request{Session: "s2", Payload: p})
	if err != nil || !created || other.ID == e.ID {
		t.Errorf("another session shares the envelope: %v %v", created, err)
	}
	decide(t, b, yes(e))
	again, created, err = b.Request(ctx, approval.Request{Session: "s1", Payload: p})
	if err != nil || created || !again.Approved() {
		t.Errorf("after the yes: %+v %v %v", again, created, err)
	}
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		t.Fatal(err)
	}
	again, created, err = b.Request(ctx, approval.Request{Session: "s1", Payload: p})
	if err != nil || !created || again.ID == e.ID {
		t.Errorf("after the use it must be asked anew: %v %v", created, err)
	}
}

func testBadPayload(t *testing.T, b *bench) {
	for _, p := range []string{"", "{}", "null", `{"tool_calls":[]}`,
		`{"tool_calls":[{"tool_call_id":""}]}`, `{"tool_calls":[1]}`,
		`{"tool_calls": [{"tool_call_id":"a"}]}`,
		`{"tool_calls":[{"tool_call_id":"a"},{"tool_call_id":"a"}]}`,
		`{"tool_calls":[{"tool_call_id":"a"}],"x":1.5}`} {
		if _, _, err := b.Request(ctx,
			approval.Request{Session: "s1", Payload: []byte(p)}); !errors.Is(err,
			approval.ErrPayload) {
			t.Errorf("%s: %v", p, err)
		}
	}
	// A plan without a risk, or with one off the scale, is asked at the highest.
	for _, risk := range []any{nil, -1, 4, "0"} {
		e := ask(t, b, plantest.Small(t, func(p map[string]any) { p["risk"] = risk }))
		if e.Friction.Level != 3 {
			t.Errorf("risk %v gives friction %+v", risk, e.Friction)
		}
	}
}

// Every state is left only from pending; the table of all 16 transitions is in TestCheckTransition.
func testTransitions(t *testing.T, b *bench) {
	dead := map[approval.State]approval.Envelope{}
	dead[approval.Expired] = b.numbered(1)
	b.advance(time.Hour)
	b.prune()
	e := b.numbered(2)
	decide(t, b, yes(e))
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		t.Fatal(err)
	}
	dead[approval.Consumed] = e
	e = b.numbered(3)
	decide(t, b, no(e, ""))
	dead[approval.Rejected] = e
	for state, e := range dead {
		if got := b.state(e.ID); got != state {
			t.Fatalf("state %q, want %q", got, state)
		}
		if _, err := b.Decide(ctx, yes(e)); err == nil {
			t.Errorf("%s: decided", state)
		}
		if _, err := b.Consume(ctx,
			approval.Claim{Session: "s1", Envelope: e.ID, PlanHash: e.PlanHash}); err == nil {
			t.Errorf("%s: consumed", state)
		}
		if _, err := b.Cancel(ctx, e.ID, ""); err == nil {
			t.Errorf("%s: cancelled", state)
		}
		b.prune()
		if got := b.state(e.ID); got != state {
			t.Errorf("state %q became %q", state, got)
		}
	}
}

func testReplay(t *testing.T, b *bench) {
	e := b.approved()
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []approval.Claim{claim(e),
		{Session: "s1", Envelope: e.ID, PlanHash: e.PlanHash},
		{Session: "s1", Envelope: e.ID, PlanHash: "other"}} {
		_, err := b.Consume(ctx, c)
		r := wantRefusal(t, err, approval.ErrReplayed, approval.OutcomeReplayed)
		if len(r.Events) != 1 || r.Events[0].Kind != approval.KindRefused || r.Events[0].Seq != 0 {
			t.Errorf("%+v", r.Events)
		}
	}
}

func testInjection(t *testing.T, b *bench) {
	e := ask(t, b, plantest.Small(t, nil))
	hash := e.PlanHash
	const madeUp = "a3bb189e-8bf9-4888-9912-ace4e6543002"
	for _, c := range []approval.Claim{
		{}, {Session: "s1"}, {Session: "s1", PlanHash: strings.Repeat("0", 64)}, {PlanHash: hash},
		{Session: "s2", PlanHash: hash},
		{Session: "s1", Envelope: madeUp, PlanHash: hash},
		{Session: "s2", Envelope: e.ID, PlanHash: hash},
	} {
		_, err := b.Consume(ctx, c)
		wantRefusal(t, err, approval.ErrUnknown, approval.OutcomeUnknown)
	}
	// The id alone is no approval.
	_, err := b.Consume(ctx, approval.Claim{Session: "s1", Envelope: e.ID, PlanHash: hash})
	wantRefusal(t, err, approval.ErrPending, "")
	if got := b.state(e.ID); got != approval.Pending {
		t.Errorf("a stranger's claim changed the state to %q", got)
	}
	d := yes(e)
	d.Envelope = madeUp
	_, err = b.Decide(ctx, d)
	wantRefusal(t, err, approval.ErrUnknown, approval.OutcomeUnknown)
}

func testDrift(t *testing.T, b *bench) {
	e := b.approved()
	elsewhere := plan.Hash([]byte("elsewhere"))
	_, err := b.Consume(ctx, approval.Claim{Session: "s1", Envelope: e.ID, PlanHash: elsewhere})
	r := wantRefusal(t, err, approval.ErrMismatch, approval.OutcomeMismatch)
	if len(r.Events) != 1 || r.Events[0].PlanHash != e.PlanHash ||
		r.Events[0].Computed != elsewhere {
		t.Errorf("both hashes must be told: %+v", r.Events)
	}
	_, err = b.Consume(ctx, claim(e))
	wantRefusal(t, err, approval.ErrReplayed, approval.OutcomeReplayed)

	// A person who answers what is no longer on the screen changes nothing.
	e = b.numbered(7)
	for _, hash := range []string{"", e.PlanHash[:12], plan.Hash(nil)} {
		d := yes(e)
		d.PlanHash = hash
		_, err = b.Decide(ctx, d)
		wantRefusal(t, err, approval.ErrMismatch, approval.OutcomeMismatch)
	}
	if got, _ := b.Get(ctx, e.ID); got.State != approval.Pending || got.Decision != nil {
		t.Errorf("%+v", got)
	}
}

func testBijection(t *testing.T, b *bench) {
	e := ask(t, b, plantest.Small(t, nil, "a", "b", "c"))
	for _, ids := range []string{"", "a", "a b", "a b c d", "b a c", "a a c", "a b b", "a b x",
		"a b C", "a  c"} {
		d := yes(e)
		d.Calls = nil
		for _, id := range strings.Split(ids, " ") {
			d.Calls = append(d.Calls, approval.CallDecision{ID: id, Approved: true})
		}
		_, err := b.Decide(ctx, d)
		wantRefusal(t, err, approval.ErrBijection, approval.OutcomeBijection)
	}
	decide(t, b, yes(e))
}

func testPerCall(t *testing.T, b *bench) {
	e := ask(t, b, plantest.Small(t, nil, "c1", "c2", "c3"))
	d := yes(e)
	d.Calls[1] = approval.CallDecision{ID: "c2", Message: "use a new branch"}
	decide(t, b, d)
	permit, err := b.Consume(ctx, claim(e))
	if err != nil || !slices.Equal(permit.Calls, d.Calls) {
		t.Errorf("%v, %v", permit.Calls, err)
	}
	e = b.numbered(1, "c1", "c2", "c3")
	d = no(e, "")
	for i := range d.Calls {
		d.Calls[i].Message, d.Calls[i].Instead = fmt.Sprint("reason ", i), fmt.Sprint("echo ", i)
	}
	decide(t, b, d)
	got, err := b.Get(ctx, e.ID)
	if err != nil || got.State != approval.Rejected || !slices.Equal(got.Decision.Calls, d.Calls) {
		t.Errorf("%+v, %v", got.Decision, err)
	}
	_, err = b.Consume(ctx, claim(e))
	if r := wantRefusal(t, err, approval.ErrDenied,
		approval.OutcomeDenied); r.Message != "reason 0" || r.Instead != "echo 0" {
		t.Errorf("message %q", r.Message)
	}
	e = b.numbered(2)
	if _, err := b.Decide(ctx, no(e, strings.Repeat("z", approval.MaxMessage+1))); err == nil {
		t.Error("a message of 501 characters was taken")
	}
	decide(t, b, no(e, strings.Repeat("\u0416", approval.MaxMessage)))
}

// A denial with another command leads to another plan with another envelope. The answer to one says
// nothing about the other, and no part of the first can run.
func testEdited(t *testing.T, b *bench) {
	list := plantest.Small(t, func(p map[string]any) { p["list"] = "make && make install" })
	e := ask(t, b, list)
	both := yes(e)
	both.Calls[0].Instead = "make"
	_, err := b.Decide(ctx, both)
	wantRefusal(t, err, approval.ErrOversized, approval.OutcomeOversized)
	decide(t, b, no(e, "only: make"))
	edited := ask(t, b, plantest.Small(t, func(p map[string]any) { p["list"] = "make" }))
	if edited.ID == e.ID || edited.PlanHash == e.PlanHash || edited.NonceHash == e.NonceHash ||
		edited.Approved() {
		t.Errorf("%+v", edited)
	}
	decide(t, b, yes(edited))
	_, err = b.Consume(ctx, approval.Claim{Session: "s1", Envelope: edited.ID,
		PlanHash: e.PlanHash})
	wantRefusal(t, err, approval.ErrMismatch, approval.OutcomeMismatch)
	_, err = b.Consume(ctx, claim(e))
	wantRefusal(t, err, approval.ErrDenied, approval.OutcomeDenied)
}

func testFriction(t *testing.T, b *bench) {
	with := func(risk int) approval.Envelope {
		return ask(t, b, plantest.Small(t, func(p map[string]any) { p["risk"] = risk }))
	}
	for risk, length := range []int{0, 0, 4, 8} {
		if e := with(risk); len(e.Challenge) != length {
			t.Errorf("risk %d has challenge %q", risk, e.Challenge)
		}
	}
	e := with(2)
	for _, answer := range []string{"", "y", "AAAA", e.Challenge[:3], e.Challenge + "2"} {
		d := yes(e)
		d.Challenge = answer
		_, err := b.Decide(ctx, d)
		wantRefusal(t, err, approval.ErrChallenge, approval.OutcomeDenied)
	}
	d := yes(e)
	d.Challenge = " " + strings.ToLower(e.Challenge) + "\n"
	decide(t, b, d)

	b.reopen(func(o *approval.Options) { o.SecondFactor = true })
	e = with(3)
	_, err := b.Decide(ctx, yes(e))
	wantRefusal(t, err, approval.ErrFactor, approval.OutcomeDenied)
	d = yes(e)
	d.Factor = "key 1"
	decide(t, b, d)

	// A denial never costs anything.
	e = ask(t, b, plantest.Small(t, func(p map[string]any) { p["risk"], p["n"] = 3, 1 }))
	d = no(e, "")
	d.Challenge = ""
	decide(t, b, d)
}

func testDecideOnce(t *testing.T, b *bench) {
	e := b.approved()
	for _, d := range []approval.Decision{yes(e), no(e, "")} {
		_, err := b.Decide(ctx, d)
		wantRefusal(t, err, approval.ErrDecided, approval.OutcomeReplayed)
	}
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		t.Error(err)
	}
}

func testCancel(t *testing.T, b *bench) {
	e := ask(t, b, plantest.Small(t, nil))
	ev, err := b.Cancel(ctx, e.ID, "requester is gone")
	if err != nil || len(ev) != 1 || ev[0].Outcome != approval.OutcomeCancelled ||
		ev[0].Reason != "requester is gone" || ev[0].To != approval.Rejected {
		t.Fatalf("%+v, %v", ev, err)
	}
	if again, created, err := b.Request(ctx,
		approval.Request{Session: "s1", Payload: plantest.Small(t, nil)}); err != nil || !created ||
		again.ID == e.ID {
		t.Errorf("a cancelled question may be asked again: %v %v", created, err)
	}
}

func testBudget(t *testing.T, b *bench) {
	for i := range 10 {
		b.numbered(i)
	}
	p := plantest.Small(t, func(p map[string]any) { p["n"] = 10 })
	_, _, err := b.Request(ctx, approval.Request{Session: "s1", Payload: p})
	wantRefusal(t, err, approval.ErrBusy, "")
	if _, _, err := b.Request(ctx, approval.Request{Session: "s2", Payload: p}); err != nil {
		t.Errorf("another session: %v", err)
	}
	if _, created, err := b.Request(ctx,
		approval.Request{Session: "s1",
			Payload: plantest.Small(t, func(p map[string]any) { p["n"] = 3 })}); err != nil ||
		created {
		t.Errorf("a question that is open already: %v %v", created, err)
	}
	b.advance(time.Hour)
	if _, _, err := b.Request(ctx, approval.Request{Session: "s1", Payload: p}); err != nil {
		t.Errorf("after they expired: %v", err)
	}

	// Not only what is open counts, but also what was asked within the hour.
	b.reopen(func(o *approval.Options) { o.MaxHour = 3 })
	first := b.Now
	for i := range 2 {
		if _, err := b.Cancel(ctx, b.numbered("hour "+strconv.Itoa(i)).ID, ""); err != nil {
			t.Fatal(err)
		}
		b.advance(time.Minute)
	}
	p = plantest.Small(t, func(p map[string]any) { p["n"] = "one too many" })
	_, _, err = b.Request(ctx, approval.Request{Session: "s1", Payload: p})
	if r := wantRefusal(t, err, approval.ErrBusy, ""); !r.Until.Equal(first.Add(time.Hour)) {
		t.Errorf("again at %v", r.Until)
	}
	if _, _, err := b.Request(ctx, approval.Request{Session: "s2", Payload: p}); err != nil {
		t.Errorf("another session: %v", err)
	}
	b.advance(58 * time.Minute)
	if _, _, err = b.Request(ctx, approval.Request{Session: "s1", Payload: p}); err != nil {
		t.Errorf("an hour after the first: %v", err)
	}
}

// E-fat-1: the limits are those of a budget, whatever the session is; a person is exempt; a flood
// of budgets stops at the account's limit of open questions, and pushes nothing out.
func testFlood(t *testing.T, b *bench) {
	b.reopen(func(o *approval.Options) { o.MaxPending, o.MaxOpen = 3, 12 })
	asking := func(n int, session, budget string, person bool) (approval.Envelope, error) {
		e, _, err := b.Request(ctx, approval.Request{Session: session, Budget: budget,
			Person: person, Payload: plantest.Small(t, func(p map[string]any) { p["n"] = n })})
		return e, err
	}
	var open []string
	for i := range 30 { // another name each time
		e, err := asking(i, "name "+strconv.Itoa(i), "tree 1", false)
		if i >= 3 {
			wantRefusal(t, err, approval.ErrBusy, "")
		} else if err != nil {
			t.Fatal(err)
		}
		open = append(open, e.ID)
	}
	for i := range 30 { // and other processes each time
		if _, err := asking(100+i, "s", "tree "+strconv.Itoa(2+i), false); i >= 9 {
			wantRefusal(t, err, approval.ErrFull, "")
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 {
		if _, err := asking(200+i, "person", "tree 1", true); err != nil {
			t.Errorf("a person: %v", err)
		}
	}
	list, err := b.Pending(ctx)
	if err != nil || len(list) != 12+20 ||
		!slices.ContainsFunc(list, func(e approval.Envelope) bool { return e.ID == open[0] }) {
		t.Errorf("%d open, %v", len(list), err)
	}
	if _, err := b.Cancel(ctx, open[0], ""); err != nil {
		t.Fatal(err)
	}
	if _, err := asking(300, "s", "tree 1", false); err != nil {
		// what a person asks does not count against the limit
		t.Error(err)
	}
}

func testNonce(t *testing.T, b *bench) {
	if _, again := b.backend.(twice); again {
		t.Skip("it counts the draws of each envelope")
	}
	b.reopen(func(o *approval.Options) { o.Rand = stuck{} })
	ask(t, b, plantest.Small(t, nil))
	if e, _, err := b.Request(ctx,
		approval.Request{Session: "s2", Payload: plantest.Small(t, nil)}); err == nil {
		t.Errorf("two envelopes with one nonce: %+v", e)
	}
	for which := 1; which <= 2; which++ {
		// the id and the nonce, each repeated alone; draw 0 is the ticket of the commit
		source := &repeats{which: which}
		b.reopen(func(o *approval.Options) { o.Rand = source })
		source.draw = 0
		session := string(rune('a' + which))
		if _, _, err := b.Request(ctx,
			approval.Request{Session: session, Payload: plantest.Small(t, nil)}); err != nil {
			t.Fatal(err)
		}
		source.draw = 0
		if e, _, err := b.Request(ctx,
			approval.Request{Session: session + "2", Payload: plantest.Small(t, nil)}); err == nil {
			t.Errorf("draw %d of each envelope repeats, and there are two: %s", which, e.ID)
		}
	}
	b.reopen(func(o *approval.Options) { o.Rand = broken{} })
	if _, _, err := b.Request(ctx,
		approval.Request{Session: "s3", Payload: plantest.Small(t, nil)}); err == nil {
		t.Error("an envelope without randomness")
	}
	if list, err := b.Pending(ctx); err != nil || len(list) != 3 {
		t.Errorf("%d pending, %v", len(list), err)
	}
}

// repeats is a source of randomness of which one draw is always the same; the others never are.
type repeats struct{ which, draw, total int }

func (r *repeats) Read(p []byte) (int, error) {
	clear(p)
	p[0] = byte(r.which + 1)
	if r.draw != r.which {
		binary.BigEndian.PutUint64(p[len(p)-8:], uint64(r.total+1))
	}
	r.draw, r.total = r.draw+1, r.total+1
	return len(p), nil
}
