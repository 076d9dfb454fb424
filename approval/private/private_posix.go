//go:build linux || darwin

package private

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Open opens a file that only this user may read or write. The check is made on the open file, so
// the file cannot be replaced after it; a symbolic link is not followed, and a FIFO that no one
// writes to does not keep the caller waiting.
func Open(path string, flag int, mode os.FileMode) (*os.File, error) {
	f, err := os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK|
		noAtime, mode)
	if errors.Is(err, unix.EPERM) { // another user owns it: the check below says so
		f, err = os.OpenFile(path, flag|unix.O_NOFOLLOW|unix.O_CLOEXEC|unix.O_NONBLOCK, mode)
	}
	if errors.Is(err, unix.ELOOP) {
		return nil, &FileError{Path: path, Err: ErrMeddled, Hint: "it is a symbolic link"}
	}
	if errors.Is(err, unix.EACCES) {
		return nil, locked(path, err)
	}
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil {
		err = check(path, info, 0o077)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// locked explains why a file could not be opened: its owner or its mode.
func locked(path string, cause error) error {
	info, err := os.Lstat(path)
	if err != nil {
		return &FileError{Path: path, Err: cause, Hint: "run chmod u+rwx on its folder"}
	}
	if err := check(path, info, 0o077); err != nil {
		return err
	}
	return &FileError{Path: path, Err: ErrMeddled,
		Hint: fmt.Sprintf("its mode is %04o; run chmod u+rw on it", info.Mode().Perm())}
}

// check refuses an object of another user, anything but a file or folder, and an object with one of
// the forbidden permission bits.
func check(path string, info fs.FileInfo, forbidden fs.FileMode) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return &FileError{Path: path, Err: ErrMeddled, Hint: "its owner cannot be read"}
	case !info.Mode().IsRegular() && !info.IsDir():
		return &FileError{Path: path, Err: ErrMeddled, Hint: "it is not a regular file"}
	case int(st.Uid) != os.Geteuid():
		return &FileError{Path: path, Err: ErrMeddled,
			Hint: fmt.Sprintf("it belongs to uid %d; move it away", st.Uid)}
	case info.Mode().Perm()&forbidden != 0:
		return &FileError{Path: path, Err: ErrMeddled,
			Hint: fmt.Sprintf("its mode is %04o; run chmod go= on it", info.Mode().Perm())}
	}
	return nil
}

// CheckFolder refuses a folder in which others could replace the files.
func CheckFolder(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Lstat(dir)
	if err != nil {
		return &FileError{Path: dir, Err: err}
	}
	return check(dir, info, 0o022)
}
