package undo

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A journal that follows one without a walk finds what that was not told of, and what was written
// to a file of its after it was closed.
func TestFollows(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("old", "before")
	w.write("open", "before")
	nextTick()
	first := w.begin("first")
	h := &hand{j: first}
	h.create(w.path("told"), "by the first", 0)
	h.rewrite(w.path("open"), "known", 0, 0)
	w.write("old", "behind its back")
	second := w.begin("second")
	second.Follows(first)
	if _, err := first.Close(End{}); err != nil || h.err != nil {
		t.Fatal(err, h.err)
	}
	nextTick()
	w.write("open", "behind its back")
	s, err := second.Close(End{Walk: 100})
	missed := ""
	for _, l := range s.Lacks {
		missed += strings.TrimPrefix(l.Path, w.tree+"/") + " "
	}
	if missed != "old open " && missed != "open old " || err != nil {
		t.Errorf("%q, %v", missed, err)
	}
}

// A run that changes again what is noted is known to go on, and what a killed run had taken of the
// quota is free again; a run that goes on keeps what it has taken.
func TestGoesOn(t *testing.T) {
	w := newWorld(t, t.TempDir())
	j := w.begin("run")
	h := &hand{j: j}
	h.create(w.path("f"), "one", 0)
	past := unix.NsecToTimeval(1e18)
	if err := unix.Futimes(int(j.out.Fd()), []unix.Timeval{past, past}); err != nil {
		t.Fatal(err)
	}
	j.told = j.told.Add(-2 * grace)
	h.create(w.path("f"), "two", 0)
	info, err := j.out.Stat()
	if err != nil || info.ModTime().UnixNano() <= 1e18 {
		t.Errorf("%v, %v", info.ModTime(), err)
	}
	lines := "\"run\" 1000 stands\n\"gone\" 500 stands\n\"run\" 234\n"
	if err := os.WriteFile(w.store.dir+"/ledger", []byte(lines), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Count(info.ModTime()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(w.store.dir + "/ledger")
	if string(text) != "\"run\" 1234\n" || err != nil {
		t.Errorf("%q, %v", text, err)
	}
	w.end(j)
}

// What changed before the journal was told of it is told, and a run's own files are not.
func TestLate(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.write("late", "x")
	w.write("in time", "x")
	nextTick()
	h := &hand{j: w.begin("run")}
	nextTick()
	if err := os.Chtimes(w.path("late"), time.Unix(9, 0), time.Unix(9, 0)); err != nil {
		t.Fatal(err)
	}
	h.create(w.path("made"), "x", 0)
	h.rewrite(w.path("made"), "y", 0, 0)
	h.rename(w.path("made"), w.path("moved"), 0)
	h.chmod(w.path("moved"), 0o600)
	h.chmod(w.path("in time"), 0o600)
	h.chmod(w.path("late"), 0o600)
	if s := w.end(h.j); len(s.Lacks) != 1 || s.Lacks[0].Path != w.path("late") {
		t.Errorf("%+v", s)
	}
}
