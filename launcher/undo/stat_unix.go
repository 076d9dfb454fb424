//go:build linux || darwin

package undo

import "golang.org/x/sys/unix"

const (
	// grace is how long after its last note a run that a crash ended may have changed something.
	grace = 2e9
	// tick is how much a time of the file system may be behind the clock.
	tick = 10e6
)

// A spot is where an inode is stored.
type spot struct {
	mount uint64
	disk  int64 // bytes that it takes there
}

// look is stat of an entry: the zero State if there is none.
func look(dir int, name string) (State, error) {
	s, _, err := stat(dir, name)
	if err == unix.ENOENT {
		err = nil
	}
	return s, err
}

// openFolder opens a folder in another one, without following a symbolic link.
func openFolder(dir int, name string) (int, error) {
	return open(dir, name, theFolder, 0)
}

func open(dir int, name string, flags int, mode uint32) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_CLOEXEC, mode)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

func readlink(dir int, name string) (string, error) {
	b := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(dir, name, b)
	if err != nil {
		return "", err
	}
	return string(b[:n]), nil
}
