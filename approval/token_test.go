package approval_test

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

const host = "host-1"

// signed returns the token of an answer to the exported question of e, as another machine makes it.
func signed(t testing.TB, k approval.Key, e approval.Envelope, now time.Time,
	change func(*approval.Answer)) []byte {
	t.Helper()
	text, err := e.Export(host)
	if err != nil {
		t.Fatal(err)
	}
	q, err := approval.ReadQuestion(text)
	if err != nil {
		t.Fatal(err)
	}
	// The signer sees the very page that the person here sees.
	if a, b := render.Render(q.Payload, render.Options{}).Text(),
		render.Render(e.Payload, render.Options{}).Text(); a != b {
		t.Fatal("the signer sees another page")
	}
	a, err := q.Answer(true, "", now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&a)
	}
	token, err := k.Sign(a, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// B-R8.1: a signed answer binds envelope, plan, nonce, life, scope, signer and machine. It opens
// the riskiest question without a challenge, once.
func testSigned(t *testing.T, b *bench) {
	k := newKey(t, "dg")
	trust := trustOf(t, k.TrustLine())
	full := func(t testing.TB, n int) approval.Envelope {
		return ask(t, b, plantest.Small(t, func(p map[string]any) { p["risk"], p["n"] = 3, n },
			"c1", "c2"))
	}
	e := full(t, 0)
	token := signed(t, k, e, b.Now, nil)
	s, err := approval.Verify(token, trust, host, b.Now)
	if err != nil {
		t.Fatal(err)
	}
	events, err := b.DecideSigned(ctx, s)
	if err != nil || len(events) != 1 || events[0].Token != s.TokenID ||
		events[0].Approver != k.ID()+" dg" || events[0].Channel != "token" {
		t.Fatalf("%+v, %v", events, err)
	}
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		t.Fatal(err)
	}
	_, err = b.DecideSigned(ctx, s)
	wantRefusal(t, err, approval.ErrReplayed, approval.OutcomeReplayed)

	for i, c := range []struct {
		name    string
		change  func(*approval.Answer)
		want    error
		outcome string
	}{
		{"mismatched plan", func(a *approval.Answer) { a.PlanHash = strings.Repeat("0", 64) },
			approval.ErrMismatch, approval.OutcomeMismatch},
		{"mismatched nonce", func(a *approval.Answer) { a.NonceHash = strings.Repeat("0", 64) },
			approval.ErrMismatch, approval.OutcomeMismatch},
		{"another envelope", func(a *approval.Answer) { a.Envelope = e.ID }, approval.ErrReplayed,
			approval.OutcomeReplayed},
		{"unknown envelope", func(a *approval.Answer) { a.Envelope = "nowhere" },
			approval.ErrUnknown, approval.OutcomeUnknown},
		{"reordered", func(a *approval.Answer) { slices.Reverse(a.Calls) }, approval.ErrReordered,
			approval.OutcomeBijection},
		{"duplicated", func(a *approval.Answer) { a.Calls[1] = a.Calls[0] }, approval.ErrDuplicated,
			approval.OutcomeBijection},
		{"one missing", func(a *approval.Answer) { a.Calls = a.Calls[:1] }, approval.ErrBijection,
			approval.OutcomeBijection},
		{"too many words", func(a *approval.Answer) {
			a.Calls[0].Message = strings.Repeat("w", 501)
		}, approval.ErrOversized, approval.OutcomeOversized},
	} {
		next := full(t, i+1)
		s, err := approval.Verify(signed(t, k, next, b.Now, c.change), trust, host, b.Now)
		if err != nil {
			t.Fatal(c.name, err)
		}
		_, err = b.DecideSigned(ctx, s)
		if !errors.Is(err, c.want) {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		r := wantRefusal(t, err, c.want, c.outcome)
		if len(r.Events) == 0 || r.Events[len(r.Events)-1].Outcome != c.outcome {
			t.Errorf("%s is recorded as %+v", c.name, r.Events)
		}
		// It counts as taken, although it did not match.
		if _, err := b.DecideSigned(ctx, s); s.Envelope == next.ID &&
			!errors.Is(err, approval.ErrReplayed) {
			t.Errorf("%s, again: %v", c.name, err)
		}
		if _, err := b.Cancel(ctx, next.ID, ""); err != nil {
			t.Fatal(err)
		}
	}
	// A key that is trusted up to risk 1 does not approve risk 3; nor does an unverified answer.
	e = full(t, 100)
	s, err = approval.Verify(signed(t, k, e, b.Now, nil), trustOf(t, k.TrustLine()+" max-risk=1"),
		host, b.Now)
	if err != nil {
		t.Fatal(err)
	}
	_, err = b.DecideSigned(ctx, s)
	wantRefusal(t, err, approval.ErrScope, approval.OutcomeScope)
	if _, err := b.DecideSigned(ctx,
		approval.Signed{Answer: s.Answer, Person: "dg"}); !errors.Is(err, approval.ErrScope) {
		t.Errorf("an answer that was put together by hand: %v", err)
	}
	// An answer that was valid when it was read may be too old when it gets the store's lock. The
	// question stays open.
	s, err = approval.Verify(signed(t, k, e, b.Now,
		func(a *approval.Answer) { a.Expires = b.Now.Add(time.Second) }), trust, host, b.Now)
	if err != nil {
		t.Fatal(err)
	}
	b.advance(time.Second)
	_, err = b.DecideSigned(ctx, s)
	wantRefusal(t, err, approval.ErrExpired, approval.OutcomeExpired)
	if b.state(e.ID) != approval.Pending {
		t.Errorf("the question of an answer that came too late: %s", b.state(e.ID))
	}
	// A denial carries its message.
	s, err = approval.Verify(signed(t, k, e, b.Now, func(a *approval.Answer) {
		for i := range a.Calls {
			a.Calls[i].Approved, a.Calls[i].Message = false, "not today"
		}
	}), trust, host, b.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.DecideSigned(ctx, s); err != nil || b.state(e.ID) != approval.Rejected {
		t.Errorf("%v, %s", err, b.state(e.ID))
	}
	_, err = b.Consume(ctx, claim(e))
	if r := wantRefusal(t, err, approval.ErrDenied,
		approval.OutcomeDenied); r.Message != "not today" {
		t.Errorf("message %q", r.Message)
	}
}

// E-hl-2: a plan that was signed beforehand runs once on a machine without people. An altered one
// does not.
func testSignedWhole(t *testing.T, b *bench) {
	k := newKey(t, "dg")
	trust := trustOf(t, k.TrustLine())
	for i, c := range []struct {
		name   string
		risk   int
		scope  approval.Scope
		except bool
		want   error // nil: taken, with its grant
	}{
		{"many uses of the highest risk", 3, approval.Scope{Uses: 1000}, false, approval.ErrScope},
		{"too many uses", 1, approval.Scope{Uses: 101}, false, approval.ErrScope},
		{"for too long", 1, approval.Scope{Uses: 2, For: 13 * time.Hour}, false, approval.ErrScope},
		{"for less than no time", 1, approval.Scope{Uses: 2, For: -time.Hour}, false,
			approval.ErrScope},
		{"what must be asked every time", 3, approval.Scope{Uses: 2}, false,
			approval.ErrNotGrantable},
		{"a while, of what must be asked every time", 2, approval.Scope{For: time.Hour}, false,
			approval.ErrNotGrantable},
		{"with a call denied", 1, approval.Scope{Uses: 2}, true, approval.ErrNotGrantable},
		{"what may stand", 1, approval.Scope{Uses: 2, For: time.Hour}, false, nil},
	} {
		e := ask(t, b, grantable(t, func(p map[string]any) { p["risk"], p["n"] = c.risk, i }))
		token := signed(t, k, e, b.Now, func(a *approval.Answer) {
			a.Scope = c.scope
			if c.except {
				a.Calls[0].Approved = false
			}
		})
		s, err := approval.Verify(token, trust, host, b.Now)
		if err == nil {
			_, err = b.DecideSigned(ctx, s)
		}
		if c.except { // denied as a whole: there is only one call
			if now, _ := b.Get(ctx, e.ID); now.Decision == nil || now.Approved() {
				t.Errorf("%s: %v, %+v", c.name, err, now.Decision)
			}
			continue
		}
		if !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.name, err)
		}
		now, err := b.Get(ctx, e.ID)
		grants, _ := b.Grants(ctx)
		switch {
		case err != nil:
			t.Error(err)
		case c.want != nil && (now.Decision != nil || now.State != approval.Pending ||
			len(grants) != 0):
			t.Errorf("%s: refused, and has done something: %+v, %d grants", c.name, now.Decision,
				len(grants))
		case c.want == nil && (now.State != approval.Rejected || len(grants) != 1 ||
			grants[0].Uses != 2):
			t.Errorf("%s: %s, %+v", c.name, now.State, grants)
		}
		if c.want != nil { // the question is unchanged: the same person can answer it once
			s, err := approval.Verify(signed(t, k, e, b.Now, nil), trust, host, b.Now)
			if err == nil {
				_, err = b.DecideSigned(ctx, s)
			}
			if err != nil {
				t.Errorf("%s: an answer for once: %v", c.name, err)
			}
		}
	}
}

