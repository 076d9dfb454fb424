//go:build linux || darwin

package permit

import (
	"context"
	"os"
	"syscall"
	"time"
)

// pollEvery is how often the approvals are looked at where inotify cannot be had.
const pollEvery = 250 * time.Millisecond

// pollChanges is Changes without inotify. Writing the database changes its time, rebuilding it
// changes its inode number.
func (p *Approvals) pollChanges(ctx context.Context, changes chan<- struct{}) {
	defer close(changes)
	type state struct {
		ino      uint64
		size     int64
		modified time.Time
	}
	var was state
	for tick := time.NewTicker(pollEvery); ; {
		var now state // a missing one is a change too
		if info, err := os.Stat(p.dir.Approvals()); err == nil {
			st := info.Sys().(*syscall.Stat_t)
			now = state{uint64(st.Ino), info.Size(), info.ModTime()}
		}
		if now != was {
			was = now
			tellChange(changes)
		}
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}
