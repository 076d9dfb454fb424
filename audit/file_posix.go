//go:build linux || darwin

package audit

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval/flock"
)

// openDir opens the audit folder and refuses one that others may enter: then the modes of the files
// inside would mean nothing.
func openDir(path string) (*os.File, error) {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open audit folder", Path: path, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return nil, &os.PathError{Op: "stat audit folder", Path: path, Err: err}
	}
	if int(st.Uid) != os.Geteuid() || st.Mode&0o077 != 0 {
		unix.Close(fd)
		return nil, fmt.Errorf("%w: folder %q has owner %d and mode %#o; it must be yours and 0700",
			ErrUnsafe, path, st.Uid, st.Mode&0o7777)
	}
	return os.NewFile(uintptr(fd), path), nil
}

// openAt opens one file of the folder and checks it (checkAt).
func openAt(dir *os.File, name string, flags int) (*os.File, error) {
	f, err := openName(dir, name, flags)
	if err != nil {
		return nil, err
	}
	if _, err := checkAt(dir, f, name); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// openName opens the file of a name in the folder, but not a link. O_NONBLOCK is for the open only:
// a FIFO put in place of the file must not block us.
func openName(dir *os.File, name string, flags int) (*os.File, error) {
	fd, err := unix.Openat(int(dir.Fd()), name,
		flags|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, 0o600)
	if errors.Is(err, unix.ELOOP) {
		return nil, fmt.Errorf("%w: %q is a symbolic link", ErrUnsafe, name)
	}
	if errors.Is(err, unix.EISDIR) {
		return nil, fmt.Errorf("%w: %q is a folder", ErrUnsafe, name)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// isBehind reports whether a name in the folder refers to the open file.
func isBehind(dir, f *os.File, name string) bool {
	var open, named unix.Stat_t
	return unix.Fstat(int(f.Fd()), &open) == nil &&
		unix.Fstatat(int(dir.Fd()), name, &named, unix.AT_SYMLINK_NOFOLLOW) == nil &&
		open.Dev == named.Dev && open.Ino == named.Ino && open.Nlink > 0
}

// errMoved is returned if the name now refers to another file than the open one: a writer that went
// on would append to an unlinked file.
var errMoved = errors.New("file was replaced")

// checkAt returns the size of the open file after checking that its name still refers to it, and
// that it is a plain file, belongs to this user, is closed to others, and has no second name.
func checkAt(dir, f *os.File, name string) (int64, error) {
	var open, named unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &open); err != nil {
		return 0, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	err := unix.Fstatat(int(dir.Fd()), name, &named, unix.AT_SYMLINK_NOFOLLOW)
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return 0, &os.PathError{Op: "stat", Path: name, Err: err}
	}
	return open.Size, fit(name, &open, &named, err == nil)
}

// fit checks a file by its state when it was looked at, open, and by the file of its name right
// after, if there was one.
func fit(name string, open, named *unix.Stat_t, there bool) error {
	switch {
	case !there, open.Dev != named.Dev, open.Ino != named.Ino, open.Nlink == 0:
		// the link count is decremented before the last name is gone
		return errMoved
	case open.Mode&unix.S_IFMT != unix.S_IFREG, int(open.Uid) != os.Geteuid(), open.Mode&0o077 != 0,
		open.Nlink != 1:
		return fmt.Errorf(
			"%w: %q has owner %d, mode %#o and %d names; it must be yours, a plain file, 0600, "+
				"with one name",
			ErrUnsafe, name, open.Uid, open.Mode&0o7777, open.Nlink)
	}
	return nil
}

// shareLock waits a moment for the lock in an unknown folder, and returns a function that releases
// it. Without the lock, or the right to open it, the reader goes on: a copy of a log has no
// writers.
func shareLock(path string) (unlock func()) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return func() {}
	}
	for range 200 {
		if flock.Do(f, unix.LOCK_SH|unix.LOCK_NB) != unix.EWOULDBLOCK {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	return func() { _ = f.Close() }
}

func removeAt(dir *os.File, name string) error {
	return unix.Unlinkat(int(dir.Fd()), name, 0)
}

// linkNew gives a file a second name. If that name exists, the error is fs.ErrExist.
func linkNew(dir *os.File, name, second string) error {
	fd := int(dir.Fd())
	if err := unix.Linkat(fd, name, fd, second, 0); err != nil {
		return &os.LinkError{Op: "link", Old: name, New: second, Err: err}
	}
	return nil
}

// isLocked distinguishes a lock that another process holds from one that cannot be taken.
func isLocked(err error) bool { return errors.Is(err, unix.EWOULDBLOCK) }

// isNoSpace distinguishes a full disk, quota or file size limit from a broken disk.
func isNoSpace(err error) bool {
	return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) || errors.Is(err, unix.EFBIG)
}

const (
	nofollow        = unix.O_NOFOLLOW
	openLogFlags    = unix.O_RDWR | unix.O_APPEND | unix.O_CREAT
	openAnchorFlags = unix.O_RDWR | unix.O_CREAT
	openLockFlags   = unix.O_RDWR | unix.O_CREAT
)
