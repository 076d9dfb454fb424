package approval

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// waitSuffix and an id name the bell of an envelope: an empty file that waiters watch by
// inotify(7). Who changes the envelope opens the bell for writing before the commit and closes it
// after, which is the event. The kernel closes it for a process that is killed, so no wake-up is
// lost; and a waiter who makes the bell too late for that finds the change itself, because reading
// waits for the lock under which bells are opened. One bell for each envelope, because waking
// everybody for everything would make 64 waiters look 64 times.
const waitSuffix = ".wait-"

// Wait implements [Store]. Inotify instances and watches are few for each user, and other programs
// may have them all: then it looks again and again.
func (b *Bolt) Wait(ctx context.Context, id string) (Envelope, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return b.poll(ctx, id)
	}
	watch := os.NewFile(uintptr(fd), "inotify") // non-blocking, so reads can be given a deadline
	// The kernel waits for a grace period and a delayed worker before it lets go of a watch: 10 to
	// 20 ms that the answer must not wait for.
	defer func() { go watch.Close() }()
	if e, err := b.Get(ctx, id); err != nil || e.State != Pending || e.Decision != nil {
		return e, err // also: an id that has no envelope must not become a file
	}
	if _, err := unix.InotifyAddWatch(fd, b.path, unix.IN_DELETE_SELF|unix.IN_MOVE_SELF); err != nil {
		return b.poll(ctx, id)
	}
	stop := context.AfterFunc(ctx, func() { watch.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	// One event without a name has 16 bytes; a full buffer of old ones means the same as one.
	buf := make([]byte, 4096)
	for {
		// Each time anew, because who rings it takes it away.
		if err := watchBell(fd, b.path+waitSuffix+id); errors.Is(err, unix.ENOSPC) { // inotify_add_watch(2): no watch is left
			return b.poll(ctx, id)
		} else if err != nil {
			return Envelope{}, err
		}
		e, err := b.Get(ctx, id)
		if err != nil || e.State != Pending || e.Decision != nil {
			os.Remove(b.path + waitSuffix + id) // it may have been made again since it was rung
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

// pollEvery is how often the store is read where inotify cannot be had: an answer that was typed
// takes longer.
const pollEvery = 250 * time.Millisecond

// poll is Wait without inotify.
func (b *Bolt) poll(ctx context.Context, id string) (Envelope, error) {
	for {
		e, err := b.Get(ctx, id)
		if err != nil || e.State != Pending || e.Decision != nil {
			return e, err
		}
		select {
		case <-ctx.Done():
			return e, ctx.Err()
		case <-time.After(min(pollEvery, b.remaining(e))):
		}
	}
}

// watchBell makes the bell if there is none and watches it.
func watchBell(fd int, path string) error {
	for {
		f, err := openPrivate(path, os.O_RDONLY|os.O_CREATE, 0o600)
		if err != nil {
			return fileError(path, err)
		}
		f.Close()
		_, err = unix.InotifyAddWatch(fd, path, unix.IN_CLOSE_WRITE|unix.IN_DELETE_SELF|unix.IN_ATTRIB)
		if !errors.Is(err, fs.ErrNotExist) { // else it was rung and taken away just now
			return fileError(path, err)
		}
	}
}

// bells opens the bells of all envelopes that a transaction has changed, before it is committed.
func (b *Bolt) bells(events []Event) []*os.File {
	var out []*os.File
	seen := map[string]bool{}
	for _, e := range events {
		if e.Kind == KindIssued || e.Envelope == "" || seen[e.Envelope] {
			continue
		}
		seen[e.Envelope] = true
		if f, err := openPrivate(b.path+waitSuffix+e.Envelope, os.O_WRONLY, 0); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// ring wakes who waits at the bells. When nothing was committed after all, waiters look in vain and
// wait on.
func ring(bells []*os.File) {
	for _, f := range bells {
		os.Remove(f.Name())
		f.Close()
	}
}

// remaining is how long an envelope can still change by the clock alone.
func (b *Bolt) remaining(e Envelope) time.Duration {
	return max(e.Expires.Sub(b.o.Clock().Now), 0) + time.Millisecond
}
