//go:build darwin || (linux && stepwise)

package session

import (
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

// newWakeup makes a pipe, for a system without eventfd.
func newWakeup() (wakeup, error) {
	from, to, err := bothEnds()
	if err != nil {
		return noWakeup, fmt.Errorf("make a pipe: %w", err)
	}
	w := wakeup{from, to}
	for _, fd := range []int{from, to} {
		if err := unix.SetNonblock(fd, true); err != nil {
			w.close()
			return noWakeup, fmt.Errorf("make a pipe: %w", err)
		}
	}
	return w, nil
}

// pollOnce is poll(2) by select(2): the poll of macOS knows no terminals. What of fds has no events
// is looked at every recheck milliseconds, by poll: a pipe or socket whose reader is gone. A
// hang-up of the others is found by the read or the write that follows.
func pollOnce(fds []unix.PollFd, timeout int) error {
	for {
		wait := timeout
		gone := hungUp(fds)
		switch {
		case gone:
			wait = 0
		case timeout < 0 && slices.ContainsFunc(fds, silent):
			wait = recheck
		}
		n, err := selectOnce(fds, wait)
		if err != nil || n > 0 || gone || wait == timeout {
			return err
		}
	}
}

// silent reports whether only a hang-up of f is waited for.
func silent(f unix.PollFd) bool { return f.Fd >= 0 && f.Events == 0 }

// hungUp sets what poll(2) says of the silent ones, and reports whether one of them is hung up.
func hungUp(fds []unix.PollFd) (found bool) {
	for i := range fds {
		f := &fds[i]
		f.Revents = 0
		one := []unix.PollFd{*f}
		if silent(*f) {
			if n, err := unix.Poll(one, 0); n > 0 && err == nil {
				f.Revents = one[0].Revents & (unix.POLLERR | unix.POLLHUP)
			}
		}
		found = found || f.Revents != 0
	}
	return found
}

// selectOnce is select(2) for those that have events; n is how many are ready.
func selectOnce(fds []unix.PollFd, timeout int) (n int, err error) {
	var in, out unix.FdSet
	most := -1
	for _, f := range fds {
		if f.Fd < 0 || f.Events == 0 {
			continue
		}
		if f.Fd >= unix.FD_SETSIZE {
			return 0, fmt.Errorf("descriptor %d is more than select(2) takes: %w", f.Fd,
				unix.EMFILE)
		}
		if f.Events&unix.POLLIN != 0 {
			in.Set(int(f.Fd))
		}
		if f.Events&unix.POLLOUT != 0 {
			out.Set(int(f.Fd))
		}
		most = max(most, int(f.Fd))
	}
	var wait *unix.Timeval
	if timeout >= 0 {
		tv := unix.NsecToTimeval((time.Duration(timeout) * time.Millisecond).Nanoseconds())
		wait = &tv
	}
	if n, err = unix.Select(most+1, &in, &out, nil, wait); err != nil {
		return 0, err
	}
	for i := range fds {
		f := &fds[i]
		if f.Fd < 0 || f.Events == 0 {
			continue
		}
		if f.Events&unix.POLLIN != 0 && in.IsSet(int(f.Fd)) {
			f.Revents |= unix.POLLIN
		}
		if f.Events&unix.POLLOUT != 0 && out.IsSet(int(f.Fd)) {
			f.Revents |= unix.POLLOUT
		}
	}
	return n, nil
}
