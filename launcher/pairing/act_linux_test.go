package pairing_test

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
	"github.com/tada-run/tada-run/audit"
)

// act confirms an act, as the console does.
func (w *world) act(a approval.Act, response []byte) (string, error) {
	w.l.Caller = inService
	defer func() { w.l.Caller = atTerminal }()
	return w.desk.ActByPasskey(a, origin, "Firefox on Linux", response)
}

// signAct has a device sign an act.
func (w *world) signAct(a approval.Act, d *passkeytest.Device,
	change ...func(*passkeytest.Ceremony)) []byte {
	w.Helper()
	options, err := w.desk.ActBegin(a, origin)
	if err != nil {
		w.Fatal(err)
	}
	return d.Get(options, origin, change...)
}

// takeOver is an act of the highest risk.
var takeOver = approval.Act{Do: "take over", On: "20261129-100000-abcdef", Nonce: "00ff"}

// T3: an act that a passkey confirms is in the record with its proof.
func TestAct(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada", 3)
	by, err := w.act(takeOver, w.signAct(takeOver, d))
	if err != nil || by == "" {
		t.Fatalf("%q, %v", by, err)
	}
	byCode := takeOver
	byCode.Nonce = "0100"
	if _, err := w.desk.ActByCode(byCode, "Firefox on Linux"); err != nil {
		t.Fatal(err)
	}
	if err := w.verify(); err != nil {
		t.Error(err)
	}
	if _, err := w.desk.Revoke("ada"); err != nil {
		t.Fatal(err)
	}
	if err := w.verify(); err != nil { // it was valid then
		t.Error(err)
	}
}

// None of these is an act, and the record stays as it was or names the attempt.
func TestActRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, weak, lost := w.pair("ada", 3), w.pair("bob", 1), w.pair("carl", 3)
	signed := w.signAct(takeOver, d)
	byLost, byWeak := w.signAct(takeOver, lost), w.signAct(takeOver, weak)
	if _, err := w.desk.Revoke("carl"); err != nil {
		t.Fatal(err)
	}
	question := w.ask(3, 0)
	undo, other, unknown := takeOver, takeOver, takeOver
	undo.Do, other.On, unknown.Do = "undo", "20261129-100000-000000", "format"
	unverified := func(c *passkeytest.Ceremony) { c.Flags &^= passkeytest.Verified }
	elsewhere := func(c *passkeytest.Ceremony) { c.Origin = "https://evil.example" }
	for name, try := range map[string]struct {
		act      approval.Act
		response []byte
	}{
		"another act":       {undo, signed},
		"another run":       {other, signed},
		"an unknown act":    {unknown, signed},
		"revoked":           {takeOver, byLost},
		"too low a risk":    {takeOver, byWeak},
		"not verified":      {takeOver, w.signAct(takeOver, d, unverified)},
		"of another origin": {takeOver, w.signAct(takeOver, d, elsewhere)},
		"an answer":         {takeOver, w.sign(question, d)},
		"nothing":           {takeOver, nil},
	} {
		if by, err := w.act(try.act, try.response); err == nil {
			t.Errorf("%s: confirmed by %q", name, by)
		}
	}
	if _, err := w.answer(question, w.signAct(takeOver, d)); err == nil {
		t.Error("an act was taken as an answer")
	}
	if _, err := w.act(takeOver, w.signAct(takeOver, d)); err != nil {
		t.Fatal(err)
	}
	if by, err := w.act(takeOver, signed); err == nil {
		t.Errorf("an older assertion was taken after a newer one: %q", by)
	}
	w.l.Caller = inSandbox
	if _, err := w.desk.ActByCode(takeOver, ""); !errors.Is(err, approval.ErrPeer) {
		t.Errorf("in a sandbox: %v", err)
	}
	w.l.Caller = atTerminal
	if err := w.verify(); err != nil {
		t.Error(err)
	}
}

// T3: of a record that was written anew as a whole, an act with another byte is named.
func TestForgedAct(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada", 3)
	if _, err := w.act(takeOver, w.signAct(takeOver, d)); err != nil {
		t.Fatal(err)
	}
	var entries []audit.Entry
	for e, err := range w.l.Entries(audit.Filter{}) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	at := slices.IndexFunc(entries, func(e audit.Entry) bool { return e.Kind == approval.KindAct })
	for name, change := range map[string][2]string{
		"the act":     {`"do":"take over"`, `"do":"undo"`},
		"the run":     {"abcdef", "abcdee"},
		"who":         {" ada", " eve"},
		"a member":    {`"device":"`, `"devices":"`},
		"no proof":    {`"passkey":{`, `"passkex":{`},
		"user absent": {`"auth_data":"`, `"auth_data":"A`},
	} {
		changed := false
		err := w.forged(entries, func(n int, body []byte) []byte {
			if n != at {
				return body
			}
			forged := bytes.Replace(body, []byte(change[0]), []byte(change[1]), 1)
			changed = !bytes.Equal(forged, body)
			return forged
		})
		bad := (*audit.BadEntry)(nil)
		if !changed || !errors.As(err, &bad) || bad.Seq != int64(at) {
			t.Errorf("%s: %v (changed: %v)", name, err, changed)
		}
	}
	err := w.forged(append(entries, entries[at]), func(_ int, b []byte) []byte { return b })
	if bad := (*audit.BadEntry)(nil); !errors.As(err, &bad) || bad.Seq != int64(len(entries)) {
		t.Errorf("the same assertion a second time: %v", err)
	}
}
