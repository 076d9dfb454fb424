package pairing_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/pairing"
	"github.com/tada-run/tada-run/launcher/permit"
)

func TestMain(m *testing.M) { os.Exit(hermetic.Tests(m).Run()) }

const console = "https://console.example:8443/app"
const origin = "https://console.example:8443"

var ctx = context.Background()

// A world is a state directory with a person at a console terminal.
type world struct {
	testing.TB
	l    *launcher.Launcher
	desk *pairing.Desk
	n    int
}

func newWorld(t testing.TB) *world {
	t.Helper()
	l, err := launcher.Place{State: filepath.Join(t.TempDir(), "state")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	l.Caller = atTerminal
	l.Marks = ""
	l.Passkeys = func(partial bool) audit.PasskeyCheck { return &passkey.Record{Partial: partial} }
	return &world{TB: t, l: l, desk: pairing.Open(l.Approvals)}
}

func atTerminal() approval.Caller {
	return approval.Caller{
		Peer:     approval.PeerFacts{Known: true, Terminal: true},
		Rules:    approval.PeerRules{},
		Line:     []approval.Process{{PID: 2, Name: "tadactl"}, {PID: 1, Name: "login"}},
		Terminal: approval.Terminal{Device: "tty4:1", Keys: true},
	}
}

// inService is the console: outside every sandbox, and without a terminal.
func inService() approval.Caller {
	c := atTerminal()
	c.Terminal = approval.Terminal{}
	return c
}

// inSandbox is a process of an agent.
func inSandbox() approval.Caller {
	c := atTerminal()
	c.Peer.Session = "s1"
	return c
}

// token asks for a link, and returns its token.
func (w *world) token(name string, risk int) string {
	w.Helper()
	link, _, err := w.desk.Link(ctx, pairing.Wish{Console: console, Name: name, MaxRisk: risk},
		permit.Factor{})
	if err != nil {
		w.Fatal(err)
	}
	token, ok := strings.CutPrefix(link, console+"/pair#")
	if !ok || len(token) != 43 {
		w.Fatalf("link %q", link)
	}
	return token
}

// pair pairs a new device.
func (w *world) pair(name string, risk int) *passkeytest.Device {
	w.Helper()
	token, d := w.token(name, risk), passkeytest.New(w, false)
	options, err := w.desk.PairBegin(token, origin)
	if err != nil {
		w.Fatal(err)
	}
	w.l.Caller = inService
	defer func() { w.l.Caller = atTerminal }()
	if _, err := w.desk.PairFinish(token, origin, d.Create(options, origin)); err != nil {
		w.Fatal(err)
	}
	return d
}

// ask asks a question, and returns the answer that allows it.
func (w *world) ask(risk, people int) approval.Answer {
	w.Helper()
	w.n++
	if err := w.l.Ready(); err != nil {
		w.Fatal(err)
	}
	var e approval.Envelope
	if err := w.l.Deciding(func() (events []approval.Event, err error) {
		e, _, err = w.l.Store.Request(ctx, approval.Request{Session: "s", Quorum: people,
			Requester: permit.Person(), Payload: plantest.Small(w, func(p map[string]any) {
				p["n"], p["risk"] = w.n, risk
			})})
		return e.Events, err
	}); err != nil {
		w.Fatal(err)
	}
	return approval.Answer{Envelope: e.ID, PlanHash: e.PlanHash,
		Calls: []approval.CallDecision{{ID: e.Calls[0], Approved: true}}}
}

// sign has a device sign an answer.
func (w *world) sign(a approval.Answer, d *passkeytest.Device,
	change ...func(*passkeytest.Ceremony)) []byte {
	w.Helper()
	options, err := w.desk.AssertBegin(ctx, a, origin)
	if err != nil {
		w.Fatal(err)
	}
	return d.Get(options, origin, change...)
}

// answer takes what a device signed, as the console does.
func (w *world) answer(a approval.Answer, response []byte) (permit.Taken, error) {
	w.l.Caller = inService
	defer func() { w.l.Caller = atTerminal }()
	return w.desk.AnswerByPasskey(ctx, a, origin, "Firefox on Linux", response)
}

// verify verifies the record, as tadactl audit verify does.
func (w *world) verify() error {
	w.Helper()
	_, err := w.l.VerifyWith(audit.VerifyOptions{Complete: true})
	if _, again := w.l.VerifyNew(audit.VerifyOptions{}); (again == nil) != (err == nil) {
		w.Errorf("with the note of an earlier verification: %v, without: %v", again, err)
	}
	return err
}

// E-chan-8: a paired passkey approves the highest risk from a process without a terminal.
func TestAnswerByPasskey(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada", 3)
	a := w.ask(3, 0)
	taken, err := w.answer(a, w.sign(a, d))
	if err != nil || !taken.Approved || !strings.HasSuffix(taken.Signer, " ada") {
		t.Fatalf("%+v, %v", taken, err)
	}
	if e, err := w.l.Envelope(ctx, a.Envelope); err != nil || !e.Approved() {
		t.Errorf("%+v, %v", e, err)
	}
	if err := w.verify(); err != nil {
		t.Error(err)
	}
	b := w.ask(2, 0)
	b.Calls[0].Approved, b.Calls[0].Message = false, "no"
	if taken, err := w.answer(b, w.sign(b, d)); err != nil || taken.Approved {
		t.Errorf("%+v, %v", taken, err)
	}
	gone, err := w.desk.Revoke("ada")
	if err != nil || len(gone) != 1 {
		t.Fatalf("%v, %v", gone, err)
	}
	if err := w.verify(); err != nil { // earlier answers stay valid
		t.Error(err)
	}
	if info, err := os.Stat(w.l.Home().Passkeys()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// Each of these is refused, and the question stays open.
func TestAnswerRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, weak := w.pair("ada", 3), w.pair("bob", 1)
	lost := w.pair("carl", 3)
	a, other := w.ask(3, 0), w.ask(3, 0)
	response, byLost := w.sign(a, d), w.sign(a, lost)
	if _, err := w.desk.Revoke("carl"); err != nil {
		t.Fatal(err)
	}
	swapped := a
	swapped.Calls = []approval.CallDecision{{ID: a.Calls[0].ID, Approved: true, Message: "go on"}}
	stale := a
	stale.PlanHash = other.PlanHash
	for name, c := range map[string]struct {
		answer   approval.Answer
		response []byte
		want     error
	}{
		"of a lost phone": {a, byLost, approval.ErrUntrusted},
		"never paired":    {a, w.sign(a, passkeytest.New(t, true)), approval.ErrUntrusted},
		"above its risk":  {a, w.sign(a, weak), approval.ErrScope},
		"for the other":   {other, response, approval.ErrMismatch},
		"another message": {swapped, response, approval.ErrMismatch},
		"another plan":    {stale, response, approval.ErrMismatch},
		"no user verified": {a, w.sign(a, d, func(c *passkeytest.Ceremony) {
			c.Flags = passkeytest.Present
		}), approval.ErrSignature},
		"not JSON":        {a, []byte("{"), approval.ErrMalformed},
		"an empty answer": {approval.Answer{}, response, approval.ErrUnknown},
		"counter that is old": {a, w.sign(a, d, func(c *passkeytest.Ceremony) {
			c.Counter = 1
		}), nil},
	} {
		if c.want == nil { // after one that counted
			other := w.ask(1, 0)
			if _, err := w.answer(other, w.sign(other, d)); err != nil {
				t.Fatal(err)
			}
			c.want = approval.ErrReplayed
		}
		if _, err := w.answer(c.answer, c.response); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	w.l.Caller = inSandbox
	if _, err := w.desk.AnswerByPasskey(ctx, a, origin, "",
		w.sign(a, d)); !errors.Is(err, approval.ErrPeer) {
		t.Errorf("handed in inside a sandbox: %v", err)
	}
	w.l.Caller = atTerminal
	if e, err := w.l.Envelope(ctx, a.Envelope); err != nil || e.Decision != nil {
		t.Errorf("%+v, %v", e, err)
	}
	if err := w.verify(); err != nil {
		t.Error(err)
	}
}

// The log has the last word on which passkeys count: a list that was edited, or put back, does not.
func TestListIsNoProof(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada", 1)
	path := w.l.Home().Passkeys()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	own := passkeytest.New(t, false)
	list := func(change func(k *passkey.Known)) []byte {
		l, err := passkey.Parse(before)
		if err != nil {
			t.Fatal(err)
		}
		change(&l[0])
		text, err := l.Text()
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	a := w.ask(1, 0)
	for name, text := range map[string][]byte{
		"another risk":   list(func(k *passkey.Known) { k.MaxRisk = 3 }),
		"another person": list(func(k *passkey.Known) { k.Name = "bob" }),
		"another key":    list(func(k *passkey.Known) { k.Key = own.Key }),
		"another id":     list(func(k *passkey.Known) { k.ID, k.Key = own.ID, own.Key }),
	} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		device := d
		if name == "another id" {
			device = own
		}
		if _, err := w.answer(a, w.sign(a, device)); !errors.Is(err, approval.ErrUntrusted) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.desk.Revoke("ada"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, before, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := w.answer(a, w.sign(a, d)); !errors.Is(err, approval.ErrUntrusted) {
		t.Errorf("put back: %v", err)
	}
	if err := w.verify(); err != nil {
		t.Error(err)
	}
}

// A token pairs one device, once, in ten minutes, for one page, and only a person gets one.
func TestPairing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	token, d := w.token("", 2), passkeytest.New(t, true)
	options, err := w.desk.PairBegin(token, origin)
	if err != nil {
		t.Fatal(err)
	}
	good := d.Create(options, origin)
	now := w.l.Directory().Now
	for name, c := range map[string]struct {
		token, origin string
		after         time.Duration
		response      []byte
	}{
		"another token": {token[1:] + token[:1], origin, 0, good},
		"no token":      {"", origin, 0, good},
		"another page":  {token, "https://evil.example", 0, good},
		"too late":      {token, origin, 10 * time.Minute, good},
		"too early":     {token, origin, -time.Minute, good},
		"no response":   {token, origin, 0, []byte("{}")},
	} {
		w.l.Directory().Now = func() time.Time { return now().Add(c.after) }
		if _, err := w.desk.PairFinish(c.token, c.origin, c.response); err == nil {
			t.Errorf("%s: paired", name)
		}
	}
	w.l.Directory().Now = now
	for name, caller := range map[string]func() approval.Caller{"the console": inService,
		"a sandbox": inSandbox} {
		w.l.Caller = caller
		if _, _, err := w.desk.Link(ctx, pairing.Wish{Console: console},
			permit.Factor{}); !errors.Is(err, approval.ErrPeer) {
			t.Errorf("%s got a link: %v", name, err)
		}
		if _, err := w.desk.Revoke("x"); !errors.Is(err, approval.ErrPeer) {
			t.Errorf("%s may revoke: %v", name, err)
		}
	}
	w.l.Caller = inSandbox
	if _, err := w.desk.PairFinish(token, origin, good); !errors.Is(err, approval.ErrPeer) {
		t.Errorf("inside a sandbox: %v", err)
	}
	w.l.Caller = atTerminal
	var wait sync.WaitGroup
	results := make([]error, 8)
	for i := range results { // at once: exactly one counts
		wait.Go(func() { _, results[i] = w.desk.PairFinish(token, origin, good) })
	}
	wait.Wait()
	paired := 0
	for _, err := range results {
		if err == nil {
			paired++
		} else if !errors.Is(err, pairing.ErrToken) {
			t.Error(err)
		}
	}
	if list, err := w.desk.Passkeys(); err != nil || paired != 1 || len(list) != 1 ||
		list[0].Name != permit.Person() || list[0].MaxRisk != 2 {
		t.Errorf("%d paired: %+v, %v", paired, list, err)
	}
	old := w.token("ada", 3)
	w.token("ada", 3)
	if _, err := w.desk.PairBegin(old, origin); !errors.Is(err, pairing.ErrToken) {
		t.Errorf("a link that was replaced: %v", err)
	}
	if err := w.verify(); err != nil {
		t.Error(err)
	}
}

// Of two devices that answer at the same time, one counts; of one person's two devices, one counts
// as a vote.
func TestTwoDevices(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	phones := []*passkeytest.Device{w.pair("ada", 3), w.pair("ada", 3), w.pair("bob", 3)}
	a := w.ask(2, 0)
	var wait sync.WaitGroup
	results := make([]error, len(phones))
	for i, d := range phones {
		response := w.sign(a, d)
		wait.Go(func() {
			_, results[i] = w.desk.AnswerByPasskey(ctx, a, origin, "Firefox on Linux", response)
		})
	}
	wait.Wait()
	counted := 0
	for _, err := range results {
		if err == nil {
			counted++
		} else if !errors.Is(err, approval.ErrDecided) {
			t.Error(err)
		}
	}
	if counted != 1 {
		t.Errorf("%d answers counted", counted)
	}
	a = w.ask(3, 2)
	for i, want := range []error{nil, approval.ErrVoted, nil} {
		taken, err := w.answer(a, w.sign(a, phones[i]))
		if !errors.Is(err, want) || err == nil && (taken.People != 2 || taken.Votes != 1+i/2) {
			t.Errorf("device %d: %+v, %v", i, taken, err)
		}
	}
	if err := w.verify(); err != nil {
		t.Error(err)
	}
}
