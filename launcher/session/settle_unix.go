//go:build linux || darwin

package session

import (
	"context"
	"time"

	"golang.org/x/sys/unix"
)

// settleLook is how often it is looked whether what was owed is shown.
const settleLook = time.Millisecond

// Settle waits until everything is shown that has been printed so far, or until ctx ends. It is for
// a command that has ended and left processes behind, which may continue to print: it waits neither
// for them nor for what they print from then on.
func (s *Session) Settle(ctx context.Context) {
	for _, r := range s.relays {
		for owed := int64(-1); ctx.Err() == nil && s.Err() == nil; time.Sleep(settleLook) {
			if !r.busy.TryLock() {
				continue // it reads or shows
			}
			if owed < 0 {
				owed = r.bytes + waiting(r.from)
			}
			settled := r.from == none || r.bytes >= owed || waiting(r.from) == 0
			r.busy.Unlock()
			if settled {
				break
			}
		}
	}
}

// waiting is how many bytes can be read at once.
func waiting(fd int) int64 {
	n, err := unix.IoctlGetInt(fd, getWaiting)
	if err != nil {
		return 0
	}
	return int64(n)
}
