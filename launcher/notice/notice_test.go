package notice

import (
	"slices"
	"testing"
)

// Failures come before successes.
func TestAtMost(t *testing.T) {
	lines := slices.Repeat([]string{"x"}, 20)
	if got := AtMost(lines, "; %d failed", 14); len(got) != maxLines+1 ||
		got[maxLines] != "and 8 more of this kind; 14 failed" {
		t.Error(got)
	}
	if got := AtMost(lines[:3], "", 0); len(got) != 3 {
		t.Error(got)
	}
}
