//go:build linux || darwin

package permit

import (
	"context"
	"os"
	"syscall"
	"time"
)

// Changes returns a channel that has a value whenever the approvals may have changed: at once for
// the first time, then after each process that wrote them. It is closed when ctx ends. Several
// changes may arrive as one. Where inotify(7) cannot be had, as on macOS, the file is polled. On a
// machine of a fleet the changes come from its agent, and there is also one when that goes away or
// comes back.
func (p *Approvals) Changes(ctx context.Context) (<-chan struct{}, error) {
	if p.dir.Joined() {
		return p.follow(ctx), nil
	}
	if err := p.Ready(); err != nil {
		return nil, err
	}
	changes := make(chan struct{}, 1)
	changes <- struct{}{}
	go p.withdrawing(ctx)
	if !p.watched(ctx, changes) {
		go p.pollChanges(ctx, changes)
	}
	return changes, nil
}

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
