package session

import "testing"

// Lines that come faster than they are read are taken together; an answer is never held up for
// long, because a moment that brought nothing makes the next one rarer.
func TestGather(t *testing.T) {
	for name, c := range map[string]struct {
		pieces   int
		moment   func(n int) int // what a moment brings instead of a piece of n bytes
		min, max int             // moments that are taken
	}{
		"a command that prints line by line": {10_000, func(int) int { return 900 }, 9_900,
			10_000},
		"one that waits for an answer":        {100_000, func(n int) int { return n }, 1, 40},
		"one that does so after it had a lot": {100_000, func(n int) int { return n + n/2 }, 1, 40},
		"a keyboard's echo, a few hundred":    {300, func(n int) int { return n }, 1, 6},
		"a short command is never held up":    {firstPause, func(int) int { return 900 }, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var g gather
			moments := 0
			for range c.pieces {
				if n := 40; g.wanted() {
					moments++
					g.took(c.moment(n), true)
				} else {
					g.took(n, false)
				}
			}
			if moments < c.min || moments > c.max {
				t.Errorf("%d moments in %d pieces, want %d to %d", moments, c.pieces, c.min, c.max)
			}
		})
	}
	var large gather
	for range 1000 {
		if large.wanted() {
			t.Fatal("large pieces wait too")
		}
		large.took(gatherBelow, false)
	}
}
