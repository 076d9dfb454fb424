//go:build linux || darwin

package session

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Hold is Open for a session that belongs to no terminal: the child's three descriptors are a
// private terminal, what it prints is given to show once the tap has it, and keys come by Type. Of
// like, the terminal that the session was started from, only modes and size are copied; it may be
// closed. Show is called on one goroutine and may block, which stalls the child.
func Hold(like Stdio, tap Tap, show func([]byte)) (*Session, error) {
	return open(&Session{caller: like,
		plan: plan{child: [3]give{slave, slave, slave}, screen: 1, keys: none}, show: show}, tap)
}

// typeChunk is how much is recorded before it is written: a terminal without a reader takes at most
// 4095 bytes, and what is written should not be far behind what was recorded.
const typeChunk = 512

// Type writes keys by author to the terminal, recorded first, and returns how many bytes the
// terminal took. It waits while the program reads nothing, until cancelled, asked after each Nudge,
// says that the rest is not wanted any more. Errors are the tap's, or that the terminal is gone.
func (s *Session) Type(author string, p []byte, cancelled func() bool) (n int, err error) {
	for len(p) > 0 {
		chunk := p[:min(len(p), typeChunk)]
		if cancelled() {
			return n, nil
		}
		if err := s.gate.pass(func(t Tap) error { return t.Input(author, chunk) }); err != nil {
			return n, err
		}
		took, err := s.write(chunk, cancelled)
		n += took
		if err != nil || took < len(chunk) {
			return n, err
		}
		p = p[took:]
	}
	return n, nil
}

func (s *Session) write(p []byte, cancelled func() bool) (n int, err error) {
	for n < len(p) {
		s.mu.Lock()
		fd, nudge := s.master, s.nudge
		took, err := 0, error(unix.EIO)
		if fd >= 0 {
			took, err = unix.Write(fd, p[n:])
		}
		s.mu.Unlock()
		n += max(took, 0)
		switch err {
		case nil, unix.EINTR:
		case unix.EAGAIN:
			if cancelled() {
				return n, nil
			}
			fds := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLOUT},
				nudge.pollFd()}
			if err := poll(fds, recheck); err != nil {
				// if the master was closed in between, the next write fails
				return n, err
			}
			if fds[1].Revents != 0 {
				s.nudged()
			}
		default:
			return n, fmt.Errorf("type: %w", err)
		}
	}
	return n, nil
}

// Nudge makes a Type that waits ask whether it was cancelled.
func (s *Session) Nudge() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nudge != noWakeup {
		s.nudge.raise()
	}
}

// nudged takes a nudge in, unless the session has ended: then the number is not its event any more.
func (s *Session) nudged() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nudge != noWakeup {
		s.nudge.clear()
	}
}

// Resize sets the private terminal's size, recorded first.
func (s *Session) Resize(cols, rows int) error {
	size := unix.Winsize{Col: uint16(min(max(cols, 1), 1<<15)),
		Row: uint16(min(max(rows, 1), 1<<15))}
	return s.setSize(size)
}

// Foreground returns the process group that reads the private terminal, as this process sees it; 0
// when there is none, or its number is not known here.
func (s *Session) Foreground() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.master < 0 {
		return 0
	}
	group, err := unix.IoctlGetInt(s.master, unix.TIOCGPGRP)
	if err != nil {
		return 0
	}
	return max(group, 0)
}

// Peers returns a connected pair of stream sockets: the end for this process, which does not block
// a thread while it waits, and the end to hand to a child.
func Peers() (ours, theirs *os.File, err error) {
	p, err := socketPair()
	if err != nil {
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	if err := unix.SetNonblock(p[0], true); err != nil {
		unix.Close(p[0])
		unix.Close(p[1])
		return nil, nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	return os.NewFile(uintptr(p[0]), "attached"), os.NewFile(uintptr(p[1]), "attached"), nil
}
