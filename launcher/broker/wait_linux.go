//go:build amd64 || arm64

package broker

import (
	"context"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

// glance is how long a socket is waited for before the caller is looked at again.
const glance = 100 * time.Millisecond

// restart is ERESTARTSYS: the kernel makes the call again after the signal's handler, or returns
// EINTR, as the handler wants it.
const restart = unix.Errno(512)

// A wait is what a blocking caller waits for. A signal may stop it, and the socket may have a time
// limit.
type wait struct {
	call  *call
	ctx   context.Context
	fd    int
	began time.Time
	limit time.Duration // 0 is none
}

// newWait begins a wait; option is the limit's.
func newWait(ctx context.Context, c *call, fd, option int) *wait {
	w := &wait{call: c, ctx: ctx, fd: fd, began: time.Now()}
	if tv, err := unix.GetsockoptTimeval(fd, unix.SOL_SOCKET, option); err == nil {
		w.limit = time.Duration(tv.Nano())
	}
	return w
}

// until waits for an event of the socket. It returns late when that did not come in time.
func (w *wait) until(event int16, late error) error {
	for {
		poll := []unix.PollFd{{Fd: int32(w.fd), Events: event}}
		n, err := unix.Poll(poll, int(glance/time.Millisecond))
		switch {
		case n > 0:
			return nil
		case err != nil && err != unix.EINTR:
			return unix.EINTR
		}
		if stop := w.over(late); stop != nil {
			return stop
		}
	}
}

// over returns why the wait has ended, late if it took too long; nil if it goes on.
func (w *wait) over(late error) error {
	switch {
	case !w.call.waits(), w.ctx.Err() != nil:
		return unix.EINTR
	case w.limit > 0 && time.Since(w.began) >= w.limit:
		return late
	case w.call.signalled():
		return restart
	}
	return nil
}

// connectAndWait connects for a caller that blocks.
func connectAndWait(ctx context.Context, c *call, s *socket, to netip.AddrPort) error {
	w := newWait(ctx, c, s.fd, unix.SO_SNDTIMEO)
	// The flag is one with the caller's, so it is set for the length of one call only.
	connect := func() error {
		return withoutBlocking(s.fd, func() error { return unix.Connect(s.fd, s.sockaddr(to)) })
	}
	err := connect()
	if err == unix.EINPROGRESS || err == unix.EALREADY {
		if stop := w.until(unix.POLLOUT, unix.EINPROGRESS); stop != nil {
			return stop
		}
		return connect()
	}
	return err
}

func withoutBlocking(fd int, f func() error) error {
	if err := unix.SetNonblock(fd, true); err != nil {
		return err
	}
	err := f()
	if bad := unix.SetNonblock(fd, false); err == nil {
		err = bad
	}
	return err
}
