package audit

import (
	"sync"
	"sync/atomic"
)

// each calls do with the numbers below n, on some processors at a time.
func each(n, workers int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min(workers, n) {
		all.Go(func() {
			for i := int(next.Add(1) - 1); i < n; i = int(next.Add(1) - 1) {
				do(i)
			}
		})
	}
	all.Wait()
}
