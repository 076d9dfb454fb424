//go:build !stepwise

package session

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// newWakeup makes an eventfd.
func newWakeup() (wakeup, error) {
	fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return noWakeup, fmt.Errorf("make an eventfd: %w", err)
	}
	return wakeup{fd, fd}, nil
}

// pollOnce is poll(2).
func pollOnce(fds []unix.PollFd, timeout int) error {
	_, err := unix.Poll(fds, timeout)
	return err
}
