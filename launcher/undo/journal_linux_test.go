package undo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
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
	if j.MakeNext(fd, "new") {
		t.Error("an entry of a folder that is not noted is made")
	}
	if err := j.Remove(fd, in, "old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(old); err != nil {
		t.Fatal(err)
	}
	other, _ := w.in("a")
	if !j.MakeNext(fd, "new") || j.MakeNext(-1, "other") {
		t.Error("one more entry is not noted, or one of no folder is")
	}
	if noted := len(j.book.entries); !j.MakeNext(other, "b") || len(j.book.entries) != noted {
		t.Error("what is there is made")
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
	kept, err := os.ReadFile(filepath.Join(w.store.dir, "run", e.before.held.file()))
	if name := e.before.held.file(); err != nil || string(kept) != "before" || len(name) != 19 {
		t.Errorf("%s: %q, %v", name, kept, err)
	}
}

// A number that no object can have is refused.
func TestNumberOfAnObject(t *testing.T) {
	for _, n := range []int64{1, noObject + 1, -1} {
		k := &book{head: head{places: []string{"place"}}, inodes: []*inode{{n: 1}}}
		text := k.inodes[0].appendObject(nil, object{objectLink, 0, n})
		f := &fields{b: text[1:]}
		k.readObject(f)
		if (f.err == nil) != (n > 0) || f.err == nil && k.inodes[0].held.n != n {
			t.Errorf("%d: %+v, %v", n, k.inodes[0].held, f.err)
		}
	}
}

// A store from before objects had long names is taken back as any.
func TestShortNames(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("f", "before")
	w.write("long", strings.Repeat("before", short))
	before := w.digest()
	h := &hand{j: w.begin("run")}
	h.j.n = 0
	h.remove(w.path("f"), 0)
	h.rewrite(w.path("long"), "after", unix.O_TRUNC, 0)
	w.end(h.j)
	_, err1 := os.Lstat(filepath.Join(w.store.dir, "run", "1"))
	_, err2 := os.Lstat(filepath.Join(w.store.dir, "run", "2"))
	if err := errors.Join(h.err, err1, err2); err != nil {
		t.Fatal(err)
	}
	w.undo("undo", "run")
	if now := w.digest(); now != before {
		t.Error(difference(before, now))
	}
}
