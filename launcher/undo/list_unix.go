//go:build linux || darwin

package undo

import "golang.org/x/sys/unix"

// openToList opens a folder to read what is in it, without a change of its times if it is this
// user's.
func openToList(dir int, name string) (int, error) {
	const flags = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW
	fd, err := open(dir, name, flags|quietly, 0)
	if err == unix.EPERM {
		fd, err = open(dir, name, flags, 0)
	}
	return fd, err
}
