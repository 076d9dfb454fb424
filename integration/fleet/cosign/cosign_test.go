package cosign

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/witness"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A bed is a fleet of two machines: one has a log, the other is its witness.
type bed struct {
	*testing.T
	registrar approval.Key
	fleet     document.Fleet
	asks      Self
	dir       string // of its log
	signer    note.Signer
	log       note.Verifier
	public    string
	witness   *Witness
	now       time.Time // of every entry: two logs of the same entries are the same
}

func newBed(t *testing.T) *bed {
	t.Helper()
	b := &bed{T: t, now: time.Now(), dir: filepath.Join(t.TempDir(), "audit")}
	b.registrar = newKey(t, "registrar")
	ann := newKey(t, "ann")
	b.fleet = document.Fleet{Name: "acme", Serial: 1, People: []document.Person{{Name: "ann",
		Key: ann.Public(), Admin: true}}, Registrar: document.Person{Name: "registrar",
		Key: b.registrar.Public()}}
	b.asks = b.machine()
	secret, public, err := note.GenerateKey(rand.Reader, "tada-run/log")
	must(t, err)
	b.signer, err = note.NewSigner(secret)
	must(t, err)
	b.log, err = note.NewVerifier(public)
	must(t, err)
	b.public = public
	b.witness, err = Open(filepath.Join(t.TempDir(), "witness"), b.machine())
	must(t, err)
	t.Cleanup(func() { b.witness.Close() })
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newKey(t *testing.T, name string) approval.Key {
	t.Helper()
	k, err := approval.NewKey(name, rand.Reader)
	must(t, err)
	return k
}

// machine is a new member.
func (b *bed) machine() Self {
	b.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	must(b.T, err)
	sum := sha256.Sum256(public)
	m := document.Machine{ID: "tada-" + hex.EncodeToString(sum[:8]), Name: "machine",
		Key: hex.EncodeToString(sum[:]), Joined: time.Now()}
	record, err := m.Sign(b.registrar)
	must(b.T, err)
	return Self{ID: m.ID, Holder: document.HolderOf(record, key), Key: key, Now: time.Now}
}

// grow adds entries to a log, and returns a checkpoint of it.
func (b *bed) grow(dir string, entries int, text string) []byte {
	b.Helper()
	l, err := audit.OpenLog(dir, audit.LogOptions{MinFree: 1,
		Now: func() time.Time { return b.now }})
	must(b.T, err)
	for range entries {
		_, err := l.Append("k", []byte(`{"a":"`+text+`"}`), audit.Lazy)
		must(b.T, err)
	}
	must(b.T, l.Close())
	signed, err := audit.Checkpoint(dir, audit.VerifyOptions{}, b.signer)
	must(b.T, err)
	return signed
}

// request is one of the machine for a checkpoint of a log that has grown from old entries.
func (b *bed) request(dir string, old int64, signed []byte) Request {
	b.Helper()
	proof, err := audit.ProveGrowth(dir, audit.VerifyOptions{}, old, signed,
		note.VerifierList(b.log))
	must(b.T, err)
	return Request{Machine: b.asks.ID, Witness: b.witness.ID, Holder: b.asks.Holder,
		Log: b.public, Add: witness.AddBody(old, proof, signed)}
}

func (b *bed) send(r Request) (Answer, error) {
	b.Helper()
	text, err := r.Sign(b.asks.Key)
	must(b.T, err)
	return b.witness.Answer(b.fleet, b.asks.ID, text)
}

// A log that grows is cosigned; the cosignature counts for who knows the fleet alone. One that was
// cut, or has another history, is refused, and one that only did not know how much was seen is not.
func TestAnswer(t *testing.T) {
	b := newBed(t)
	first := b.grow(b.dir, 3, "x")
	answer, err := b.send(b.request(b.dir, 0, first))
	if err != nil || answer.Refused != "" || answer.Entries != 3 {
		t.Fatalf("%+v, %v", answer, err)
	}
	signed, err := audit.AddCosignatures(first, answer.Lines)
	must(t, err)
	by, err := Cosigned(b.fleet, b.asks.ID, signed, b.log, []document.Holder{b.asks.Holder,
		answer.Holder, answer.Holder})
	if err != nil || len(by) != 1 || by[0].ID != b.witness.ID || by[0].Time.IsZero() {
		t.Errorf("%+v, %v", by, err)
	}
	old := filepath.Join(t.TempDir(), "old")
	b.grow(old, 3, "x")
	second := b.grow(b.dir, 2, "y")
	if a, err := b.send(b.request(b.dir, 0, second)); err != nil || a.Refused != "" ||
		a.Lines != nil || a.Entries != 3 {
		t.Errorf("%+v, %v: it did not know what was seen", a, err)
	}
	if a, err := b.send(b.request(b.dir, 3, second)); err != nil || a.Lines == nil ||
		a.Entries != 5 {
		t.Errorf("%+v, %v", a, err)
	}
	for _, c := range []struct {
		more   int
		old    int64
		reason string
	}{{0, 0, "its log has 3 entries, and had 5"}, {2, 5, "another log of 5 entries"},
		{2, 5, "does not extend"}} {
		signed := b.grow(old, c.more, "other")
		a, err := b.send(b.request(old, c.old, signed))
		if err != nil || a.Lines != nil || !strings.Contains(a.Refused, c.reason) ||
			a.Entries != 5 {
			t.Errorf("%+v, %v; want %q", a, err, c.reason)
		}
	}
}

// What is no request of that machine to this one is not answered, and changes nothing.
func TestNoRequest(t *testing.T) {
	b := newBed(t)
	good := b.request(b.dir, 0, b.grow(b.dir, 1, "x"))
	stranger := newBed(t).machine()
	for name, change := range map[string]func(r *Request){
		"of another machine": func(r *Request) { r.Machine = b.machine().ID },
		"to another machine": func(r *Request) { r.Witness = b.asks.ID },
		"of another fleet":   func(r *Request) { r.Holder = stranger.Holder },
		"with another key":   func(r *Request) { r.Key = stranger.Holder.Key },
		"without a log":      func(r *Request) { r.Log = "log" },
		"with a path":        func(r *Request) { r.Machine = ".." },
		"not signed": func(r *Request) {
			r.Add = []byte(strings.Replace(string(r.Add), "—", "-", 1))
		},
	} {
		r := good
		change(&r)
		if a, err := b.send(r); err == nil {
			t.Errorf("%s: %+v", name, a)
		}
	}
	revoked := b.fleet
	revoked.Revoked = []string{b.asks.ID}
	text, err := good.Sign(b.asks.Key)
	must(t, err)
	if _, err := b.witness.Answer(revoked, b.asks.ID, text); !errors.Is(err, document.ErrRevoked) {
		t.Error(err)
	}
	if a, err := b.send(good); err != nil || a.Lines == nil {
		t.Errorf("%+v, %v", a, err)
	}
}

// FuzzText reads requests and answers that are anything.
func FuzzText(f *testing.F) {
	f.Add([]byte(head+"{}\n\n— tada-0123456789abcdef AAAAAAAA\n"), []byte(`{"entries":1}`))
	f.Fuzz(func(t *testing.T, request, answer []byte) {
		if _, err := OpenRequest(request, document.Fleet{}); err == nil {
			t.Error("a request of no machine")
		}
		if a, err := ReadAnswer(answer); err == nil {
			if _, err := a.Text(); err != nil {
				t.Error(err)
			}
		}
	})
}
