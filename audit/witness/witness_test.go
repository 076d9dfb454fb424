package witness_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/witness"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A world is a log, its key, and a witness that watches it.
type world struct {
	t       *testing.T
	dir     string
	log     *audit.Log
	signer  note.Signer
	key     note.Verifier
	wdir    string
	watcher *witness.Witness
	wkey    *audit.WitnessKey
	client  witness.Client
	secret  string
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: filepath.Join(t.TempDir(), "audit"),
		wdir: filepath.Join(t.TempDir(), "witness")}
	skey, vkey, err := note.GenerateKey(rand.Reader, "log.test/one")
	must(t, err)
	w.signer, err = note.NewSigner(skey)
	must(t, err)
	w.key, err = note.NewVerifier(vkey)
	must(t, err)
	secret, public, err := witness.GenerateKey(rand.Reader, "witness.test")
	must(t, err)
	w.secret = secret
	w.wkey, err = audit.NewWitnessKey(public)
	must(t, err)
	w.open()
	w.log = openLog(t, w.dir)
	return w
}

func openLog(t *testing.T, dir string) *audit.Log {
	t.Helper()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	l, err := audit.OpenLog(dir,
		audit.LogOptions{Now: func() time.Time { at = at.Add(time.Second); return at }, MinFree: 1})
	must(t, err)
	t.Cleanup(func() { l.Close() })
	return l
}

// open restarts the witness.
func (w *world) open() {
	w.t.Helper()
	if w.watcher != nil {
		must(w.t, w.watcher.Close())
	}
	c, err := witness.NewCosigner(w.secret, func() time.Time { return time.Unix(1767225600, 0) })
	must(w.t, err)
	w.watcher, err = witness.Open(w.wdir, witness.Options{Signer: c, Logs: []note.Verifier{w.key}})
	must(w.t, err)
	s := httptest.NewServer(w.watcher)
	w.t.Cleanup(s.Close)
	w.client = witness.Client{URL: s.URL}
}

func (w *world) append(n int) {
	w.t.Helper()
	for i := range n {
		_, err := w.log.Append("k", fmt.Appendf(nil, `{"i":%d}`, i), audit.Lazy)
		must(w.t, err)
	}
}

func (w *world) checkpoint(dir string) []byte {
	w.t.Helper()
	signed, err := audit.Checkpoint(dir, audit.VerifyOptions{}, w.signer)
	must(w.t, err)
	return signed
}

func (w *world) witnessed(dir string, old int64) ([]byte, error) {
	w.t.Helper()
	signed := w.checkpoint(dir)
	proof, err := audit.ProveGrowth(dir, audit.VerifyOptions{}, old, signed,
		note.VerifierList(w.key))
	must(w.t, err)
	lines, err := w.client.Add(context.Background(), old, proof, signed)
	if err != nil {
		return nil, err
	}
	return audit.AddCosignatures(signed, lines)
}

// A log that grows is cosigned each time; one that was cut, or has another history, is not,
// whatever its own files say. So rolling everything back, keys and marks included, is detected.
func TestWitness(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, step := range []struct {
		add int
		old int64
	}{{0, 0}, {5, 0}, {7, 5}, {0, 12}, {1, 12}, {100, 13}} {
		w.append(step.add)
		cosigned, err := w.witnessed(w.dir, step.old)
		must(t, err)
		seen, err := audit.Cosignatures(cosigned, w.key, []*audit.WitnessKey{w.wkey})
		if err != nil || len(seen) != 1 || seen[0].Witness != "witness.test" ||
			seen[0].Time.Unix() != 1767225600 {
			t.Errorf("%+v: %+v, %v", step, seen, err)
		}
		point, err := audit.CheckpointPoint(cosigned, note.VerifierList(w.key))
		must(t, err)
		if _, err := audit.Verify(w.dir,
			audit.VerifyOptions{Remember: []audit.Point{point}}); err != nil {
			t.Errorf("%+v: %v", step, err)
		}
	}
	w.open() // a restart forgets nothing
	var conflict *witness.ConflictError
	if _, err := w.witnessed(w.dir, 13); !errors.As(err, &conflict) || conflict.Size != 113 {
		t.Errorf("an old size: %v", err)
	}
	other := filepath.Join(t.TempDir(), "audit")
	l := openLog(t, other)
	for range 113 {
		_, err := l.Append("k", []byte(`{"another":"story"}`), audit.Lazy)
		must(t, err)
	}
	var refused *witness.RefusedError
	if _, err := w.witnessed(other, 113); !errors.As(err, &refused) ||
		refused.Status != http.StatusConflict {
		t.Errorf("another history as long: %v", err)
	}
	_, err := l.Append("k", []byte(`{}`), audit.Lazy)
	must(t, err)
	if _, err := w.witnessed(other, 113); !errors.As(err, &refused) ||
		refused.Status != http.StatusUnprocessableEntity {
		t.Errorf("another history that is longer: %v", err)
	}
	shorter := filepath.Join(t.TempDir(), "audit")
	openLog(t, shorter)
	if _, err := w.witnessed(shorter, 0); !errors.As(err, &conflict) || conflict.Size != 113 {
		t.Errorf("a new folder: %v", err)
	}
}

