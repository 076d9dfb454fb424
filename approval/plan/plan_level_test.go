package plan_test

import (
	"testing"

	"github.com/tada-run/tada-run/approval/plan"
)

// B-R9.2: a child is never trusted more than its parent, whatever it says.
func TestInherit(t *testing.T) {
	t.Parallel()
	levels := []plan.Level{plan.Quarantined, plan.Agent, plan.Human, -5, 99}
	for _, parent := range levels {
		for _, asked := range levels {
			got := plan.Inherit(parent, asked)
			if got > max(parent, 0) || got > max(asked, 0) || got < 0 {
				t.Errorf("%d asks for %d and gets %d", parent, asked, got)
			}
		}
	}
	for _, l := range []plan.Level{plan.Quarantined, plan.Agent, plan.Human} {
		if plan.ParseLevel(l.String()) != l {
			t.Error(l)
		}
	}
	if plan.ParseLevel("Human") != plan.Quarantined || plan.Level(9).String() != "quarantined" {
		t.Error("what is not known is trusted")
	}
}
