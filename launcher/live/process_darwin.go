package live

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/state"
)

// A process is known by its number and by when it started, which is looked at before each use.
type process struct {
	pid  int
	name string
}

func openProcess(pid int, name string) (process, error) { return process{pid, name}, nil }

func (process) close() {}

func (p process) signal(s syscall.Signal) error {
	if p.hasEnded(0) {
		return unix.ESRCH
	}
	return unix.Kill(p.pid, s)
}

// hasEnded waits until it is gone.
func (p process) hasEnded(limit time.Duration) bool {
	const look = 10 * time.Millisecond
	for until := time.Now().Add(limit); ; time.Sleep(look) {
		if state.ProcessOf(p.pid) != p.name {
			return true
		}
		if !time.Now().Before(until) {
			return false
		}
	}
}
