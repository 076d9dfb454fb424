package bolt

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/tada-run/tada-run/approval/private"
	"golang.org/x/sys/unix"
)

// lock waits in the kernel's queue for the exclusive lock on f, or until ctx ends. bbolt's own
// waiting sleeps 50 ms between attempts, which under contention costs a quarter of a second.
// Closing f gives the lock back; after an error f is closed as soon as it can be.
func lock(ctx context.Context, f *os.File, waiting func(*os.File, time.Duration)) error {
	return waitLock(ctx, f, unix.LOCK_EX, waiting)
}

// lockShared is lock for reading.
func lockShared(ctx context.Context, f *os.File, waiting func(*os.File, time.Duration)) error {
	return waitLock(ctx, f, unix.LOCK_SH, waiting)
}

func tryExclusive(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
}

func tryShared(f *os.File) bool {
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) == nil
}

// patience is when Options.Waiting is called. A change takes milliseconds; on a busy disk, a
// second.
var patience = [...]time.Duration{time.Second, 5 * time.Second}

func waitLock(ctx context.Context, f *os.File, how int,
	waiting func(*os.File, time.Duration)) error {
	fd := int(f.Fd())
	if err := unix.Flock(fd, how|unix.LOCK_NB); err != unix.EWOULDBLOCK {
		if err != nil {
			f.Close()
		}
		return err
	}
	if waiting != nil {
		for _, d := range patience {
			defer time.AfterFunc(d, func() { waiting(f, d) }).Stop()
		}
	}
	done := make(chan error, 1)
	go func() {
		err := unix.Flock(fd, how)
		for err == unix.EINTR {
			err = unix.Flock(fd, how)
		}
		done <- err
	}()
	select {
	case err := <-done:
		if err != nil {
			f.Close()
		}
		return err
	case <-ctx.Done():
		// flock(2) cannot be given up. The goroutine keeps its thread until its turn comes.
		go func() {
			<-done
			f.Close()
		}()
		return ctx.Err()
	}
}

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
	if err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB); err != nil {
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
			for _, until := range append(patience[:], limit) {
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
	if tryShared(board) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit) // there was no bell
	defer cancel()
	return lockShared(ctx, board, waiting)
}

// release gives back bbolt's lock on a file that bbolt left open. Closing is not enough: the lock
// belongs to the open file, which a mapping of it keeps alive (flock(2), mmap(2)).
func release(f *os.File) {
	unix.Flock(int(f.Fd()), unix.LOCK_UN)
	f.Close()
}
