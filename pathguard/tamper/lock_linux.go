package tamper

import (
	"os"

	"golang.org/x/sys/unix"
)

// flock tries once for the exclusive lock of a file; it is false when another process has it. The kernel takes
// the lock away from a process that dies.
func flock(f *os.File) (bool, error) {
	for {
		switch err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err {
		case nil:
			return true, nil
		case unix.EINTR:
		case unix.EWOULDBLOCK:
			return false, nil
		default:
			return false, &os.PathError{Op: "flock", Path: f.Name(), Err: err}
		}
	}
}
