package undo

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// TestUndoOfSeveral: runs of random changes follow each other. From any of them on they are taken
// back at once, done again, and taken back again: all of it. A plan seldom names a refusal that
// does not come: it cannot follow each name of a file through all of the runs.
func TestUndoOfSeveral(t *testing.T) {
	refusals, rounds := 0, hermetic.Rounds(60)
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 4))
		w := newWorld(t, t.TempDir())
		w.furnish(r)
		nextTick()
		var states, runs []string
		for n := range 2 + r.IntN(5) {
			states = append(states, w.unlinked())
			runs = append(runs, fmt.Sprint("run", n))
			w.run(runs[n], func(h *hand) {
				for range 12 {
					h.random(r, w.tree)
				}
			})
			nextTick()
		}
		states = append(states, w.unlinked())
		runs = slices.DeleteFunc(runs, func(run string) bool {
			_, err := w.store.Read(run)
			return err == ErrUnknownRun // it changed nothing
		})
		if len(runs) == 0 {
			continue
		}
		first := r.IntN(len(runs))
		var n int
		_, _ = fmt.Sscanf(runs[first], "run%d", &n)
		take := slices.Clone(runs[first:])
		slices.Reverse(take)
		for pass, step := range []struct {
			take []string
			want string
		}{
			{take, states[n]},
			{[]string{"undo0"}, states[len(states)-1]},
			{[]string{"undo1"}, states[n]},
		} {
			steps, err := w.store.Plan(Take{Runs: step.take})
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range steps {
				if s.Do == Refuse {
					refusals++
				}
			}
			result := w.undo(fmt.Sprint("undo", pass), step.take...)
			if now := w.unlinked(); now != step.want || result.Refused > 0 {
				t.Fatalf("seed %d, pass %d, %q:\n%s\n%q", seed, pass, step.take,
					difference(step.want, now), result.Steps)
			}
		}
	}
	if refusals > 1+rounds/60 {
		t.Errorf("the plans say %d times that something is refused which is not", refusals)
	}
}

// links is the number of links of an inode in a digest.
var links = regexp.MustCompile(`" [0-9]+ `)

// unlinked is the digest without the numbers of links: when it was taken, the store may have had
// one too.
func (w *world) unlinked() string { return links.ReplaceAllString(w.digest(), `" `) }
