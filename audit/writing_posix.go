//go:build linux || darwin

package audit

import (
	"errors"
	"os"

	"github.com/tada-run/tada-run/approval/flock"
	"golang.org/x/sys/unix"
)

// markWriting shows that a transcript is being written: the lock lasts as long as this process has
// the file open, however it dies. On a file system without locks this is not shown; recording
// matters more than the mark.
func markWriting(f *os.File) { _ = flock.Try(f) }

// isWriting reports whether another open file has that mark.
func isWriting(f *os.File) bool {
	err := flock.Do(f, unix.LOCK_SH|unix.LOCK_NB)
	if err == nil {
		_ = flock.Unlock(f)
	}
	return errors.Is(err, unix.EWOULDBLOCK)
}