// Every answer of the protocol that is not 200.
func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(3)
	signed := string(w.checkpoint(w.dir))
	skey, _, err := note.GenerateKey(rand.Reader, "log.test/one")
	must(t, err)
	stranger, err := note.NewSigner(skey)
	must(t, err)
	forged, err := note.Sign(&note.Note{Text: signed[:strings.Index(signed, "\n\n")+1]}, stranger)
	must(t, err)
	zero := strings.Repeat("A", 43) + "=\n"
	for _, c := range []struct {
		name, body string
		want       int
	}{
		{"empty", "", 400},
		{"no old", "new 0\n\n" + signed, 400},
		{"old with a zero before it", "old 00\n\n" + signed, 400},
		{"negative old", "old -1\n\n" + signed, 400},
		{"old is larger", "old 4\n\n" + signed, 400},
		{"no checkpoint", "old 0\n\n", 400},
		{"not a hash", "old 0\nxx\n\n" + signed, 400},
		{"64 hashes", "old 0\n" + strings.Repeat(zero, 64) + "\n" + signed, 400},
		{"too large", "old 0\n\n" + signed + strings.Repeat("x", 64<<10), 400},
		{"another origin", "old 0\n\nlog.test/two\n" + signed[strings.Index(signed, "\n")+1:], 404},
		{"another key", "old 0\n\n" + string(forged), 403},
		{"changed text", "old 0\n\n" + strings.Replace(signed, "\n3\n", "\n4\n", 1), 403},
		{"not what is remembered", "old 1\n\n" + signed, 409},
		{"a proof of nothing", "old 0\n" + zero + "\n" + signed, 422},
		{"good", "old 0\n\n" + signed, 200},
		{"good, again", "old 3\n\n" + signed, 200},
		{"as if for the first time", "old 0\n\n" + signed, 409},
	} {
		out := httptest.NewRecorder()
		w.watcher.ServeHTTP(out, httptest.NewRequest(http.MethodPost, "/add-checkpoint",
			strings.NewReader(c.body)))
		if out.Code != c.want {
			t.Errorf("%s: %d %q, want %d", c.name, out.Code, out.Body, c.want)
		}
	}
	for path, want := range map[string]int{"/": 404, "/add-checkpoint": 404,
		"/../lock/checkpoint": 404, "/" + strings.Repeat("0", 64) + "/checkpoint": 404} {
		out := httptest.NewRecorder()
		w.watcher.ServeHTTP(out, httptest.NewRequest(http.MethodGet, "http://x"+path, nil))
		if out.Code != want {
			t.Errorf("GET %s: %d", path, out.Code)
		}
	}
	out := httptest.NewRecorder()
	const name = "bd1a26dd83dc9dd0a2fc1a0b6f3ad2e1a3bb94d2" // not its hash
	w.watcher.ServeHTTP(out, httptest.NewRequest(http.MethodGet, "/"+name+"/checkpoint", nil))
	if out.Code != 404 {
		t.Errorf("GET of a name that is no log's: %d", out.Code)
	}
}

// Of many requests at once with different histories, one is cosigned.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var all sync.WaitGroup
	var mu sync.Mutex
	good := 0
	for i := range 8 {
		dir := filepath.Join(t.TempDir(), "audit")
		_, err := openLog(t, dir).Append("k", fmt.Appendf(nil, `{"i":%d}`, i), audit.Lazy)
		must(t, err)
		signed := w.checkpoint(dir)
		all.Go(func() {
			if _, err := w.client.Add(context.Background(), 0, nil, signed); err == nil {
				mu.Lock()
				good++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	if good != 1 {
		t.Errorf("%d histories were cosigned", good)
	}
}

// Over a socket in the file system, for a witness under another account of this machine; one
// process at a time serves from a folder.
func TestSocket(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if _, err := witness.Open(w.wdir, witness.Options{Signer: fixedSigner(t, w)}); !errors.Is(err,
		witness.ErrBusy) {
		t.Errorf("opened twice: %v", err)
	}
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", path)
	must(t, err)
	s := &http.Server{Handler: w.watcher}
	go func() { _ = s.Serve(l) }()
	t.Cleanup(func() { s.Close() })
	w.client = witness.Client{URL: "http://witness", HTTP: &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, "unix", path)
		},
	}}}
	w.append(2)
	_, err = w.witnessed(w.dir, 0)
	must(t, err)
}

func fixedSigner(t *testing.T, w *world) note.Signer {
	t.Helper()
	c, err := witness.NewCosigner(w.secret, time.Now)
	must(t, err)
	return c
}

// No byte of a cosigned checkpoint, or of a witness's key, can be changed unnoticed.
func TestEveryByte(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.append(3)
	good, err := w.witnessed(w.dir, 0)
	must(t, err)
	want, err := audit.CheckpointPoint(good, note.VerifierList(w.key))
	must(t, err)
	for i := range good {
		b := bytes.Clone(good)
		b[i] ^= 1
		seen, err := audit.Cosignatures(b, w.key, []*audit.WitnessKey{w.wkey})
		p, err2 := audit.CheckpointPoint(b, note.VerifierList(w.key))
		if err == nil && len(seen) > 0 &&
			(err2 != nil || p != want || seen[0].Time.Unix() != 1767225600) {
			t.Errorf("byte %d changed: believed %v, %v", i, p, seen)
		}
	}
	c, err := witness.NewCosigner(w.secret, nil)
	must(t, err)
	vkey := c.PublicKey()
	for i := range vkey {
		if _, err := audit.NewWitnessKey(vkey[:i] + string(vkey[i]^1) + vkey[i+1:]); err == nil {
			t.Errorf("byte %d of the key changed: believed", i)
		}
	}
	if _, err := witness.NewCosigner("TADA+WITNESS+KEY+x+AAAA", nil); err == nil ||
		strings.Contains(err.Error(), "AAAA") {
		t.Errorf("a short secret: %v", err)
	}
	if lines, err := audit.AddCosignatures(good, []byte("not a signature\n")); err == nil {
		t.Errorf("appended %q", lines)
	}
}
