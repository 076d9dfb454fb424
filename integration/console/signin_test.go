package console_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey/passkeytest"
)

// begin asks for the options of a sign-in, and returns its ticket.
func (g *guest) begin() (ticket string, options []byte) {
	g.Helper()
	resp, text := g.post("/sign-in/begin", object{}, nil)
	var begun struct {
		Token   string
		Options json.RawMessage
	}
	if err := json.Unmarshal(text, &begun); err != nil || resp.StatusCode != http.StatusOK {
		g.Fatalf("%d %s", resp.StatusCode, text)
	}
	return begun.Token, begun.Options
}

type object map[string]any

// finish sends what a device has signed, and reports whether the browser is let in.
func (g *guest) finish(ticket string, response []byte) bool {
	g.Helper()
	resp, _ := g.post("/sign-in/finish", object{"token": ticket,
		"response": json.RawMessage(response)}, nil)
	return g.enters(resp) && resp.StatusCode == http.StatusOK
}

func (w *world) guest() *guest { return &guest{world: w, agent: firefox} }

// signIn signs a new browser in.
func (w *world) signIn(d *passkeytest.Device) *guest {
	w.Helper()
	g := w.guest()
	ticket, options := g.begin()
	if !g.finish(ticket, d.Get(options, w.base)) {
		w.Fatal("a passkey does not sign in")
	}
	return g
}

// A passkey signs a browser in, whose session is named after it. Everything else does not.
func TestSignIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, lost := w.pair("ada"), w.pair("carl")
	g := w.signIn(d)
	if _, page := g.send("GET", g.root+"devices", "", nil); !strings.Contains(page,
		"Firefox on Linux") || !strings.Contains(page, " ada") ||
		strings.Count(page, "this one") != 1 {
		t.Error(page)
	}
	if _, err := w.desk.Revoke("carl"); err != nil {
		t.Fatal(err)
	}
	ticket, options := g.begin()
	spent := d.Get(options, w.base)
	if !w.guest().finish(ticket, spent) {
		t.Fatal("a second browser")
	}
	old, oldOptions := g.begin()
	w.pass(2 * time.Minute)
	ticket2, options2 := g.begin()
	get := func(d *passkeytest.Device, change func(*passkeytest.Ceremony)) []byte {
		return d.Get(options2, w.base, change)
	}
	for name, try := range map[string]struct {
		ticket   string
		response []byte
	}{
		"replayed":               {ticket, spent},
		"with another ticket":    {ticket2, spent},
		"after two minutes":      {old, d.Get(oldOptions, w.base)},
		"a ticket of one's own":  {strings.Repeat("0", len(ticket2)), d.Get(options2, w.base)},
		"a ticket that is later": {later(ticket2), d.Get(options2, w.base)},
		"no ticket":              {"", d.Get(options2, w.base)},
		"of a passkey that was revoked": {ticket2, get(lost,
			func(*passkeytest.Ceremony) {})},
		"of a stranger": {ticket2, get(passkeytest.New(t, true),
			func(*passkeytest.Ceremony) {})},
		"without user verification": {ticket2, get(d,
			func(c *passkeytest.Ceremony) { c.Flags = passkeytest.Present })},
		"nobody present": {ticket2, get(d,
			func(c *passkeytest.Ceremony) { c.Flags = passkeytest.Verified })},
		"of another origin": {ticket2, get(d,
			func(c *passkeytest.Ceremony) { c.Origin = "https://evil.example" })},
		"of another port": {ticket2, get(d,
			func(c *passkeytest.Ceremony) { c.Origin = "http://localhost:1" })},
		"in a frame": {ticket2, get(d,
			func(c *passkeytest.Ceremony) { c.Client["crossOrigin"] = true })},
		"of another host": {ticket2, get(d,
			func(c *passkeytest.Ceremony) { c.RP = "evil.example" })},
		"as a pairing": {ticket2, get(d,
			func(c *passkeytest.Ceremony) { c.Type = "webauthn.create" })},
		"of a copy": {ticket2, get(d, func(c *passkeytest.Ceremony) { c.Counter = 1 })},
		"no JSON":   {ticket2, []byte("{}")},
	} {
		if w.guest().finish(try.ticket, try.response) {
			t.Errorf("%s: let in", name)
		}
	}
	if !w.guest().finish(ticket2, d.Get(options2, w.base)) {
		t.Error("failures of others have used up a ticket")
	}
	if resp, _ := g.post("/sign-in/begin", object{}, func(r *http.Request) {
		r.Header.Set("Origin", "https://evil.example")
	}); resp.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: %d", resp.StatusCode)
	}
}

