package passkey_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/integration/hermetic"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

const (
	origin = "https://console.example:8443"
	token  = "a token that was given once"
)

var ctx = context.Background()

// A desk is a store, and a device that was paired.
type desk struct {
	testing.TB
	*approval.Store
	device *passkeytest.Device
	known  passkey.Known
	n      int
}

func newDesk(t testing.TB, edDSA bool) *desk {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	clock := func() approval.Clock { return approval.Clock{Now: start} }
	store, err := bolt.Open(filepath.Join(dir, "approvals.db"),
		approval.Options{Clock: clock, Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{TB: t, Store: store, device: passkeytest.New(t, edDSA)}
	d.known = paired(t, d.device, "ada", 3)
	return d
}

// paired pairs a device.
func paired(t testing.TB, d *passkeytest.Device, name string, risk int) passkey.Known {
	t.Helper()
	options, err := passkey.CreateOptions(token, origin, name, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := passkey.Created(d.Create(options, origin), token, origin)
	if err != nil {
		t.Fatal(err)
	}
	c.Name, c.MaxRisk = name, risk
	return passkey.Known{Credential: c}
}

// ask makes a question of two calls.
func (d *desk) ask(change func(map[string]any)) approval.Envelope {
	d.Helper()
	d.n++
	e, _, err := d.Request(ctx, approval.Request{Session: "s", Requester: "agent",
		Payload: plantest.Small(d, func(p map[string]any) {
			p["n"] = d.n
			if change != nil {
				change(p)
			}
		}, "c1", "c2")})
	if err != nil {
		d.Fatal(err)
	}
	return e
}

// approves is the answer that allows every call.
func approves(e approval.Envelope) approval.Answer {
	a := approval.Answer{Envelope: e.ID, PlanHash: e.PlanHash, NonceHash: e.NonceHash}
	for _, id := range e.Calls {
		a.Calls = append(a.Calls, approval.CallDecision{ID: id, Approved: true})
	}
	return a
}

// assertion has the device sign an answer.
func (d *desk) assertion(a approval.Answer,
	change ...func(*passkeytest.Ceremony)) approval.Assertion {
	d.Helper()
	options, err := passkey.GetOptions(a, origin, passkey.List{d.known})
	if err != nil {
		d.Fatal(err)
	}
	text, err := a.Statement()
	if err != nil {
		d.Fatal(err)
	}
	proof, err := passkey.ReadAssertion(d.device.Get(options, origin, change...), text)
	if err != nil {
		d.Fatal(err)
	}
	return proof
}

// verify checks an assertion for an answer, as it would be taken.
func (d *desk) verify(a approval.Answer, proof approval.Assertion) (approval.Signed, error) {
	return approval.VerifyPasskey(a, d.known.Credential, proof, passkey.Prover(origin), time.Now())
}

// answer has the store take an answer, and returns its events.
func (d *desk) answer(a approval.Answer, proof approval.Assertion) ([]approval.Event, error) {
	s, err := d.verify(a, proof)
	if err != nil {
		return nil, err
	}
	return d.DecideSigned(ctx, s)
}

// E-chan-8: a passkey of either kind approves the highest risk, without challenge or code.
func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, edDSA := range []bool{false, true} {
		d := newDesk(t, edDSA)
		e := d.ask(func(p map[string]any) { p["risk"] = 3 })
		a := approves(e)
		events, err := d.answer(a, d.assertion(a))
		if err != nil || len(events) != 1 || events[0].Kind != approval.KindDecided ||
			events[0].Channel != "passkey" || !strings.HasSuffix(events[0].Approver, " ada") {
			t.Fatalf("%+v, %v", events, err)
		}
		if _, err := d.Consume(ctx, approval.Claim{Session: "s", Envelope: e.ID,
			PlanHash: e.PlanHash}); err != nil {
			t.Fatal(err)
		}
		e = d.ask(nil)
		a = approves(e)
		a.Calls[0].Approved, a.Calls[0].Message, a.Calls[1].Approved = false, "keep it", false
		events, err = d.answer(a, d.assertion(a))
		if err != nil || events[0].Kind != approval.KindRejected {
			t.Fatalf("%+v, %v", events, err)
		}
	}
}

// Each of these is refused, and the question stays open.
func TestAttacks(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	e, other := d.ask(nil), d.ask(nil)
	a := approves(e)
	stolen := passkeytest.New(t, false)
	type ceremony = *passkeytest.Ceremony
	for name, c := range map[string]struct {
		device func(ceremony)
		proof  func(*approval.Assertion)
		answer func(*approval.Answer)
		want   error
	}{
		"no user verification": {device: func(c ceremony) { c.Flags = passkeytest.Present },
			want: approval.ErrSignature},
		"no user presence": {device: func(c ceremony) { c.Flags = passkeytest.Verified },
			want: approval.ErrSignature},
		"another host": {device: func(c ceremony) {
			c.RP = "evil.example"
		}, want: approval.ErrSignature},
		"another origin": {device: func(c ceremony) {
			c.Origin = "https://evil.example"
		}, want: approval.ErrSignature},
		"another port": {device: func(c ceremony) { c.Origin = "https://console.example" },
			want: approval.ErrSignature},
		"not https": {device: func(c ceremony) { c.Origin = "http://console.example:8443" },
			want: approval.ErrSignature},
		"a frame of another site": {device: func(c ceremony) { c.Client["crossOrigin"] = true },
			want: approval.ErrSignature},
		"a frame, by its top": {device: func(c ceremony) { c.Client["topOrigin"] = "" },
			want: approval.ErrSignature},
		"a pairing as an answer": {device: func(c ceremony) { c.Type = "webauthn.create" },
			want: approval.ErrSignature},
		"another challenge": {device: func(c ceremony) { c.Challenge = "AAAA" },
			want: approval.ErrMismatch},
		"no challenge": {device: func(c ceremony) { c.Challenge = "" }, want: approval.ErrMismatch},
		"backed up and not": {device: func(c ceremony) { c.Flags |= 0x10 },
			want: approval.ErrMalformed},
		"a new key": {device: func(c ceremony) {
			c.Flags |= passkeytest.Attested
			c.Tail = append(make([]byte, 18), stolen.Key...)
		}, want: approval.ErrMalformed},
		"no signature": {proof: func(p *approval.Assertion) { p.Signature = nil },
			want: approval.ErrSignature},
		"signature of zeros": {proof: func(p *approval.Assertion) { clear(p.Signature) },
			want: approval.ErrSignature},
		"longer signature": {proof: func(p *approval.Assertion) {
			p.Signature = append(p.Signature, 0)
		}, want: approval.ErrSignature},
		"another passkey": {proof: func(p *approval.Assertion) { p.Credential = stolen.ID },
			want: approval.ErrSignature},
		"cut authenticator data": {proof: func(p *approval.Assertion) {
			p.AuthData = p.AuthData[:36]
		}, want: approval.ErrMalformed},
		"more authenticator data": {proof: func(p *approval.Assertion) {
			p.AuthData = append(p.AuthData, 0)
		}, want: approval.ErrMalformed},
		"huge authenticator data": {proof: func(p *approval.Assertion) {
			p.AuthData = make([]byte, 1<<20)
		}, want: approval.ErrOversized},
		"huge client data": {proof: func(p *approval.Assertion) {
			p.ClientData = make([]byte, 1<<20)
		}, want: approval.ErrMalformed},
		"client data that is a list": {proof: func(p *approval.Assertion) {
			p.ClientData = []byte("[]")
		}, want: approval.ErrMalformed},
		"another question": {answer: func(a *approval.Answer) {
			a.Envelope, a.NonceHash = other.ID, other.NonceHash
		}, want: approval.ErrSignature},
		"another question, same nonce": {answer: func(a *approval.Answer) { a.Envelope = other.ID },
			want: approval.ErrMismatch},
		"another plan": {answer: func(a *approval.Answer) { a.PlanHash = other.PlanHash },
			want: approval.ErrMismatch},
		"no plan": {answer: func(a *approval.Answer) {
			a.PlanHash = ""
		}, want: approval.ErrMalformed},
		"no question": {answer: func(a *approval.Answer) {
			a.Envelope = ""
		}, want: approval.ErrMalformed},
		"plan and question shifted": {answer: func(a *approval.Answer) {
			a.Envelope, a.PlanHash = a.PlanHash[63:]+a.Envelope, a.PlanHash[:63]
		}, want: approval.ErrMalformed},
		"swapped decision": {answer: func(a *approval.Answer) { a.Calls[1].Approved = false },
			want: approval.ErrSignature},
		"swapped message": {answer: func(a *approval.Answer) { a.Calls[1].Message = "run it all" },
			want: approval.ErrSignature},
		"swapped call": {answer: func(a *approval.Answer) {
			a.Calls[0].ID, a.Calls[1].ID = "c2", "c1"
		}, want: approval.ErrSignature},
		"one call less": {answer: func(a *approval.Answer) { a.Calls = a.Calls[:1] },
			want: approval.ErrSignature},
		"a command instead": {answer: func(a *approval.Answer) { a.Calls[0].Instead = "rm -rf /" },
			want: approval.ErrSignature},
		"a grant": {answer: func(a *approval.Answer) { a.Calls[0].Choice = 1 },
			want: approval.ErrSignature},
		"for longer": {answer: func(a *approval.Answer) { a.Scope.Uses = 5 },
			want: approval.ErrSignature},
	} {
		var change []func(*passkeytest.Ceremony)
		if c.device != nil {
			change = append(change, c.device)
		}
		proof, given := d.assertion(a, change...), approves(e)
		if c.proof != nil {
			c.proof(&proof)
		}
		if c.answer != nil {
			c.answer(&given)
		}
		if _, err := d.answer(given, proof); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		// an attacker who also changes the text that was signed gets no further
		proof.Answer, _ = given.Statement()
		if _, err := d.answer(given, proof); err == nil {
			t.Errorf("%s: taken, with another text", name)
		}
	}
	if got, err := d.Get(ctx, e.ID); err != nil || got.Decision != nil {
		t.Errorf("%+v, %v", got.Decision, err)
	}
	if _, err := d.answer(a, d.assertion(a)); err != nil { // the honest answer still counts
		t.Error(err)
	}
}

// An assertion is taken once, also with the second signature that ECDSA has for each, and a key is
// checked with its own algorithm only.
func TestOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	e := d.ask(nil)
	a := approves(e)
	proof := d.assertion(a)
	if _, err := d.answer(a, proof); err != nil {
		t.Fatal(err)
	}
	if _, err := d.answer(a, proof); !errors.Is(err, approval.ErrReplayed) {
		t.Errorf("again: %v", err)
	}
	second := proof
	second.Signature = passkeytest.Twin(t, proof.Signature)
	if string(second.Signature) == string(proof.Signature) {
		t.Fatal("the second signature is the first")
	}
	if _, err := d.verify(a, second); err != nil {
		t.Fatalf("the second signature is none: %v", err)
	}
	if _, err := d.answer(a, second); !errors.Is(err, approval.ErrReplayed) {
		t.Errorf("with the second signature: %v", err)
	}
	for before, after := range map[uint32]uint32{5: 5, 6: 5, 1: 0, 1<<32 - 1: 1} {
		if err := passkey.CheckCounter(before, after); !errors.Is(err, approval.ErrReplayed) {
			t.Errorf("counter from %d to %d: %v", before, after, err)
		}
	}
	for before, after := range map[uint32]uint32{0: 0, 5: 6} {
		if err := passkey.CheckCounter(before, after); err != nil {
			t.Errorf("counter from %d to %d: %v", before, after, err)
		}
	}
}

// The risk of a passkey is a limit, and one person counts once among several.
func TestLimits(t *testing.T) {
	t.Parallel()
	d := newDesk(t, false)
	d.known.MaxRisk = 1
	e := d.ask(func(p map[string]any) { p["risk"] = 2 })
	a := approves(e)
	if _, err := d.answer(a, d.assertion(a)); !errors.Is(err, approval.ErrScope) {
		t.Errorf("above its risk: %v", err)
	}
	d.known.MaxRisk = 3
	payload := plantest.Small(t, func(p map[string]any) { p["risk"] = 3 })
	e, _, err := d.Request(ctx, approval.Request{Session: "s", Payload: payload, Quorum: 2,
		Requester: "uid 1000"})
	if err != nil {
		t.Fatal(err)
	}
	a = approves(e)
	events, err := d.answer(a, d.assertion(a))
	if err != nil || events[0].Kind != approval.KindVoted {
		t.Fatalf("%+v, %v", events, err)
	}
	first := d.known
	d.device = passkeytest.New(t, true)
	for name, want := range map[string]error{"ada": approval.ErrVoted,
		"uid 1000": approval.ErrSelf} {
		d.known = paired(t, d.device, name, 3)
		if _, err := d.answer(a, d.assertion(a)); !errors.Is(err, want) {
			t.Errorf("%s with a second device: %v, want %v", name, err, want)
		}
	}
	d.known = paired(t, d.device, "bob", 3)
	events, err = d.answer(a, d.assertion(a))
	if err != nil || events[0].Kind != approval.KindDecided {
		t.Fatalf("%+v, %v", events, err)
	}
	if want := first.Signer(); !strings.Contains(events[0].Approver, want) {
		t.Errorf("%q does not name %q", events[0].Approver, want)
	}
}
