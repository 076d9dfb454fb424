package prompt

import (
	"context"

	"golang.org/x/sys/unix"
)

// readKey waits for one byte of a terminal, or for the end of ctx. It takes nothing from the
// terminal that it does not return: the next key may be meant for another question.
func readKey(ctx context.Context, fd int) (key byte, ok bool) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return 0, false
	}
	defer unix.Close(ends[0])
	closed := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		unix.Close(ends[1]) // wakes poll
		close(closed)
	})
	defer func() {
		if stop() {
			unix.Close(ends[1])
		} else {
			<-closed
		}
	}()
	wait := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN},
		{Fd: int32(ends[0]), Events: unix.POLLIN}}
	for {
		if _, err := unix.Poll(wait, -1); err != nil && err != unix.EINTR {
			return 0, false
		}
		if wait[1].Revents != 0 {
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
