package private

import (
	"errors"
	"fmt"
	"syscall"
)

var (
	// ErrMeddled is returned if a file or its folder belongs to another user, is open to others, or
	// closed to its owner.
	ErrMeddled = errors.New("the owner or the mode of the approval files is wrong")
	// ErrUnsupported is returned on systems where owners cannot be checked.
	ErrUnsupported = errors.New("approvals are not supported on this system")
	// ErrOversized is returned for a text longer than its limit.
	ErrOversized = errors.New("too long")
)

// A FileError names the file that cannot be used. Err is the cause.
type FileError struct {
	Path string
	Err  error
	Hint string // the remedy, as one sentence; may be empty
}

func (e *FileError) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("approval: %q: %v", e.Path, e.Err)
	}
	return fmt.Sprintf("approval: %q: %v: %s", e.Path, e.Err, e.Hint)
}

// Unwrap returns the cause, for errors.Is.
func (e *FileError) Unwrap() error { return e.Err }

// Named adds the name of the file to an error of the file system. It returns nil, and an error that
// already has the name, unchanged.
func Named(path string, err error) error {
	var named *FileError
	if err == nil || errors.As(err, &named) {
		return err
	}
	return &FileError{Path: path, Err: err, Hint: remedy(err)}
}

// Rebuild is the remedy for a damaged database. Its approvals are lost with it; what was used stays
// in the record.
const Rebuild = "rebuild it from the record: tadactl approvals rebuild"

// remedies are what helps if the system does not accept a change.
var remedies = []struct {
	err  error
	hint string
}{
	{syscall.EROFS, "mount its file system for writing"},
	{syscall.ENOSPC, "make room on its file system"},
	{syscall.EDQUOT, "make room in your quota"},
	{syscall.EMFILE, "this process has reached its limit of open files: ulimit -n"},
	{syscall.ENFILE, "the system has reached its limit of open files: sysctl fs.file-max"},
	{syscall.EIO, "the disk fails; restore a copy, or " + Rebuild},
}

func remedy(err error) string {
	for _, r := range remedies {
		if errors.Is(err, r.err) {
			return r.hint
		}
	}
	return ""
}
