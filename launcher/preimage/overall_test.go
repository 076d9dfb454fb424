package preimage

import (
	"testing"

	"github.com/tada-run/tada-run/launcher/undo"
)

// What several parts change together is counted by what was there before the first and is there
// after the last.
func TestOverall(t *testing.T) {
	there := undo.State{Mode: 0o100644}
	var o overall
	o.add([]undo.Change{{Path: "made", After: there}, {Path: "gone", Before: there},
		{Path: "brief", After: there}, {Path: "old", Before: there, After: there}}, nil)
	o.add([]undo.Change{{Path: "made", Before: there, After: there},
		{Path: "brief", Before: there}, {Path: "new", From: "old", Before: there, After: there}},
		[]undo.Lack{{Path: "x", Why: "y"}, {Path: "x", Why: "y"}})
	s := o.summary()
	if s.Added != 1 || s.Changed != 1 || s.Removed != 1 || len(s.Lacks) != 1 ||
		s.Reversible != "partly" {
		t.Errorf("%+v", s)
	}
}
