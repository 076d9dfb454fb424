package undo

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// TestManyFiles: a folder with 100,000 small files goes, and comes back. Nothing is copied for it.
func TestManyFiles(t *testing.T) {
	w := newWorld(t, t.TempDir())
	n := hermetic.Rounds(100_000)
	if err := os.Mkdir(w.path("d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := os.WriteFile(w.path(fmt.Sprint("d/", i)), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := w.digest()
	nextTick()
	began := time.Now()
	s := w.run("run", func(h *hand) { h.removeAll(w.path("d")) })
	if len(s.Lacks) > 0 || w.digest() == before {
		t.Fatal(s.Lacks)
	}
	t.Logf("%d files went in %v", n, time.Since(began))
	journal, err := os.Stat(w.store.dir + "/run/" + closedName)
	if err != nil || journal.Size() > int64(n)*300 {
		t.Errorf("the journal takes %v %v", journal.Size(), err)
	}
	result := w.undo("undo", "run")
	if now := w.digest(); now != before || result.Refused > 0 {
		t.Errorf("%d refused: %.2000s", result.Refused, difference(before, now))
	}
}
