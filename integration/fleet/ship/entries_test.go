package ship

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/served"
)

// entriesOf are the numbers of the entries that the bucket, or a copy of it, proves.
func (m *member) entriesOf(b *Bucket) (list []int64, f Finding, err error) {
	m.Helper()
	f, err = Check{Bucket: b, Fleet: m.fleet, Identities: []age.Identity{m.team}}.Entries(
		context.Background(), m.ID, func(of document.Machine, e audit.Entry) error {
			if of.ID != m.ID {
				m.Errorf("an entry of %q", of.ID)
			}
			list = append(list, e.Seq)
			return nil
		})
	return list, f, err
}

func (b *bed) bucketOf() *Bucket {
	b.Helper()
	bucket, err := OpenBucket(b.fleet.Ship, Key{served.S3Key, served.S3Secret})
	if err != nil {
		b.Fatal(err)
	}
	return bucket
}

// The entries that are read are those that are proven: none of a record of which anything is not,
// as where a person accepted tampering.
func TestEntries(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	path := filepath.Join(m.Launcher.Home().Audit(), "log.jsonl")
	add := func(text string) {
		old, err := os.ReadFile(path)
		err = errors.Join(err, os.WriteFile(path, append(old, text...), 0o600))
		if err != nil {
			t.Fatal(err)
		}
	}
	add(`{"body":{"interrupted":`)
	m.run("two", true)
	m.ship()
	list, f, err := m.entriesOf(m.bucketOf())
	if err != nil || int64(len(list)) != f.Report.Entries || !slices.IsSorted(list) {
		t.Errorf("%v, %+v, %v", list, f, err)
	}
	add("forged\n")
	if _, err := m.open().Accept("ann", "seen"); err != nil {
		t.Fatal(err)
	}
	m.ship()
	var broken *BrokenError
	none, f, err := m.entriesOf(m.bucketOf())
	if !errors.As(err, &broken) || none != nil || !strings.Contains(err.Error(), "not proven") {
		t.Errorf("%v, %+v, %v", none, f, err)
	}
}

// A record of which a later part was replaced is proven up to there, and none of it is read.
func TestEntriesBroken(t *testing.T) {
	t.Parallel()
	m := newBed(t).member()
	m.run("one", false)
	m.ship()
	stop := errors.New("stop")
	if _, err := (Check{Bucket: m.bucketOf(), Fleet: m.fleet,
		Identities: []age.Identity{m.team}}).Entries(t.Context(), m.ID,
		func(document.Machine, audit.Entry) error { return stop }); !errors.Is(err, stop) {
		t.Error(err)
	}
	m.run("two", false)
	m.ship()
	m.Put(m.manifest(1), []byte("x"))
	var broken *BrokenError
	none, f, err := m.entriesOf(m.bucketOf())
	if !errors.As(err, &broken) || none != nil || f.Report.Entries == 0 {
		t.Errorf("%v, %+v, %v", none, f, err)
	}
}

// A copy in a folder lists and proves the same as the bucket.
func TestCopy(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m, other := b.member(), b.member()
	for range 3 {
		m.run("one", false)
		m.ship()
	}
	other.run("two", false)
	other.ship()
	dir := t.TempDir()
	for _, name := range b.Names() {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
			os.WriteFile(path, b.Get(name), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, m.manifest(9))); err != nil {
		t.Fatal(err)
	}
	folder, err := OpenCopy(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := func(b *Bucket, prefix, after string) (list []string) {
		for name, err := range b.list(t.Context(), prefix, after) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, name)
		}
		return list
	}
	for _, from := range [][2]string{{"", ""}, {"", m.ID + "0"}, {m.ID + manifests, ""},
		{m.ID + manifests, m.manifest(0)}, {"tada-0/", ""}, {m.ID + "/", ""}} {
		want, got := names(b.bucketOf(), from[0], from[1]), names(folder, from[0], from[1])
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", from, got, want)
		}
	}
	if list, f, err := m.entriesOf(folder); err != nil ||
		int64(len(list)) != f.Report.Entries || f.Manifests != 3 {
		t.Errorf("%v, %+v, %v", list, f, err)
	}
	none := &member{bed: b, Machine: Machine{ID: "tada-0"}}
	if _, _, err := none.entriesOf(folder); err == nil {
		t.Error("a machine of which there is nothing was proven")
	}
}
