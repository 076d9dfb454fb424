//go:build unix

package play

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readable waits for something to read.
func readable(f *os.File, most time.Duration) (bool, error) {
	fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}}
	// Rounded up: otherwise a wait of a fraction of a millisecond would be polled over and over.
	n, err := unix.Poll(fds, int((most+time.Millisecond-1)/time.Millisecond))
	if errors.Is(err, unix.EINTR) {
		return false, nil // perhaps the size changed: look
	}
	return n > 0, err
}

// stop returns the terminal to the shell until the viewer comes back (fg).
func stop() { _ = unix.Kill(os.Getpid(), unix.SIGTSTP) }
