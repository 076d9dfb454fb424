//go:build linux || darwin

package session

import (
	"context"

	"golang.org/x/sys/unix"
)

// ReadKey waits for one byte of a terminal, or for the end of ctx. It takes nothing from the
// terminal that it does not return: the next key may be meant for another question.
func ReadKey(ctx context.Context, fd int) (key byte, ok bool) {
	cancelled, err := newWakeup()
	if err != nil {
		return 0, false
	}
	defer cancelled.close()
	raised := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		cancelled.raise()
		close(raised)
	})
	defer func() {
		if !stop() {
			<-raised
		}
	}()
	for {
		wait := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}, cancelled.pollFd()}
		if poll(wait, -1) != nil || wait[1].Revents != 0 {
			return 0, false
		}
		if wait[0].Revents == 0 {
			continue
		}
		var b [1]byte
		n, err := unix.Read(fd, b[:])
		if err == unix.EINTR || err == unix.EAGAIN {
			continue
		}
		return b[0], err == nil && n == 1
	}
}
