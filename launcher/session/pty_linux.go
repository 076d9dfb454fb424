package session

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
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

// bothEnds makes a pipe that no program inherits.
func bothEnds() (from, to int, err error) {
	var p [2]int
	err = unix.Pipe2(p[:], unix.O_CLOEXEC)
	return p[0], p[1], err
}

// widen makes fewer, larger reads of a pipe. It may fail for an ordinary user with many pipes
// (/proc/sys/fs/pipe-user-pages-soft); then the pipe is only slower.
func widen(pipe int) { unix.FcntlInt(uintptr(pipe), unix.F_SETPIPE_SZ, pipeSize) }

// socketPair makes two connected sockets that no program inherits.
func socketPair() ([2]int, error) {
	return unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
}

// putOver makes the number to lead to what from is.
func putOver(from, to int) { unix.Dup3(from, to, 0) }
