package bolt

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/private"
	"golang.org/x/sys/unix"
)

// Await implements [approval.DB]. Inotify instances and watches are limited for each user, and
// other programs may use them all. Await then polls.
func (b *DB) Await(ctx context.Context, id string, look approval.Look) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return poll(ctx, look)
	}
	watch := os.NewFile(uintptr(fd), "inotify") // non-blocking, so that reads can have a deadline
	// The kernel waits for a grace period and a delayed worker before it drops a watch. The answer
	// must not wait these 10 to 20 ms.
	defer func() { go watch.Close() }()
	if _, done, err := look(); done || err != nil {
		return err // also: an id that has no envelope must not become a file
	}
	if _, err := unix.InotifyAddWatch(fd, b.path,
		unix.IN_DELETE_SELF|unix.IN_MOVE_SELF); err != nil {
		return poll(ctx, look)
	}
	stop := context.AfterFunc(ctx, func() { watch.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	bell := b.path + waitSuffix + id
	// One event without a name has 16 bytes; a buffer full of old ones means the same as one.
	buf := make([]byte, 4096)
	for {
		// Each time again, because ringing removes it.
		if err := watchBell(fd, bell); errors.Is(err, unix.ENOSPC) {
			// inotify_add_watch(2): no watches left
			return poll(ctx, look)
		} else if err != nil {
			return err
		}
		again, done, err := look()
		if done || err != nil {
			os.Remove(bell) // it may have been made again since it was rung
			return err
		}
		if err := watch.SetReadDeadline(time.Now().Add(again)); err != nil {
			return private.Named(b.path, err)
		}
		if err := ctx.Err(); err != nil {
			return err // after setting the deadline, or the one set by AfterFunc could be lost
		}
		if _, err := watch.Read(buf); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return private.Named(b.path, err)
		}
	}
}
