package live

import (
	"errors"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A process is one that stays the same, whatever has its number later: a pidfd.
type process struct{ fd int }

func openProcess(pid int, _ string) (process, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	return process{fd}, err
}

func (p process) close() { unix.Close(p.fd) }

func (p process) signal(s syscall.Signal) error { return unix.PidfdSendSignal(p.fd, s, nil, 0) }

// hasEnded waits until it is gone.
func (p process) hasEnded(limit time.Duration) bool {
	poll := []unix.PollFd{{Fd: int32(p.fd), Events: unix.POLLIN}}
	for until := time.Now().Add(limit); ; {
		left := time.Until(until)
		n, err := unix.Poll(poll, max(0, int(left.Milliseconds())))
		if err == nil || !errors.Is(err, unix.EINTR) {
			return n > 0
		}
	}
}
