package undo

import (
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// places are the file systems on which the tests run.
func places(t *testing.T) map[string]func(*testing.T) string {
	t.Helper()
	return map[string]func(*testing.T) string{
		"disk": func(t *testing.T) string { return t.TempDir() },
		"tmpfs": func(t *testing.T) string {
			dir, err := os.MkdirTemp("/dev/shm", "undo")
			if err != nil {
				t.Skip(err)
			}
			t.Cleanup(func() { removeAll(dir) })
			return dir
		},
	}
}

// furnish fills a tree by random changes that no one notes.
func (w *world) furnish(r *rand.Rand) {
	j, err := w.store.Begin(Start{Run: "furnish", Trees: []string{w.tree}})
	if err != nil {
		w.t.Fatal(err)
	}
	h := &hand{j: j}
	for range 30 {
		h.random(r, w.tree)
	}
	w.end(j)
	os.RemoveAll(filepath.Join(w.store.dir, "furnish"))
}

// TestUndoOfRandomRuns: after an undo, a tree is as before the run, and after a redo as after it.
func TestUndoOfRandomRuns(t *testing.T) {
	for name, dir := range places(t) {
		t.Run(name, func(t *testing.T) {
			dir := dir(t)
			for seed := range uint64(hermetic.Rounds(200)) {
				sub := filepath.Join(dir, "w")
				if err := os.Mkdir(sub, 0o755); err != nil {
					t.Fatal(err)
				}
				undoOfRandomRun(t, sub, seed)
				if t.Failed() {
					return
				}
				removeAll(sub)
			}
		})
	}
}

func undoOfRandomRun(t *testing.T, dir string, seed uint64) {
	w := newWorld(t, dir)
	r := rand.New(rand.NewPCG(seed, 1))
	w.furnish(r)
	before := w.digest()
	nextTick()
	h := &hand{j: w.begin("run")}
	for range 50 {
		h.random(r, w.tree)
	}
	if h.err != nil {
		t.Errorf("seed %d: %v", seed, h.err)
	}
	s := w.end(h.j)
	after := w.digest()
	if len(s.Lacks) > 0 {
		t.Errorf("seed %d: %q", seed, s.Lacks)
	}
	if before == after {
		return
	}
	check := func(what string, result Result, want string) {
		if now := w.digest(); now != want || result.Refused > 0 {
			text := fmt.Sprintf("seed %d: after the %s:\n%s\n%+v\n%s\n%s", seed, what,
				difference(want, now), result.Steps, strings.Join(h.log, "\n"), w.kept())
			text = strings.ReplaceAll(text, w.tree, "")
			t.Error(strings.ReplaceAll(text, strings.Repeat("n", 254), "N"))
		}
	}
	check("undo", w.undo("undo", "run"), before)
	if t.Failed() {
		return
	}
	check("redo", w.undo("redo", "undo"), after)
	if t.Failed() {
		return
	}
	check("undo of the redo", w.undo("again", "redo"), before)
}

// kept lists the pre-images of the store.
func (w *world) kept() string {
	var b strings.Builder
	_ = filepath.WalkDir(filepath.Dir(w.tree), func(path string, d fs.DirEntry, err error) error {
		if s, err := look(unix.AT_FDCWD, path); err == nil {
			fmt.Fprintf(&b, "%d %d %q\n", s.ID.Ino, s.Links, path)
		}
		return nil
	})
	return b.String()
}

// nextTick waits until files get a later time than now.
func nextTick() {
	clock := func(id int32) int64 {
		var t unix.Timespec
		_ = unix.ClockGettime(id, &t)
		return t.Nano()
	}
	for now := clock(unix.CLOCK_REALTIME); clock(unix.CLOCK_REALTIME_COARSE) <= now; {
		time.Sleep(time.Millisecond)
	}
}
