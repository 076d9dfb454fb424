//go:build linux || darwin

package undo

import (
	"time"

	"golang.org/x/sys/unix"
)

const (
	// grace is how long after its last note a run that a crash ended may have changed something.
	grace = 2e9
	// tick is how much a time of the file system may be behind the clock.
	tick = 10e6
	// pause is how long to wait before that time is looked at again.
	pause = 500 * time.Microsecond
)

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
