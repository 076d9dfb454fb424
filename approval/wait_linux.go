package approval

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Wait implements [Store]. Who changes the database opens it for writing and closes it after the
// commit, and closing such a file is an event of inotify(7). The kernel closes it for a process that
// is killed, so no wake-up is lost; and the waiter, who looks by a file open for reading, does not
// wake itself.
func (b *Bolt) Wait(ctx context.Context, id string) (Envelope, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return Envelope{}, fileError(b.path, err)
	}
	watch := os.NewFile(uintptr(fd), "inotify") // non-blocking, so reads can be given a deadline
	// The kernel waits for a grace period and a delayed worker before it lets go of a watch: 10 to
	// 20 ms that the answer must not wait for.
	defer func() { go watch.Close() }()
	if _, err := b.Get(ctx, id); err != nil { // with an envelope in it, there is a database to watch
		return Envelope{}, err
	}
	if _, err := unix.InotifyAddWatch(fd, b.path, unix.IN_CLOSE_WRITE|unix.IN_DELETE_SELF|unix.IN_MOVE_SELF); err != nil {
		return Envelope{}, fileError(b.path, err)
	}
	stop := context.AfterFunc(ctx, func() { watch.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	// One event without a name has 16 bytes; a full buffer of old ones means the same as one.
	buf := make([]byte, 4096)
	for {
		e, err := b.Get(ctx, id)
		if err != nil || e.State != Pending || e.Decision != nil {
			return e, err
		}
		if err := watch.SetReadDeadline(time.Now().Add(b.remaining(e))); err != nil {
			return Envelope{}, fileError(b.path, err)
		}
		if err := ctx.Err(); err != nil {
			return e, err // after the deadline was set, else the one set by AfterFunc could be lost
		}
		if _, err := watch.Read(buf); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return Envelope{}, fileError(b.path, err)
		}
	}
}

// remaining is how long an envelope can still change by the clock alone.
func (b *Bolt) remaining(e Envelope) time.Duration {
	return max(e.Expires.Sub(b.o.Clock().Now), 0) + time.Millisecond
}
