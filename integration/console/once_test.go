package console_test

import (
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/push"
)

// What is good once is so also when fifty come at once: a link, a sign-in, an act.
func TestOnceAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	d := w.pair("ada")
	g := w.enter()
	ticket, options := g.begin()
	signedIn := d.Get(options, w.base)
	browser := subscription(t)
	known, err := push.Read(browser)
	if err != nil {
		t.Fatal(err)
	}
	_, text := g.post(g.root+"act/begin", object{"do": "notify", "on": known.Name()}, nil)
	var act struct {
		Nonce   string
		Options json.RawMessage
	}
	if err := json.Unmarshal(text, &act); err != nil {
		t.Fatal(err)
	}
	confirmed := object{"nonce": act.Nonce, "subscription": json.RawMessage(browser),
		"response": json.RawMessage(d.Get(act.Options, w.base))}
	link := w.link("")
	// in this order: the passkey counts, and has signed the act last
	for _, once := range []struct {
		name string
		try  func() bool
	}{
		{"a link", func() bool {
			one := w.guest()
			resp, _ := one.send("GET", link, "", nil)
			return one.enters(resp)
		}},
		{"a sign-in", func() bool { return w.guest().finish(ticket, signedIn) }},
		{"an act", func() bool {
			resp, _ := g.post(g.root+"notify/add", confirmed, nil)
			return resp.StatusCode == http.StatusOK
		}},
	} {
		var done atomic.Int32
		var all sync.WaitGroup
		for range 50 {
			all.Go(func() {
				if once.try() {
					done.Add(1)
				}
			})
		}
		all.Wait()
		if n := done.Load(); n != 1 {
			t.Errorf("%s: %d times", once.name, n)
		}
	}
	acts := 0
	for _, err := range w.l.Entries(audit.Filter{Kinds: []string{approval.KindAct}}) {
		if acts++; err != nil {
			t.Fatal(err)
		}
	}
	if acts != 1 || w.count("began") != 3 {
		t.Errorf("%d acts; %+v", acts, w.visitors())
	}
}

// subscription is what a browser sends that is to be notified.
func subscription(t *testing.T) []byte {
	t.Helper()
	key, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	text, err := json.Marshal(object{"endpoint": "https://relay.example/" + rand.Text(),
		"keys": object{"p256dh": encode(key.PublicKey().Bytes()),
			"auth": encode(make([]byte, 16))}})
	if err != nil {
		t.Fatal(err)
	}
	return text
}
