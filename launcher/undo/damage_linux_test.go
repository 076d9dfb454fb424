package undo

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// journalOf returns the journal of a run that did something of everything, closed or not.
func journalOf(t testing.TB, closed bool) (w *world, path string) {
	w = newWorld(t, t.TempDir())
	w.write("a", "before")
	w.write("b", "before")
	j := w.begin("run", "earlier")
	h := &hand{j: j}
	h.rewrite(w.path("a"), "after", unix.O_TRUNC, 0)
	h.setxattr(w.path("a"), "value")
	h.remove(w.path("b"), 0)
	h.mkdir(w.path("d"))
	h.rename(w.path("a"), w.path("d/a"), 0)
	if h.err != nil {
		t.Fatal(h.err)
	}
	if !closed {
		j.release()
		return w, filepath.Join(w.store.dir, "run", journalName)
	}
	w.end(j)
	return w, filepath.Join(w.store.dir, "run", closedName)
}

// TestDamagedJournal: a journal of a run that has ended is refused, by name, with any byte changed
// or any end cut; so is one of a later version. Nothing is done then.
func TestDamagedJournal(t *testing.T) {
	w, path := journalOf(t, true)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before := w.digest()
	refused := func(what string, n int, text []byte) {
		t.Helper()
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var damaged *DamagedError
		if _, err := w.store.Undo(Take{Runs: []string{"run"}}, "undo"); !errors.As(err, &damaged) {
			t.Fatalf("%s at %d of %d: %v", what, n, len(whole), err)
		}
	}
	for n := range whole {
		changed := bytes.Clone(whole)
		changed[n] ^= 0x40
		refused("changed", n, changed)
		refused("cut", n, whole[:n])
	}
	refused("continued", len(whole), append(bytes.Clone(whole), whole[len(magic)+1:]...))
	later := bytes.Clone(whole)
	later[len(magic)] = version + 1
	refused("of a later version", 0, later)
	if now := w.digest(); now != before {
		t.Error(difference(before, now))
	}
	if _, err := os.Lstat(filepath.Join(w.store.dir, "undo")); err == nil {
		t.Error("an undo has begun")
	}
}

// TestCutJournal: of a run that a crash ended, all records but the one that is cut are read. With
// any byte changed, it is refused.
func TestCutJournal(t *testing.T) {
	_, path := journalOf(t, false)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	records := 0
	for n := range whole {
		k, err := parse(whole[:n], false)
		if err != nil && err != errNoHead {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if k != nil {
			if got := len(k.entries) + len(k.inodes); got < records {
				t.Errorf("cut at %d: %d records, fewer than before", n, got)
			} else {
				records = got
			}
		}
		changed := bytes.Clone(whole)
		if changed[n] ^= 1; n >= len(magic)+1 {
			if _, err := parse(changed, false); err == nil {
				t.Errorf("changed at %d: no error", n)
			}
		}
	}
}

// FuzzParse: no input makes the reader fail otherwise than with an error, and what it reads never
// leads out of a folder.
func FuzzParse(f *testing.F) {
	for _, closed := range []bool{true, false} {
		_, path := journalOf(f, closed)
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
		// the payloads alone: the fuzzer cannot make the sums
		for b := text[len(magic)+1:]; len(b) > 0; {
			payload, rest, err := nextFrame(b)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(payload)
			b = rest
		}
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = parse(b, true)
		text := append([]byte(magic), version)
		h := head{run: "run", places: []string{"/p"}}
		text = appendFrame(text, h.append)
		text = appendFrame(text, func(to []byte) []byte {
			return (&folder{name: "/tree"}).append(to)
		})
		if len(b) == 0 || len(b) > maxPayload {
			return
		}
		for range 2 {
			text = appendFrame(text, func(to []byte) []byte { return append(to, b...) })
		}
		k, err := parse(text, false)
		if err != nil {
			return
		}
		for _, e := range k.entries {
			if e.in == nil || !oneName(e.name) || !within(e.path(), []string{"/"}) {
				t.Errorf("%q", e.name)
			}
		}
		_ = k.changes()
		_ = summary(k)
	})
}
