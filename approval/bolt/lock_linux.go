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

// openBoard opens the board; nil if there is none.
func openBoard(path string) (*os.File, error) {
	f, err := private.Open(path, os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// makeBoard makes a board that is locked before others can see it: until then it has no name. It
// returns nil if there is a board by now. Some file systems do not support this; the error says so.
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
	// Through its path in /proc, because AT_EMPTY_PATH needs a capability (open(2), O_TMPFILE).
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

// bellSuffix and the inode number of a board name its bell: a FIFO that the leader holds open for
// writing. Waiting processes read its end, also if the leader is killed. The runtime's poller can
// wait for a read. It cannot wait for flock(2): the runtime checks a thread in a system call every
// 20 µs, and with 63 waiting processes that takes time from the one that works.
const bellSuffix = ".bell-"

func bellOf(board *os.File) (string, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(board.Fd()), &st); err != nil {
		return "", err
	}
	return fmt.Sprintf("%s%s%x", board.Name(), bellSuffix, st.Ino), nil
}

// hangBell makes the bell of a board; nil if that is impossible. It is removed with its board: see
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

// dropBoard removes a board and its bell, the bell first: a bell without a board would never be
// removed.
func dropBoard(board *os.File) error {
	if name, err := bellOf(board); err == nil {
		os.Remove(name)
	}
	return os.Remove(board.Name())
}

// waitBoard waits until the leader of a board has answered or died, but no longer than limit. It
// makes one timer at a time, because the runtime wakes a thread for each.
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

// release releases bbolt's lock on a file that bbolt left open. Closing is not enough: the lock
// belongs to the open file description, which a mapping of it keeps alive (flock(2), mmap(2)).
func release(f *os.File) {
	_ = flock.Unlock(f)
	f.Close()
}
