//go:build linux || darwin

package session

import (
	"sync"

	"golang.org/x/sys/unix"
)

// A modes value is the caller's terminal and the state it must get back.
//
// It is touched only while our process group is its foreground group: the terminal belongs
// to that group, and a background process that sets modes is stopped (SIGTTOU) or, worse,
// changes them under the shell that has taken the terminal back.
type modes struct {
	fd      int
	keepOut bool // leave output processing on: other programs of a pipeline write here too

	mu    sync.Mutex
	saved unix.Termios
	raw   bool
	held  bool // given back: no one may enter until allow
}

// close lets go of the terminal, for good. It must have been left.
func (m *modes) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.fd >= 0 {
		unix.Close(m.fd)
		m.fd = none
	}
}

// holding says who may use a terminal.
type holding int

const (
	background holding = iota // another group is in the foreground
	foreground                // ours is
	foreign                   // not our controlling terminal: there is no job control to obey
)

// holder asks the kernel; it is one ioctl, and asked again each time, because a shell can
// move us at any moment without a signal ("bg", "fg" of a running job).
func (m *modes) holder() holding {
	group, err := unix.IoctlGetInt(m.fd, unix.TIOCGPGRP)
	switch {
	case err == unix.ENOTTY:
		return foreign
	case err == nil && group == unix.Getpgrp():
		return foreground
	default:
		return background
	}
}

// enter makes the terminal raw and reports whether it is. It does nothing in the background.
// After a stop it is called again: the state then saved before stays the one to restore.
func (m *modes) enter() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.held || m.holder() == background {
		return false
	}
	if !m.raw {
		t, err := unix.IoctlGetTermios(m.fd, getTermios)
		if err != nil {
			return false
		}
		m.saved = *t
	}
	t := rawModes(m.saved, m.keepOut)
	if unix.IoctlSetTermios(m.fd, setTermios, &t) != nil {
		return false
	}
	m.raw = true
	return true
}

// leave gives the terminal back as it was, and keeps it so until allow. Keys not read yet
// stay for the next reader.
func (m *modes) leave() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = true
	if !m.raw {
		return
	}
	m.raw = false
	if m.holder() == background {
		return // the present holder has set the modes it wants
	}
	withoutStop(func() {
		unix.IoctlSetTermios(m.fd, setTermios, &m.saved)
	})
}

// allow lets enter work again.
func (m *modes) allow() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.held = false
}

// read reads keys and never blocks in raw mode. It holds the modes while it reads: between a poll
// that saw a key and the read, a return to line mode would make the key unreadable until the line
// ends, and the read would block for as long.
func (m *modes) read(p []byte) (n int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.raw || m.holder() == background {
		return 0, unix.EAGAIN
	}
	n, err = unix.Read(m.fd, p)
	if n == 0 && err == nil {
		err = unix.EAGAIN // VMIN is 0; poll reports a hang-up
	}
	return n, err
}

// lost forgets the raw mode when the terminal was taken from us, as by "bg" after a stop
// that we could not catch.
func (m *modes) lost() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.holder() == background {
		m.raw = false
	}
}

// isHeld reports whether the terminal was given back and is not to be read.
func (m *modes) isHeld() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.held
}

func (m *modes) isRaw() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.raw
}

// rawModes is cfmakeraw(3) with reads that do not block. Keys that would mean something here
// (interrupt, stop, end of file) must reach the private terminal, which gives them their meaning
// there.
func rawModes(t unix.Termios, keepOut bool) unix.Termios {
	t.Iflag &^= unix.IGNBRK | unix.BRKINT | unix.PARMRK | unix.ISTRIP | unix.INLCR | unix.IGNCR |
		unix.ICRNL | unix.IXON
	t.Lflag &^= unix.ECHO | unix.ECHONL | unix.ICANON | unix.ISIG | unix.IEXTEN
	t.Cflag = t.Cflag&^(unix.CSIZE|unix.PARENB) | unix.CS8
	if !keepOut {
		t.Oflag &^= unix.OPOST
	}
	t.Cc[unix.VMIN], t.Cc[unix.VTIME] = 0, 0 // read returns at once: another reader may be faster
	return t
}

// sizeOf returns a terminal's size in cells; ok is false when fd is none or does not know.
func sizeOf(fd int) (ws unix.Winsize, ok bool) {
	got, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
	if err != nil || got.Col == 0 || got.Row == 0 {
		return unix.Winsize{Col: defaultCols, Row: defaultRows}, false
	}
	return *got, true
}
