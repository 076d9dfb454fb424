package undo

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Folders in folders that are all gone are looked for once each, not at every place of every one
// above: that would take days here.
func TestDeepTrees(t *testing.T) {
	w := newWorld(t, t.TempDir())
	deep := w.path("d" + strings.Repeat("/d", 40))
	began := time.Now()
	w.run("make", func(h *hand) {
		for n := range 41 {
			h.mkdir(w.path("d" + strings.Repeat("/d", n)))
		}
		h.create(deep+"/f", "text", 0)
	})
	before := w.digest()
	w.run("remove", func(h *hand) { h.removeAll(w.path("d")) })
	if r := w.undo("back", "remove"); r.Refused > 0 || w.digest() != before {
		t.Errorf("%+v\n%s", r, difference(before, w.digest()))
	}
	if err := os.RemoveAll(w.path("d")); err != nil {
		t.Fatal(err)
	}
	for _, run := range []string{"make", "remove"} {
		if _, err := w.store.Plan(Take{Runs: []string{run}}); err != nil {
			t.Error(err)
		}
	}
	if took := time.Since(began); took > time.Minute {
		t.Error(took)
	}
}
