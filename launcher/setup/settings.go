package setup

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/state"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// maxSettings bounds another program's settings file.
const maxSettings = 4 << 20

// behindLinks is the file that a path leads to: settings that are kept elsewhere stay there, also
// when nothing is there yet. One file has one such path, before it is made and afterwards.
func behindLinks(path string) (string, error) { return followLinks(path, 100) }

func followLinks(path string, most int) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	dir := filepath.Dir(path)
	switch {
	case err == nil:
		return real, nil
	case !errors.Is(err, fs.ErrNotExist):
		return "", refused(path, "its path cannot be followed: %v", err)
	case most == 0:
		return "", refused(path, "its path cannot be followed: %v", syscall.ELOOP)
	case dir == path:
		return path, nil
	}
	if dir, err = followLinks(dir, most-1); err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(path))
	to, err := os.Readlink(path)
	if err != nil {
		return path, nil // nothing is there
	}
	if !filepath.IsAbs(to) {
		to = filepath.Join(dir, to)
	}
	return followLinks(to, most-1)
}

// Read reads a file of another program's settings, nil if it is not there. One that is no
// regular file is refused: a FIFO would hold whoever opens it.
func Read(path string) ([]byte, error) {
	text, _, err := settingsFile(path)
	return text, err
}

// settingsFile is [Read] with the mode; a file that is not there will be the person's
// alone.
func settingsFile(path string) ([]byte, os.FileMode, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0o600, nil
	case errors.Is(err, syscall.ENXIO): // a socket
		return nil, 0, refused(path, "it is not a regular file")
	case err != nil:
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, 0, err
	case !info.Mode().IsRegular():
		return nil, 0, refused(path, "it is not a regular file")
	case info.Size() > maxSettings:
		return nil, 0, refused(path, "it has %d bytes, too many for a settings file", info.Size())
	}
	b, err := io.ReadAll(io.LimitReader(f, maxSettings))
	return b, info.Mode().Perm(), err
}

// mayWrite returns an error for a file that is there and that the person has not meant to be
// replaced.
func mayWrite(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&0o200 == 0:
		return refused(path, "it is read-only; to let it be changed: chmod u+w %q", path)
	case os.Getuid() != 0 && int(info.Sys().(*syscall.Stat_t).Uid) != os.Getuid():
		return refused(path, "it belongs to uid %d, and you are uid %d",
			info.Sys().(*syscall.Stat_t).Uid, os.Getuid())
	case info.Sys().(*syscall.Stat_t).Nlink > 1:
		return refused(path, "it has a second name (a hard link), which would keep the old text; "+
			"make that a symbolic link first")
	}
	return nil
}

func refused(path, format string, args ...any) error {
	return fmt.Errorf("%q: %w", path, &NotWrittenError{fmt.Sprintf(format, args...)})
}

// A NotWrittenError is returned by [Files.Register] for a file that cannot be written as it is.
type NotWrittenError struct{ Why string }

func (e *NotWrittenError) Error() string { return e.Why }

// Files are the settings of other programs, as an account changes them.
type Files struct {
	State  *state.Directory // has what was there before
	Record *record.Record   // of what happens to protected files
	Own    *tamper.Store    // protects them
	Who    tamper.Who       // the person
}
