//go:build amd64 || arm64

package sandbox

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A program that a run has just made can be executed at once while other runs start in the same
// process: what they fork has copies of no file that is open for writing.
func TestProgramsAtOnceBesideStarts(t *testing.T) {
	levels(t, func(t *testing.T, p Profile) {
		var over atomic.Bool
		var starts sync.WaitGroup
		for range 3 {
			other := p
			starts.Go(func() {
				for !over.Load() {
					process, _, err := Start(other, Command{Path: "/bin/true"})
					if err == nil {
						_, err = process.Wait()
					}
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		p = guardedTree(t, p)
		_, text := shell(t, p, "cd "+p.Write[0].Name+
			"; for ((i = 0; i < "+strconv.Itoa(hermetic.Rounds(1000))+"; i++)); do "+
			"cp /bin/true p; ./p || echo busy; done 2>&1")
		over.Store(true)
		starts.Wait()
		if text != "" {
			t.Errorf("%q", text)
		}
	})
}
