package ship

import (
	"context"
	"crypto/rand"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/witness"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/served"
)

// fill records runs until the log has so many files.
func (m *member) fill(segments int) {
	m.Helper()
	log := m.open()
	defer log.Close()
	body := []byte(`{"text":"` + strings.Repeat("x", 700<<10) + `"}`)
	for range segments * 12 {
		if _, err := log.Append("note", body, audit.Lazy); err != nil {
			m.Fatal(err)
		}
	}
}

// collect gives up everything that can be given up.
func (m *member) collect() {
	m.Helper()
	f, err := m.Launcher.Collect(context.Background(), audit.Retention{MaxBytes: 1}, "test")
	if err != nil || f.Entries == 0 {
		m.Fatalf("%+v, %v", f, err)
	}
}

// What the machine deletes after it was shipped stays in the bucket, whatever is packed.
func TestDeletedAfter(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	m.fill(1)
	m.ship()
	m.collect()
	m.run("two", false)
	m.ship()
	f := m.proven()
	if f.Report.Pruned != 0 || f.Report.Runs != 2 || len(f.Skipped) != 0 {
		t.Errorf("%+v", f)
	}
}

// What it deletes before it is shipped is gone, and the bucket says so.
func TestDeletedBefore(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	m.fill(1)
	m.collect()
	m.run("two", false)
	m.ship()
	f := m.proven()
	if f.Report.Pruned == 0 || len(f.Skipped) != 0 {
		t.Errorf("%+v", f)
	}
	m.run("three", false)
	m.fill(2)
	m.collect()
	m.run("four", false)
	m.ship()
	f = m.proven()
	if len(f.Skipped) != 1 || f.Report.Entries-f.Report.Pruned < 4 {
		t.Errorf("%+v", f)
	}
	m.run("five", false)
	m.ship()
	m.proven()
	// the hashes of what was deleted lead to what was shipped before
	b := m.Get(m.objectsOf()[0])
	m.Put(m.objectsOf()[0], b[:len(b)-1])
	m.broken("replaced or cut")
}

// A transcript that somebody deleted is missing, and not merely not there.
func TestLostTranscript(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	ids, err := m.Launcher.Sessions()
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	if err := os.Remove(m.Launcher.Home().Cast(ids[0])); err != nil {
		t.Fatal(err)
	}
	m.ship()
	f, err := m.verify(m.ID)
	if err == nil || len(f.Missing) != 1 || !strings.Contains(err.Error(), "the file is missing") {
		t.Errorf("%+v, %v", f, err)
	}
}

// A record that a person has to look at first is not shipped.
func TestChangedRecord(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	m.ship()
	path := m.Launcher.Home().Audit() + "/log.jsonl"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m.run("two", false)
	text := strings.Replace(string(b), `"allow"`, `"alloW"`, 1)
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.shipper().Once(t.Context()); err == nil {
		t.Error("it was shipped")
	}
}

// The fleet's witness cosigns what is shipped; one that refuses is reported, and not waited for.
func TestWitness(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.member()
	m.run("one", false)
	key, err := m.Launcher.LogKey()
	if err != nil {
		t.Fatal(err)
	}
	log, err := note.NewVerifier(key.Public)
	if err != nil {
		t.Fatal(err)
	}
	start := func(logs ...note.Verifier) document.Witness {
		secret, public, err := witness.GenerateKey(rand.Reader, "w"+string(rune('0'+len(logs))))
		if err != nil {
			t.Fatal(err)
		}
		signer, err := witness.NewCosigner(secret, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		w, err := witness.Open(t.TempDir(), witness.Options{Signer: signer, Logs: logs})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		server := httptest.NewServer(w)
		t.Cleanup(server.Close)
		return document.Witness{Key: public, URL: server.URL}
	}
	b.fleet.Ship.Witnesses = []document.Witness{start(log), start()}
	for range 2 {
		_, refused, err := m.shipper().Once(t.Context())
		if err != nil || len(refused) != 1 ||
			!strings.Contains(refused[0].Error(), "no log") {
			t.Errorf("%v, %v", refused, err)
		}
		f := m.proven()
		if len(f.Seen) != 2 || f.Seen[0].Time.IsZero() || !f.Seen[1].Time.IsZero() {
			t.Errorf("%+v", f.Seen)
		}
		m.run("more", false)
	}
	// what the bucket has lost, the witness has seen
	m.Remove(m.manifest(1))
	bucket, err := OpenBucket(b.fleet.Ship, Key{served.S3Key, served.S3Secret})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Check{Bucket: bucket, Fleet: b.fleet, Identities: []age.Identity{b.team},
		Ask: true}.Machine(t.Context(), m.ID)
	if err != nil || f.Seen[0].Entries <= f.Report.Entries || f.Seen[1].Silent == nil {
		t.Errorf("%+v, %v", f, err)
	}
}
