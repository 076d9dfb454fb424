package session

import (
	"fmt"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// openPTY makes a private terminal. The master does not block, so that a relay can be stopped.
func openPTY() (master int, peer *os.File, err error) {
	master, err = unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK,
		0)
	if err != nil {
		return none, nil, fmt.Errorf("open %q: %w", "/dev/ptmx", err)
	}
	defer func() {
		if err != nil {
			unix.Close(master)
			master = none
		}
	}()
	for _, request := range []uint{unix.TIOCPTYGRANT, unix.TIOCPTYUNLK} {
		if err := unix.IoctlSetInt(master, request, 0); err != nil {
			return none, nil, fmt.Errorf("unlock the terminal: %w", err)
		}
	}
	const size = 128 // part of the request's number
	// By a function that takes a pointer: a number would not move with the stack.
	var name [size / 8]uint64
	if err := unix.IoctlSetTermios(master, unix.TIOCPTYGNAME,
		(*unix.Termios)(unsafe.Pointer(&name))); err != nil {
		return none, nil, fmt.Errorf("name the terminal's other end: %w", err)
	}
	path := unix.ByteSliceToString(unsafe.Slice((*byte)(unsafe.Pointer(&name)), size))
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return none, nil, fmt.Errorf("open the terminal's other end, %q: %w", path, err)
	}
	return master, os.NewFile(uintptr(fd), "terminal"), nil
}

// bothEnds makes a pipe that no program inherits.
func bothEnds() (from, to int, err error) {
	var p [2]int
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := unix.Pipe(p[:]); err != nil {
		return none, none, err
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return p[0], p[1], nil
}

// widen does nothing: the kernel chooses the size of a pipe by its use.
func widen(int) {}

// socketPair makes two connected sockets that no program inherits.
func socketPair() ([2]int, error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err == nil {
		unix.CloseOnExec(p[0])
		unix.CloseOnExec(p[1])
	}
	return p, err
}

// putOver makes the number to lead to what from is.
func putOver(from, to int) { _ = unix.Dup2(from, to) }
