package bolt

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"github.com/tada-run/tada-run/approval/private"
	"golang.org/x/sys/unix"
)

// waitSuffix and an id name the bell of an envelope: an empty file that waiters watch with
// inotify(7). A process that changes the envelope opens the bell for writing before the commit and
// closes it after it; the close is the event. The kernel closes it for a process that is killed, so
// no wake-up is lost. A waiter that makes the bell too late for that finds the change itself,
// because reading waits for the lock under which bells are opened. Each envelope has a bell of its
// own: with one for all, 64 waiters would look 64 times each.
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
		if !errors.Is(err, fs.ErrNotExist) { // else it was just rung and removed
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

// ring wakes the processes that wait at the bells. If nothing was committed after all, they look
// once and wait on.
func ring(bells []*os.File) {
	for _, f := range bells {
		os.Remove(f.Name())
		f.Close()
	}
}
