package bolt

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/tada-run/tada-run/approval/private"
	"golang.org/x/sys/unix"
)

// waitSuffix and an id name the bell of an envelope: an empty file that waiters watch by
// inotify(7). Who changes the envelope opens the bell for writing before the commit and closes it
// after, which is the event. The kernel closes it for a process that is killed, so no wake-up is
// lost; and a waiter who makes the bell too late for that finds the change itself, because reading
// waits for the lock under which bells are opened. One bell for each envelope, because waking
// everybody for everything would make 64 waiters look 64 times.
const waitSuffix = ".wait-"

// watchBell makes the bell if there is none and watches it.
func watchBell(fd int, path string) error {
	for {
		f, err := private.Open(path, os.O_RDONLY|os.O_CREATE, 0o600)
		if err != nil {
			return private.Named(path, err)
		}
		f.Close()
		_, err = unix.InotifyAddWatch(fd, path,
			unix.IN_CLOSE_WRITE|unix.IN_DELETE_SELF|unix.IN_ATTRIB)
		if !errors.Is(err, fs.ErrNotExist) { // else it was rung and taken away just now
			return private.Named(path, err)
		}
	}
}

// bells opens the bells of the questions that a transaction has changed, before it is committed.
func bells(path string, changed []string) []*os.File {
	var out []*os.File
	slices.Sort(changed)
	for _, id := range slices.Compact(changed) {
		if f, err := private.Open(path+waitSuffix+id, os.O_WRONLY, 0); err == nil {
			out = append(out, f)
		}
	}
	return out
}

// ring wakes who waits at the bells. When nothing was committed after all, waiters look in vain and
// wait on.
func ring(bells []*os.File) {
	for _, f := range bells {
		os.Remove(f.Name())
		f.Close()
	}
}
