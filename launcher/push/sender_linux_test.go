package push

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

var ctx = context.Background()

func soon() message {
	return message{text: "R2 in ~/proj", until: time.Now().Add(time.Hour)}
}

// send sends a message to all devices, and waits for what comes of it.
func (w *world) send() {
	w.sender.sendAll(ctx, soon())
	w.sender.posted.Wait()
}

// A question reaches the device as the one text, once, and the relay learns who sends, how long it
// is of use, and its size, which is that of all messages.
func TestSender(t *testing.T) {
	w := newWorld(t)
	d := w.subscribe("/push/one", 0)
	running, stop := context.WithCancel(ctx)
	ended := make(chan bool)
	go func() { w.sender.Run(running); close(ended) }()
	until := time.Now().Add(time.Hour)
	open := []Question{asked("a", "R2 in ~/proj", until)}
	w.sender.Notify(open)
	p := w.next()
	if text, err := d.open(p.body); err != nil || text != "R2 in ~/proj" || p.path != "/push/one" {
		t.Errorf("%q, %v at %s", text, err, p.path)
	}
	ttl, err := strconv.Atoi(p.header.Get("TTL"))
	if err != nil || ttl < 3500 || ttl > 3600 || p.header.Get("Urgency") != "high" ||
		p.header.Get("Content-Encoding") != "aes128gcm" || p.header.Get("Topic") != "" {
		t.Errorf("%v", p.header)
	}
	w.verify(p)
	w.sender.Notify(open) // once
	open = append(open, asked("b", "R3 in ~", until))
	w.sender.Notify(open)
	q := w.next()
	if text, err := d.open(q.body); err != nil || text != "R3 in ~" || len(q.body) != len(p.body) {
		t.Errorf("%q, %v, %d bytes and not %d", text, err, len(q.body), len(p.body))
	}
	stop()
	<-ended
	w.none()
	if said := w.said(); said != "" {
		t.Error(said)
	}
}

// verify checks who sends, as RFC 8292 says.
func (w *world) verify(p post) {
	w.Helper()
	who, ok := strings.CutPrefix(p.header.Get("Authorization"), "vapid t=")
	token, key, ok2 := strings.Cut(who, ", k=")
	parts := strings.Split(token, ".")
	public, err := w.sender.book.Public()
	if !ok || !ok2 || len(parts) != 3 || err != nil || key != public {
		w.Fatalf("%v: %v", p.header, err)
	}
	raw, _ := decode(key)
	pub, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), raw)
	if err != nil {
		w.Fatal(err)
	}
	signature, err := decode(parts[2])
	sum := sha256.Sum256([]byte(parts[0] + "." + parts[1]))
	if err != nil || len(signature) != 64 || !ecdsa.Verify(pub, sum[:],
		new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		w.Errorf("the token is not signed: %v", err)
	}
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	text, _ := decode(parts[1])
	if err := json.Unmarshal(text, &claims); err != nil || claims.Aud != w.base ||
		!strings.HasPrefix(claims.Sub, "https://") ||
		time.Until(time.Unix(claims.Exp, 0)) > 24*time.Hour || claims.Exp < time.Now().Unix() {
		w.Errorf("%s: %v", text, err)
	}
	info, err := os.Stat(w.dir.PushKey())
	if err != nil || info.Mode().Perm() != 0o600 {
		w.Errorf("%v, %v", info, err)
	}
}

