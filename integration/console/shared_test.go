package console

import (
	"fmt"
	"sync"
	"testing"
)

// Many pages that ask for the same make it once; another version is made again, and what is kept is
// bounded.
func TestShared(t *testing.T) {
	var s shared[int]
	var mu sync.Mutex
	made := map[string]int{}
	ask := func(name, version string) {
		s.get(name, version, func() int {
			mu.Lock()
			defer mu.Unlock()
			made[name+version]++
			return len(made)
		})
	}
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { ask("run", "1") })
	}
	all.Wait()
	ask("run", "2")
	ask("run", "2")
	if made["run1"] != 1 || made["run2"] != 1 {
		t.Errorf("%v", made)
	}
	for n := range 10 * mostShared {
		ask(fmt.Sprint(n), "")
	}
	if len(s.made) > mostShared {
		t.Errorf("%d are kept", len(s.made))
	}
}