// later is a ticket that says that it was made later.
func later(ticket string) string {
	parts := strings.Split(ticket, ".")
	return parts[0] + "." + parts[1] + "0." + parts[2]
}

// A sign-in is no answer and no act, and neither of them is a sign-in.
func TestSignInIsNothingElse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d, e := w.pair("ada"), w.ask()
	g := w.signIn(d)
	_, page := g.send("GET", g.root+"q/"+e.ID, "", nil)
	step := func(response []byte) object {
		return object{"question": e.ID, "plan": e.PlanHash, "proof": hidden(t, page, "proof"),
			"calls": object{e.Calls[0]: true}, "response": json.RawMessage(response)}
	}
	answer := approval.Answer{Envelope: e.ID, PlanHash: e.PlanHash,
		Calls: []approval.CallDecision{{ID: e.Calls[0], Approved: true}}}
	toAnswer, err := w.desk.AssertBegin(context.Background(), answer, w.base)
	if err != nil {
		t.Fatal(err)
	}
	act := approval.Act{Do: "end", On: "x", Nonce: "00"}
	toAct, err := w.desk.ActBegin(act, w.base)
	if err != nil {
		t.Fatal(err)
	}
	ticket, options := g.begin()
	signedIn := d.Get(options, w.base)
	if resp, _ := g.post(g.root+"assert/finish", step(signedIn),
		nil); resp.StatusCode == http.StatusOK {
		t.Error("a sign-in was an answer")
	}
	if _, err := w.desk.ActByPasskey(act, w.base, "", signedIn); err == nil {
		t.Error("a sign-in was an act")
	}
	for name, options := range map[string][]byte{"an answer": toAnswer, "an act": toAct} {
		if w.guest().finish(ticket, d.Get(options, w.base)) {
			t.Errorf("%s was a sign-in", name)
		}
	}
	if e, err := w.l.Envelope(t.Context(), e.ID); err != nil || e.Decision != nil {
		t.Errorf("%+v, %v", e.Decision, err)
	}
	// the right one still is: with the device in the record
	time.Sleep(time.Until(e.Issued.Add(e.ReadingTime() + time.Second)))
	if resp, text := g.post(g.root+"assert/finish", step(d.Get(toAnswer, w.base)),
		nil); resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, text)
	}
	decided, err := w.l.Envelope(t.Context(), e.ID)
	if err != nil || !strings.HasPrefix(decided.Decision.Via.Device, "Firefox on Linux, passkey ") {
		t.Errorf("%+v, %v", decided.Decision, err)
	}
}

// A passkey that is revoked at the terminal ends its sessions, also what is open in them.
func TestRevokedPasskeyEndsItsSessions(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	g, other := w.signIn(w.pair("ada")), w.signIn(w.pair("bob"))
	r, err := http.NewRequestWithContext(t.Context(), "GET", w.base+g.root+"events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.AddCookie(g.cookie)
	stream, err := once.Do(r)
	if err != nil || stream.StatusCode != http.StatusOK {
		t.Fatal(stream, err)
	}
	defer stream.Body.Close()
	ended := make(chan bool)
	go func() {
		b := make([]byte, 64)
		for {
			if _, err := stream.Body.Read(b); err != nil {
				close(ended)
				return
			}
		}
	}()
	if _, err := w.desk.Revoke("ada"); err != nil {
		t.Fatal(err)
	}
	if status := other.status("GET", other.root, ""); status != http.StatusOK {
		t.Errorf("another passkey: %d", status)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("its stream goes on")
	}
	if status := g.status("GET", g.root, ""); status != http.StatusForbidden {
		t.Errorf("after it was revoked: %d", status)
	}
	last := w.visitors()[len(w.visitors())-1]
	if last.Did != "ended" && last.Did != "refused" || w.count("ended") != 1 {
		t.Errorf("%+v", w.visitors())
	}
}
