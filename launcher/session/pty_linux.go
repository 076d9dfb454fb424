package session

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// A size without a terminal to copy it from: what ANSI.SYS, terminfo and every program
// fall back to.
const (
	defaultCols = 80
	defaultRows = 24
)

// openPTY makes a private terminal. The master does not block, so that a relay can be stopped; a
// blocking master's read cannot be interrupted, not even by closing it.
//
// The slave is opened from the master (TIOCGPTPEER, Linux 4.13) and not by its name: the
// name could lead elsewhere when /dev/pts is another mount than the one behind /dev/ptmx.
func openPTY() (master int, peer *os.File, err error) {
	master, err = unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK,
		0)
	if err != nil {
		return -1, nil, fmt.Errorf("open %q: %w", "/dev/ptmx", err)
	}
	if err := unix.IoctlSetPointerInt(master, unix.TIOCSPTLCK, 0); err != nil {
		unix.Close(master)
		return -1, nil, fmt.Errorf("unlock the terminal: %w", err)
	}
	fd, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(master), unix.TIOCGPTPEER,
		unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC)
	if errno != 0 {
		unix.Close(master)
		return -1, nil, fmt.Errorf("open the terminal's other end: %w", errno)
	}
	return master, os.NewFile(fd, "terminal"), nil
}

// newPipe makes a pipe whose ours end does not block. Which end is ours depends on whether
// the child reads or writes.
func newPipe(childWrites bool) (ours int, child *os.File, err error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return -1, nil, fmt.Errorf("make a pipe: %w", err)
	}
	ours, theirs := p[1], p[0]
	if childWrites {
		ours, theirs = p[0], p[1]
	}
	if err := unix.SetNonblock(ours, true); err != nil {
		unix.Close(ours)
		unix.Close(theirs)
		return -1, nil, fmt.Errorf("make a pipe: %w", err)
	}
	// Fewer, larger reads. It may fail for an ordinary user with many pipes
	// (/proc/sys/fs/pipe-user-pages-soft); then the pipe is only slower.
	unix.FcntlInt(uintptr(ours), unix.F_SETPIPE_SZ, pipeSize)
	return ours, os.NewFile(uintptr(theirs), "pipe"), nil
}
