package ship

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/integration/served"
	"github.com/tada-run/tada-run/launcher"
)

func openPlace(t *testing.T, dir string) *launcher.Launcher {
	t.Helper()
	l, err := launcher.Place{State: dir}.Open()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// copyOf copies a state directory.
func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	if err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		mode := fs.FileMode(0o600)
		if err == nil && d.IsDir() {
			mode = 0o700
		}
		return errors.Join(err, hermetic.Chmod(path, mode))
	}); err != nil {
		t.Fatal(err)
	}
	return to
}

// Whoever can write the bucket changes nothing without being noticed.
func TestAttacks(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m, other := b.member(), b.member()
	for range 3 {
		m.run("one", false)
		m.ship()
		other.run("one", false)
		other.ship()
	}
	m.proven()
	mine, its := m.objectsOf(), other.objectsOf()
	object, manifest := mine[0], m.manifest(1)
	for _, test := range []struct {
		name string
		do   func()
		want string
	}{
		{"an object is removed", func() { b.Remove(object) }, "is missing"},
		{"an object is cut", func() { b.Put(object, b.Get(object)[:100]) }, "replaced or cut"},
		{"an object is empty", func() { b.Put(object, []byte{}) }, "replaced or cut"},
		{"an object is another", func() { b.Put(object, b.Get(mine[1])) }, "replaced or cut"},
		{"an object is another machine's", func() { b.Put(object, b.Get(its[0])) },
			"replaced or cut"},
		{"an object is endless", func() { b.Put(object, make([]byte, 12<<20)) }, "replaced or cut"},
		{"a manifest is removed", func() { b.Remove(manifest) }, "manifest 1 is missing"},
		{"the first is removed", func() { b.Remove(m.manifest(0)) }, "manifest 0 is missing"},
		{"a manifest is cut", func() { b.Put(manifest, b.Get(manifest)[:300]) }, "was changed"},
		{"a manifest is an older one", func() { b.Put(manifest, b.Get(m.manifest(0))) },
			"is the one with number 0"},
		{"a manifest is another machine's", func() { b.Put(manifest, b.Get(other.manifest(1))) },
			"is one of machine " + other.ID},
		{"a manifest is text", func() { b.Put(manifest, []byte("x")) }, "was changed"},
		{"somebody writes to the team", func() {
			b.Put(manifest, sealed(t, []byte("tada-ship/v1\n{}\n"), b.team))
		}, "not a manifest"},
		{"all are another machine's", func() {
			for n := range int64(3) {
				b.Put(m.manifest(n), b.Get(other.manifest(n)))
			}
		}, "is one of machine " + other.ID},
	} {
		was := map[string][]byte{}
		for _, name := range b.Names() {
			was[name] = bytes.Clone(b.Get(name))
		}
		test.do()
		if _, err := m.verify(m.ID); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, not %q", test.name, err, test.want)
		}
		for name, data := range was {
			b.Put(name, data)
		}
	}
	m.proven()
	// the end of the chain can be taken away: then a shorter one is there, with its time
	b.Remove(m.manifest(2))
	f, err := m.verify(m.ID)
	if err != nil || f.Manifests != 2 || f.Report.Runs != 2 || f.Stray != 1 {
		t.Errorf("%+v, %v", f, err)
	}
	m.ship()
	m.proven()
	other.proven()
}

func sealed(t *testing.T, text []byte, to *age.X25519Identity) []byte {
	t.Helper()
	b, err := seal(text, []age.Recipient{to.Recipient()})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A machine that ships two histories of its log, with its own key, is named.
func TestTwoHistories(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	m.ship()
	old := copyOf(t, m.Launcher.Home().Dir)
	m.run("two", false)
	m.ship()
	liar := m.bed.memberOf(openPlace(t, old))
	liar.Machine.ID, liar.Key, liar.Record, liar.Identity = m.ID, m.Key, m.Record, m.Identity
	liar.run("another two", false)
	liar.run("and three", false)
	s := liar.shipper()
	if err := s.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	h := s.history
	first := newHistory(h.bucket, h.fleet, h.id, h.with)
	number := 0
	for _, err := range first.read(t.Context()) {
		if number++; err != nil || number == 1 {
			break
		}
	}
	// what it says is that of the first shipment, with the numbers of the second
	first.next, first.before = h.next, h.before
	s.history = first
	if _, _, err := s.Once(t.Context()); err != nil {
		t.Fatal(err)
	}
	m.broken("two histories")
}

// Two agents of one machine do not write over each other.
func TestTwoAgents(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	a, b := m.shipper(), m.shipper()
	if err := b.catchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Shipper{a, b} {
		_, _, err := s.Once(context.Background())
		if (err == nil) != (s == a) {
			t.Errorf("%v", err)
		}
	}
	if _, _, err := b.Once(context.Background()); err != nil {
		t.Error(err)
	}
	m.proven()
}

// A bucket has what it likes besides: it is counted, and nothing of it becomes a path or is taken
// for a record.
func TestStrangeNames(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.member()
	m.run("one", false)
	for _, name := range []string{"x", "tada-x/manifests/0000000000",
		m.ID + "/manifests/0", m.ID + "/manifests/0000000000.old", m.ID + "/objects/x",
		m.ID + "/manifests/00000000000000000001", m.ID + "x/objects/" + sum(nil),
		m.ID + "/" + strings.Repeat("n", 200)} {
		b.Put(name, []byte("x"))
	}
	for i := range 40 {
		b.Put(fmt.Sprintf("%s/other/%d", m.ID, i), []byte("x"))
	}
	m.ship()
	if f := m.proven(); f.Stray != 45 {
		t.Errorf("%d", f.Stray)
	}
	bucket, err := OpenBucket(b.fleet.Ship, Key{served.S3Key, served.S3Secret})
	if err != nil {
		t.Fatal(err)
	}
	ids, err := Check{Bucket: bucket}.Machines(t.Context())
	if err != nil || len(ids) != 1 || ids[0] != m.ID {
		t.Errorf("%q, %v", ids, err)
	}
}

// What is of another fleet is not taken for one's own, and nothing is added to it.
func TestAnothersBucket(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.member()
	m.run("one", false)
	b.Put(m.manifest(0), sealed(t, []byte("x"), b.team))
	if _, _, err := m.shipper().Once(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "nothing is shipped") {
		t.Error(err)
	}
	m.broken("not a manifest")
	if _, err := m.verify("tada-0123456789abcdef"); err == nil {
		t.Error("a machine without anything is proven")
	}
}

// With other recipients the old objects stay those of the old ones, and a reader who lacks a key is
// told so.
func TestOtherRecipients(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.member()
	m.run("one", false)
	m.ship()
	old := b.team
	b.team = newIdentity(t)
	b.fleet.Ship.Recipients = []string{b.team.Recipient().String()}
	m.run("two", false)
	m.ship()
	if _, err := m.verify(m.ID); err == nil || !strings.Contains(err.Error(), "not encrypted to") {
		t.Error(err)
	}
	bucket, err := OpenBucket(b.fleet.Ship, Key{served.S3Key, served.S3Secret})
	if err != nil {
		t.Fatal(err)
	}
	f, err := Check{Bucket: bucket, Fleet: b.fleet,
		Identities: []age.Identity{old, b.team}}.Machine(t.Context(), m.ID)
	if err != nil || f.Report.Runs != 2 {
		t.Errorf("%+v, %v", f, err)
	}
}
