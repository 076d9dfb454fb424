//go:build linux || darwin

package undo

import "golang.org/x/sys/unix"

// A spot is where an inode is stored.
type spot struct {
	mount uint64
	disk  int64 // bytes that it takes there
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
