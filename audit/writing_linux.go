package audit

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// markWriting makes it known that a transcript is being written: the lock
// lives as long as this process has the file, however it dies. A file system
// without locks cannot tell; the record is worth more than the mark.
func markWriting(f *os.File) { _ = flock(f, unix.LOCK_EX|unix.LOCK_NB) }

// isWriting reports whether another open file has that mark.
func isWriting(f *os.File) bool {
	err := flock(f, unix.LOCK_SH|unix.LOCK_NB)
	if err == nil {
		_ = unlockFile(f)
	}
	return errors.Is(err, unix.EWOULDBLOCK)
}