// E-hl-2: see the name of the test.
func testPresigned(t *testing.T, b *bench) {
	k := newKey(t, "dg")
	trust := trustOf(t, k.TrustLine())
	plan := plantest.Small(t, func(p map[string]any) { p["risk"] = 3 })
	a, err := approval.PlanAnswer(plan, host, b.Now, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	token, err := k.Sign(a, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s, err := approval.Verify(token, trust, host, b.Now)
	if err != nil {
		t.Fatal(err)
	}
	late := a
	late.Expires = b.Now.Add(time.Second)
	if token, err = k.Sign(late, rand.Reader); err != nil {
		t.Fatal(err)
	}
	old, err := approval.Verify(token, trust, host, b.Now)
	if err != nil {
		t.Fatal(err)
	}
	b.advance(time.Second)
	_, err = b.Present(ctx, approval.Request{Session: "s1", Payload: plan}, old)
	wantRefusal(t, err, approval.ErrExpired, approval.OutcomeExpired)

	altered := plantest.Small(t, func(p map[string]any) {
		p["risk"], p["work_item_id"] = 3, "PR-119"
	})
	_, err = b.Present(ctx, approval.Request{Session: "s1", Payload: altered}, s)
	wantRefusal(t, err, approval.ErrMismatch, approval.OutcomeMismatch)

	renumbered := plantest.Small(t, func(p map[string]any) { p["risk"] = 3 }, "c9")
	e, err := b.Present(ctx, approval.Request{Session: "s1", Payload: renumbered}, s)
	if err != nil || !e.Approved() {
		t.Fatalf("%+v, %v", e, err)
	}
	if _, err := b.Consume(ctx, claim(e)); err != nil {
		t.Fatal(err)
	}
	_, err = b.Present(ctx, approval.Request{Session: "s1", Payload: renumbered}, s)
	wantRefusal(t, err, approval.ErrReplayed, approval.OutcomeReplayed)
	if list, err := b.Pending(ctx); err != nil || len(list) != 0 {
		t.Errorf("a replay leaves a question: %v, %v", list, err)
	}
	if _, err := b.DecideSigned(ctx, s); !errors.Is(err, approval.ErrScope) {
		t.Errorf("taken for an answer to a question: %v", err)
	}
	b.advance(8 * 24 * time.Hour)
	b.prune()
	if _, err := approval.Verify(token, trust, host, b.Now); !errors.Is(err, approval.ErrExpired) {
		t.Errorf("after its life, when it is forgotten: %v", err)
	}
}

// Every bad text has its own error. B-R8.1
func TestVerifyRefuses(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	k, other := newKey(t, "dg"), newKey(t, "eve")
	trust := trustOf(t, k.TrustLine())
	answer := approval.Answer{Audience: host, Envelope: "e", PlanHash: "p", Issued: now,
		Expires: now.Add(time.Hour),
		Calls:   []approval.CallDecision{{ID: "c1", Approved: true}}}
	sign := func(k approval.Key, change func(*approval.Answer)) string {
		a := answer
		if change != nil {
			change(&a)
		}
		token, err := k.Sign(a, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return string(token)
	}
	good := sign(k, nil)
	if _, err := approval.Verify([]byte(good), trust, host, now); err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(strings.TrimSuffix(good, "\n"), ".")
	body, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	with := func(old, new string) string {
		return parts[0] + "." + base64.RawURLEncoding.EncodeToString(bytes.Replace(body,
			[]byte(old), []byte(new), 1)) + "." + parts[2]
	}
	for name, c := range map[string]struct {
		text string
		at   time.Duration
		want error
	}{
		"unknown key":     {sign(other, nil), 0, approval.ErrUntrusted},
		"expired":         {good, time.Hour, approval.ErrExpired},
		"from the future": {good, -2 * time.Minute, approval.ErrExpired},
		"for another machine": {sign(k, func(a *approval.Answer) { a.Audience = "host-2" }), 0,
			approval.ErrAudience},
		"for no machine": {sign(k, func(a *approval.Answer) { a.Audience = "" }), 0,
			approval.ErrAudience},
		"tampered decision": {with(`"approved":true`, `"approved":false`), 0,
			approval.ErrSignature},
		"tampered envelope": {with(`"envelope_id":"e"`, `"envelope_id":"f"`), 0,
			approval.ErrSignature},
		"tampered plan": {with(`"plan_hash":"p"`, `"plan_hash":"q"`), 0,
			approval.ErrSignature},
		"tampered scope": {with(`"uses":0`, `"uses":9`), 0, approval.ErrSignature},
		"another's signature": {parts[0] + "." + parts[1] + "." +
			strings.Split(strings.TrimSuffix(sign(k, func(a *approval.Answer) { a.Envelope = "f" }),
				"\n"), ".")[2], 0, approval.ErrSignature},
		"empty":              {"", 0, approval.ErrTruncated},
		"cut in the head":    {"tad", 0, approval.ErrTruncated},
		"cut in the payload": {good[:20], 0, approval.ErrTruncated},
		"cut in signature":   {good[:len(good)-9], 0, approval.ErrTruncated},
		"oversized": {good + strings.Repeat("A", approval.MaxToken), 0,
			approval.ErrOversized},
		"another kind": {"ssh-ed25519 AAAA", 0, approval.ErrMalformed},
		"two lines":    {strings.TrimSuffix(good, "\n") + "\nx", 0, approval.ErrMalformed},
		"padded": {parts[0] + "." + parts[1] + "=." + parts[2], 0,
			approval.ErrMalformed},
		"unknown member":  {with(`{"aud"`, `{"a":1,"aud"`), 0, approval.ErrMalformed},
		"missing member":  {with(`,"v":1`, ``), 0, approval.ErrMalformed},
		"another type":    {with(`"exp":`, `"exp":"x","e":`), 0, approval.ErrMalformed},
		"another version": {with(`"v":1`, `"v":2`), 0, approval.ErrMalformed},
		"not canonical":   {with(`,"v"`, `, "v"`), 0, approval.ErrMalformed},
	} {
		_, err := approval.Verify([]byte(c.text), trust, host, now.Add(c.at))
		var te *approval.TokenError
		if !errors.Is(err, c.want) || !errors.As(err, &te) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if f, ok := approval.Explain(err); !ok || f.Exit != 126 || f.Outcome == "" ||
			f.Message == "" {
			t.Errorf("%s is told as %+v", name, f)
		}
	}
	for name, change := range map[string]func(*approval.Answer){
		"too long":  func(a *approval.Answer) { a.Expires = now.Add(25 * time.Hour) },
		"no time":   func(a *approval.Answer) { a.Expires = now },
		"no answer": func(a *approval.Answer) { a.Calls = nil },
	} {
		a := answer
		change(&a)
		if _, err := k.Sign(a, rand.Reader); !errors.Is(err, approval.ErrMalformed) {
			t.Errorf("%s was signed: %v", name, err)
		}
	}
}

// A question that was changed on its way is refused, or at least gets no answer that matches.
func TestReadQuestion(t *testing.T) {
	t.Parallel()
	s, _ := open(t, newClock(), nil)
	e := ask(t, s, plantest.Small(t, nil))
	text, err := e.Export(host)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(text, []byte("nonce\"")) {
		t.Error("the nonce leaves")
	}
	for name, c := range map[string]struct {
		text []byte
		want error
	}{
		"cut":       {text[:len(text)-1], approval.ErrTruncated},
		"empty":     {nil, approval.ErrTruncated},
		"oversized": {make([]byte, approval.MaxRequest+1), approval.ErrOversized},
		"changed": {bytes.Replace(text, []byte("rm -rf build"), []byte("rm -rf built"), 1),
			approval.ErrTampered},
		"more": {bytes.Replace(text, []byte(`{"aud"`), []byte(`{"a":1,"aud"`), 1),
			approval.ErrMalformed},
		"no plan": {[]byte("{}\n"), approval.ErrMalformed},
	} {
		if _, err := approval.ReadQuestion(c.text); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	q, err := approval.ReadQuestion(text)
	if err != nil {
		t.Fatal(err)
	}
	a, err := q.Answer(true, "", e.Issued, 48*time.Hour)
	if err != nil || a.Expires.After(e.Expires) {
		t.Errorf("an answer that outlives its question: %v, %v", a.Expires, err)
	}
}

func FuzzVerify(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	k := newKey(f, "dg")
	trust := trustOf(f, k.TrustLine())
	good, err := k.Sign(approval.Answer{Audience: host, Envelope: "e", Issued: now,
		Expires: now.Add(time.Hour),
		Calls:   []approval.CallDecision{{ID: "c1", Approved: true}}}, rand.Reader)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte("tada1.e30.AAAA"))
	f.Add([]byte("tadad1."))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := approval.Verify(text, trust, host, now)
		if err == nil && strings.TrimSuffix(string(text), "\n") != strings.TrimSuffix(string(good),
			"\n") {
			t.Fatalf("%q verifies: %+v", text, s)
		}
		if _, known := approval.Explain(err); err != nil && !known {
			t.Fatalf("an error without a name: %v", err)
		}
		approval.ReadQuestion(text)
		approval.ParseKey(text, nil)
		approval.ParseTrust(text)
		if e, err := approval.ParseEvent(text); err == nil {
			if _, err := canonical.Parse(e.Body()); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// A hand signs whatever it is given, without checks. It uses the same key every time, so that what
// a fuzzer found can be found again.
type hand struct{ key ed25519.PrivateKey }

func newHand() hand { return hand{ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))} }

func (h hand) public() ed25519.PublicKey { return h.key.Public().(ed25519.PublicKey) }

func (h hand) verify(t testing.TB, payload, host string, now time.Time) (approval.Signed, error) {
	t.Helper()
	enc := base64.RawURLEncoding
	sig := ed25519.Sign(h.key, []byte("tada-run answer v1\n"+payload))
	text := "tada1." + enc.EncodeToString([]byte(payload)) + "." + enc.EncodeToString(sig) + "\n"
	return approval.Verify([]byte(text),
		trustOf(t, "ed25519 "+base64.StdEncoding.EncodeToString(h.public())+" dg"), host, now)
}

// payload is an answer that is valid from one time to another.
func (h hand) payload(from, to time.Time) string {
	return fmt.Sprintf(`{"aud":%q,"decisions":[{"approved":true,"message":"","tool_call_id":"c1"}],"delegation":"","envelope_id":"e","exp":%d,"iat":%d,`+
		`"kid":%q,"nonce_hash":"","plan_hash":"","scope":{"for_s":0,"uses":1},"template":"","token_id":%q,"v":1}`,
		host, to.Unix(), from.Unix(), approval.KeyID(h.public()), strings.Repeat("0", 32))
}

// What this program would not sign, another might: the signer may be the attacker. B-R8.1
func TestVerifyBoundsWhatIsSigned(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := newHand()
	for name, c := range map[string]struct {
		payload string
		want    error
	}{
		"good": {h.payload(now, now.Add(approval.MaxTokenLife)), nil},
		"for too long": {h.payload(now, now.Add(approval.MaxTokenLife+time.Second)),
			approval.ErrScope},
		"no time at all": {h.payload(now.Add(time.Minute), now.Add(time.Second)),
			approval.ErrScope},
		"an id too short": {strings.Replace(h.payload(now, now.Add(time.Hour)),
			strings.Repeat("0", 32), "0", 1), approval.ErrMalformed},
		"uses that wrap": {strings.Replace(h.payload(now, now.Add(time.Hour)), `"for_s":0`,
			`"for_s":9223372036854775807`, 1), approval.ErrMalformed},
		"a call too often": {strings.Replace(h.payload(now, now.Add(time.Hour)), `"approved":true,`,
			`"approved":true,"approved":true,`, 1), approval.ErrMalformed},
	} {
		if _, err := h.verify(t, c.payload, host, now); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	nowhere := strings.Replace(h.payload(now, now.Add(time.Hour)), host, "", 1)
	if _, err := h.verify(t, nowhere, "", now); !errors.Is(err, approval.ErrAudience) {
		t.Errorf("for no machine, on one that does not know its name: %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	h := newHand()
	good := h.payload(now, now.Add(time.Hour))
	f.Add(good, "")
	f.Add(good[:len(good)-6], `"v":1,"w":null}`)
	f.Fuzz(func(t *testing.T, payload, more string) {
		s, err := h.verify(t, payload+more, host, now)
		if _, known := approval.Explain(err); err != nil {
			if !known {
				t.Fatalf("an error without a name: %v", err)
			}
			return
		}
		if s.Audience != host || !now.Before(s.Expires) || s.Issued.Sub(now) > time.Minute ||
			s.Expires.Sub(s.Issued) > approval.MaxTokenLife || len(s.TokenID) != 32 {
			t.Fatalf("%q verifies: %+v", payload+more, s)
		}
	})
}

func ExampleKey_Sign() {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	// On the machine that asks: tadactl export-request ID. Here it is the text of a file.
	e := approval.Envelope{ID: "0f1c", Expires: now.Add(time.Hour),
		Payload: []byte(`{"tool_calls":[{"tool_call_id":"c1"}]}`)}
	e.PlanHash = plan.Hash(e.Payload)
	request, _ := e.Export("host-1")
	// On the machine of the signer, who reads the page.
	key, _ := approval.NewKey("dg", rand.Reader)
	question, _ := approval.ReadQuestion(request)
	answer, _ := question.Answer(true, "", now, 10*time.Minute)
	token, _ := key.Sign(answer, rand.Reader)
	// Back on the machine that asks.
	trust, _ := approval.ParseTrust([]byte(key.TrustLine()))
	signed, err := approval.Verify(token, trust, "host-1", now)
	fmt.Println(signed.Person, signed.Envelope, signed.Calls[0].Approved, err)
	// Output: dg 0f1c true <nil>
}
