package undo

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What stands for a question stays for as long as Options.Keep, whatever else is kept, and leaves
// half of the quota to others. What is in no tree is an error.
func TestStands(t *testing.T) {
	w := newWorld(t, t.TempDir())
	w.store.o = Options{Quota: 400 << 10, File: 1 << 20, Keep: 24 * time.Hour}
	content := make([]byte, 120<<10)
	for i := range content {
		content[i] = byte(i)
	}
	removed := func(run string, stands bool) error {
		w.write(run, string(content))
		j, err := w.store.Begin(Start{Run: run, Trees: []string{w.tree}, Stands: stands})
		if err != nil {
			t.Fatal(err)
		}
		dir, err := openFolder(unix.AT_FDCWD, w.tree)
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Close(dir)
		kept := j.Remove(dir, w.tree, run)
		if kept == nil {
			must(t, os.Remove(w.path(run)))
		}
		if _, err := j.Close(End{}); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	if err := removed("first", true); err != nil {
		t.Fatal(err)
	}
	if room, err := w.store.Room(); err != nil || room > 80<<10 || room < 60<<10 {
		t.Errorf("room %d, %v", room, err)
	}
	if err := removed("large", true); !errors.Is(err, ErrQuota) {
		t.Errorf("more than half of the quota stands for questions: %v", err)
	}
	for _, run := range []string{"second", "third"} {
		if err := removed(run, false); err != nil {
			t.Fatal(err)
		}
	}
	// what another run has left today makes no room, nor does what stands for a question ever
	if freed, err := w.store.GC(time.Now(), time.Hour); err != nil || len(freed.Runs) != 0 {
		t.Errorf("%v, %v", freed, err)
	}
	w.write("second", "x")
	w.write("third", "x")
	freed, err := w.store.GC(time.Now(), 0)
	if err != nil || len(freed.Runs) == 0 {
		t.Errorf("%v, %v", freed, err)
	}
	for _, run := range freed.Runs {
		if run == "first" {
			t.Error("what stood for a question was deleted before its time")
		}
	}
	if room, err := w.store.Room(); err != nil || room > 80<<10 {
		t.Errorf("counted anew there is room for %d, %v", room, err)
	}
	freed, err = w.store.GC(time.Now().Add(48*time.Hour), 0)
	if err != nil || freed.Kept != 0 {
		t.Errorf("%v, %v", freed, err)
	}

	j, err := w.store.Begin(Start{Run: "outside", Trees: []string{w.tree}, Stands: true})
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close(End{})
	away := t.TempDir()
	name := filepath.Join(away, "a")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir, err := openFolder(unix.AT_FDCWD, away)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(dir)
	if err := j.Remove(dir, away, "a"); !errors.Is(err, ErrElsewhere) {
		t.Errorf("outside of the trees: %v", err)
	}
	fd, err := open(dir, "a", unix.O_PATH, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if err := j.Write(fd, name); !errors.Is(err, ErrElsewhere) {
		t.Errorf("outside of the trees: %v", err)
	}
}

// A file that could still be changed by another name, or by who has it open, is copied too when it
// goes; so it comes back as it was.
func TestStandsCopies(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(t *testing.T, w *world) func()
	}{
		{"another name", func(t *testing.T, w *world) func() {
			must(t, os.Link(w.path("a"), w.path("b")))
			return func() { w.write("b", "later") }
		}},
		{"an open descriptor", func(t *testing.T, w *world) func() {
			f, err := os.OpenFile(w.path("a"), os.O_RDWR, 0)
			must(t, err)
			t.Cleanup(func() { f.Close() })
			return func() { _, _ = f.WriteAt([]byte("LATER"), 0) }
		}},
		{"mapped memory", func(t *testing.T, w *world) func() {
			f, err := os.OpenFile(w.path("a"), os.O_RDWR, 0)
			must(t, err)
			m, err := unix.Mmap(int(f.Fd()), 0, 5, unix.PROT_WRITE, unix.MAP_SHARED)
			must(t, err)
			f.Close()
			t.Cleanup(func() { _ = unix.Munmap(m) })
			return func() { copy(m, "LATER") }
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, t.TempDir())
			w.write("a", "first")
			later := test.change(t, w)
			j, err := w.store.Begin(Start{Run: "r", Trees: []string{w.tree}, Stands: true})
			must(t, err)
			dir, err := openFolder(unix.AT_FDCWD, w.tree)
			must(t, err)
			defer unix.Close(dir)
			must(t, j.Remove(dir, w.tree, "a"))
			must(t, os.Remove(w.path("a")))
			_, err = j.Close(End{})
			must(t, err)
			later()
			run, err := w.store.Read("r")
			must(t, err)
			o := newObjects([]*Run{run})
			defer o.close()
			for _, i := range run.book.inodes {
				if !i.before.Regular() {
					continue
				}
				f, err := o.openCopy(run, i)
				must(t, err)
				text := make([]byte, 5)
				_, err = f.Read(text)
				must(t, err)
				if string(text) != "first" {
					t.Errorf("kept is %q", text)
				}
			}
			if r := w.undo("u", "r"); r.Refused > 0 || w.read("a") != "first" {
				t.Errorf("it came back as %q: %v", w.read("a"), r.Steps)
			}
			if _, err := os.Stat(w.path("b")); err == nil && w.read("b") != "later" {
				t.Errorf("a later change by the other name is lost: %q", w.read("b"))
			}
		})
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