// What a relay answers ends a subscription, or is tried again, or is reported once.
func TestRelays(t *testing.T) {
	w := newWorld(t)
	for _, code := range []int{http.StatusNotFound, http.StatusGone} {
		w.subscribe("/gone", 0)
		w.answers(status(code))
		w.send()
		w.next()
		if n := w.counts(); n != 0 || !strings.Contains(w.said(), "end: the relay does not have") {
			t.Errorf("%d: %d are left; %s", code, n, w.said())
		}
	}
	w.subscribe("/push", 0)
	w.lines = nil
	again := status(http.StatusTooManyRequests, "Retry-After: 1")
	first := true
	w.answers(func(rw http.ResponseWriter, r *http.Request) {
		if !first {
			again = status(http.StatusCreated)
		}
		first = false
		again(rw, r)
	})
	w.send()
	if one, two := w.next(), w.next(); two.at.Sub(one.at) < time.Second {
		t.Errorf("asked to wait a second, it was tried again after %s", two.at.Sub(one.at))
	}
	if said := w.said(); said != "" {
		t.Error(said)
	}
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		posts  int
		want   string
	}{
		"busy":      {status(503), mostTries, "status 503"},
		"too long":  {status(429, "Retry-After: 3600"), 1, "status 429"},
		"date":      {status(429, "Retry-After: Fri, 01 Jan 2100 00:00:00 GMT"), 1, "status 429"},
		"forbidden": {status(403), 1, "status 403"},
		"too large": {status(413), 1, "status 413"},
		"elsewhere": {status(307, "Location: https://127.0.0.1:1/"), 1, "status 307"},
		"here": {status(302, "Location: "+w.base+"/other"), 1,
			"status 302"},
		"header": {status(201, "X: "+strings.Repeat("x", maxAnswer+4096)), mostTries,
			"exceeded"},
	} {
		w.answers(status(201))
		w.send()
		w.next()
		w.answers(row.answer)
		w.lines = nil
		w.send()
		w.send()
		for range 2 * row.posts {
			if p := w.next(); p.path != "/push" {
				t.Errorf("%s: the redirect was followed to %s", name, p.path)
			}
		}
		w.none()
		said := w.said()
		if strings.Count(said, "\n") != 0 || !strings.Contains(said, row.want) ||
			strings.Contains(said, "/push") {
			t.Errorf("%s: %q", name, said)
		}
		if p := w.sender.Problem(w.base + "/push"); !strings.Contains(p, row.want) {
			t.Errorf("%s: the page has %q", name, p)
		}
	}
	w.answers(status(201))
	w.send()
	if p := w.sender.Problem(w.base + "/push"); p != "" || w.counts() != 1 {
		t.Errorf("after it was sent: %q", p)
	}
}

// hang never answers: what a handler that returns sends could still arrive.
func hang(_ http.ResponseWriter, r *http.Request) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// A relay that hangs, or answers without an end, delays no question and is not waited for.
func TestRelaysThatDelay(t *testing.T) {
	w := newWorld(t)
	w.subscribe("/push", 0)
	w.sender.client.Timeout = 200 * time.Millisecond
	w.answers(hang)
	began := time.Now()
	for i := range 1000 {
		w.sender.Notify([]Question{asked(fmt.Sprint(i), "R1", began.Add(time.Hour))})
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("to notify took %s", took)
	}
	w.send()
	if said := w.said(); !strings.Contains(said, "cannot be reached") {
		t.Error(said)
	}
	w.sender.client.Timeout = postTimeout
	w.lines = nil
	w.answers(func(rw http.ResponseWriter, _ *http.Request) {
		_, _ = io.CopyN(rw, zeros{}, 10<<20)
	})
	w.send()
	if said := w.said(); said != "" {
		t.Error(said)
	}
	w.answers(hang)
	running, stop := context.WithCancel(ctx)
	ended := make(chan bool)
	go func() { w.sender.Run(running); close(ended) }()
	for len(w.posts) > 0 {
		<-w.posts
	}
	w.sender.Notify([]Question{asked("a", "R1", time.Now().Add(time.Hour))})
	w.next()
	stop()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("it does not end while a relay hangs")
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// The production guard is in the way of a subscription that leads to this machine.
func TestNoRelayHere(t *testing.T) {
	w := newWorld(t)
	w.subscribe("/push", 0)
	trust := w.sender.client.Transport.(*http.Transport).TLSClientConfig
	w.sender.client = newClient(outside, trust)
	w.send()
	w.none()
	if said := w.said(); !strings.Contains(said, "not public") {
		t.Error(said)
	}
	if err := w.sender.Test(ctx, w.base+"/push"); err == nil {
		t.Error("the test was sent")
	}
	// nor is one that the authorities of this machine do not know
	w.sender.client = newClient(func(netip.AddrPort) error { return nil }, nil)
	if err := w.sender.Test(ctx, w.base+"/push"); err == nil || !strings.Contains(err.Error(),
		"unknown authority") {
		t.Error(err)
	}
	w.none()
}
