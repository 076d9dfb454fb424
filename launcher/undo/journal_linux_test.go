package undo

import (
	"os"
	"path/filepath"
	"testing"
)

// in opens a folder of the tree, as a broker does.
func (w *world) in(rel string) (fd int, path string) {
	w.t.Helper()
	path = filepath.Join(w.tree, rel)
	fd, err := openFolder(-100, path)
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = os.NewFile(uintptr(fd), path).Close() })
	return fd, path
}

// TestJournalReadsBack: what was noted of a removed file is in the file of the journal, and the
// file itself is in the store; what the run made itself is not.
func TestJournalReadsBack(t *testing.T) {
	w := newWorld(t, t.TempDir())
	if err := os.MkdirAll(filepath.Join(w.tree, "a/b"), 0o755); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(w.tree, "a/b/old")
	if err := os.WriteFile(old, []byte("before"), 0o640); err != nil {
		t.Fatal(err)
	}
	j := w.begin("run")
	fd, in := w.in("a/b")
	if err := j.Remove(fd, in, "old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(old); err != nil {
		t.Fatal(err)
	}
	if err := j.Make(fd, in, "new"); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(w.tree, "a/b/new")
	if err := os.WriteFile(made, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := j.Remove(fd, in, "new"); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(w.store.dir, "run", journalName))
	if err != nil {
		t.Fatal(err)
	}
	k, err := parse(b, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(k.entries) != 2 || len(k.inodes) != 1 || k.entries[1].before != nil {
		t.Fatalf("%d entries, %d inodes", len(k.entries), len(k.inodes))
	}
	e := k.entries[0]
	if e.path() != old || e.before.before.Size != 6 || e.before.held.kind != objectLink {
		t.Errorf("%q: %+v", e.path(), e.before)
	}
	kept, err := os.ReadFile(filepath.Join(w.store.dir, "run", "1"))
	if err != nil || string(kept) != "before" {
		t.Errorf("%q, %v", kept, err)
	}
}
