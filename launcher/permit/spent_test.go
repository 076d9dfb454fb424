package permit

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tada-run/tada-run/launcher/state"
)

// Marks that are too old to matter are removed, and the folder is read once in an hour: a use makes
// a mark, it does not read those of all other uses.
func TestOldMarksAreForgotten(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	p := &Approvals{Marks: filepath.Join(t.TempDir(), "used"),
		dir: &state.Directory{Now: func() time.Time { return now }}}
	spend := func(what string, at time.Time) {
		t.Helper()
		if err := p.spend("e", what); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(p.mark([]string{what}), at, at); err != nil {
			t.Fatal(err)
		}
	}
	left := func(what string) bool { return p.unspent("e", what) != nil }
	old := now.Add(-spentLife - time.Minute)
	spend("first", old)
	spend("second", now)
	if !left("first") || !left("second") {
		t.Error("marks were read again in the same hour")
	}
	now = now.Add(time.Hour)
	spend("third", now)
	if left("first") || !left("second") || !left("third") {
		t.Errorf("an hour later: %v, %v, %v", left("first"), left("second"), left("third"))
	}
	if p.spend("e", "second") == nil {
		t.Error("a mark is no obstacle")
	}
	spend("fourth", old)
	now = now.Add(-2 * time.Hour) // a clock that was set back
	spend("fifth", now)
	if !left("second") || !left("third") || !left("fifth") {
		t.Error("a clock that was set back removes marks that are not old")
	}
	entries, err := os.ReadDir(p.Marks)
	if err != nil || len(entries) != 5 { // four marks, and when they were looked at
		t.Errorf("%d files, %v", len(entries), err)
	}
}
