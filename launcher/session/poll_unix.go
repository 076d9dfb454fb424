//go:build linux || darwin

package session

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// poll is poll(2) that continues after a signal. timeout is in milliseconds, -1 for ever; a signal
// starts it again.
func poll(fds []unix.PollFd, timeout int) error {
	for {
		err := pollOnce(fds, timeout)
		if err == nil {
			return nil
		}
		if err != unix.EINTR {
			return fmt.Errorf("poll: %w", err)
		}
	}
}
