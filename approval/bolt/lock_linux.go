package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tada-run/tada-run/approval/flock"
	"github.com/tada-run/tada-run/approval/private"
	"golang.org/x/sys/unix"
)

// openBoard opens the boarding file; nil when there is none.
func openBoard(path string) (*os.File, error) {
	f, err := private.Open(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// makeBoard makes a boarding file that is locked before anybody can see it: it has no name until
// then. It returns nil when there is one by now. Some file systems cannot do it; the error says so.
func makeBoard(path string) (*os.File, error) {
	fd, err := unix.Open(filepath.Dir(path),
		unix.O_TMPFILE|unix.O_RDWR|unix.O_APPEND|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), path)
	if err := flock.Try(f); err != nil {
		f.Close()
		return nil, err
	}
	// By its path under /proc, because AT_EMPTY_PATH needs a capability (open(2), O_TMPFILE).
	err = unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, path,
		unix.AT_SYMLINK_FOLLOW)
	if err != nil {
		f.Close()
		if errors.Is(err, unix.EEXIST) {
			return nil, nil
		}
		return nil, err
	}
	return f, nil
}

// bellSuffix and the inode number of a boarding file name its bell: a FIFO that the leader holds
// open for writing, so that waiting processes read its end, also when the leader is killed. Reading
// is the work of the runtime's poller. A thread in flock(2) is not: the runtime looks after it
// every 20 µs, which 63 waiting processes take from the one that works.
const bellSuffix = ".bell-"

func bellOf(board *os.File) (string, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(board.Fd()), &st); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%s%x", board.Name(), bellSuffix, st.Ino), nil
}

// hangBell makes the bell of a boarding; nil where there can be none. It goes with its board: see
// [dropBoard].
func hangBell(board *os.File) *os.File {
	name, err := bellOf(board)
	if err != nil || unix.Mkfifo(name, 0o600) != nil {
		return nil
	}
	fd, err := unix.Open(name, unix.O_RDWR|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	return os.NewFile(uintptr(fd), name)
}

// dropBoard removes a boarding file and its bell, the bell first: a bell alone would be found by
// nobody.
func dropBoard(board *os.File) error {
	if name, err := bellOf(board); err == nil {
		os.Remove(name)
	}
	return os.Remove(board.Name())
}

// waitBoard waits until the leader of a boarding has answered, or has died, but no longer than
// limit. It makes one timer at a time: each has the runtime wake a thread.
func waitBoard(board *os.File, limit time.Duration, waiting func(*os.File, time.Duration)) error {
	if name, err := bellOf(board); err == nil {
		if fd, err := unix.Open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC,
			0); err == nil {
			bell := os.NewFile(uintptr(fd), name)
			defer bell.Close()
			began := time.Now()
			for _, until := range append(flock.Patience[:], limit) {
				until = min(until, limit)
				if bell.SetReadDeadline(began.Add(until)) != nil {
					break
				}
				_, err := bell.Read(make([]byte, 1))
				switch {
				case !errors.Is(err, os.ErrDeadlineExceeded):
				case until == limit:
					return err
				default:
					if waiting != nil {
						waiting(board, until)
					}
					continue
				}
				break
			}
		}
	}
	if flock.Do(board, unix.LOCK_SH|unix.LOCK_NB) == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit) // there was no bell
	defer cancel()
	return flock.Wait(ctx, board, unix.LOCK_SH, waiting)
}

// release gives back bbolt's lock on a file that bbolt left open. Closing is not enough: the lock
// belongs to the open file, which a mapping of it keeps alive (flock(2), mmap(2)).
func release(f *os.File) {
	_ = flock.Unlock(f)
	f.Close()
}
