//go:build linux || darwin

package session

import "golang.org/x/sys/unix"

// A wakeup ends a poll: its reading end becomes readable when it is raised, until it is cleared.
// Both ends may be one descriptor.
type wakeup struct{ from, to int }

var noWakeup = wakeup{none, none}

func (w wakeup) raise() { unix.Write(w.to, []byte{1, 0, 0, 0, 0, 0, 0, 0}) }

// clear is for a reading end that is readable. One read takes all of an eventfd, and much of a
// pipe: what is left of it wakes once more.
func (w wakeup) clear() {
	var b [512]byte
	unix.Read(w.from, b[:])
}

func (w *wakeup) close() {
	if w.from >= 0 {
		unix.Close(w.from)
	}
	if w.to >= 0 && w.to != w.from {
		unix.Close(w.to)
	}
	*w = noWakeup
}

// pollFd is the wakeup as poll takes it.
func (w wakeup) pollFd() unix.PollFd { return unix.PollFd{Fd: int32(w.from), Events: unix.POLLIN} }
