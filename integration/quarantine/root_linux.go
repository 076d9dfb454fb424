package quarantine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// A root is the tree that a session may look at, held open: whatever is put under its name later,
// the root stays the same.
type root struct {
	dir  *os.File
	name string // without links
}

func openRoot(name string) (*root, error) {
	dir, err := os.OpenFile(name, unix.O_PATH|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, fmt.Errorf("root of the session: %w", err)
	}
	real, err := nameOf(dir)
	if err != nil {
		dir.Close()
		return nil, fmt.Errorf("root of the session %q: %w", name, err)
	}
	return &root{dir: dir, name: real}, nil
}

func (r *root) close() { _ = r.dir.Close() }

// nameOf returns the kernel's name of an open file, links resolved.
func nameOf(f *os.File) (string, error) {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return "", err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return "", err
	}
	if st.Nlink == 0 || !filepath.IsAbs(name) {
		return "", fs.ErrNotExist // its name is gone, or not in this mount namespace
	}
	return name, nil
}

// open opens a path for flags. The kernel refuses every path that leaves the root, magic links
// (/proc/self/fd) always, and other links if strict is set; see openat2(2).
func (r *root) open(name string, flags int, strict bool) (*os.File, error) {
	below, err := r.below(name)
	if err != nil {
		return nil, err
	}
	how := unix.OpenHow{
		Flags:   uint64(flags | unix.O_CLOEXEC),
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS,
	}
	if strict {
		how.Flags |= unix.O_NOFOLLOW
		how.Resolve |= unix.RESOLVE_NO_SYMLINKS
	}
	for {
		fd, err := unix.Openat2(int(r.dir.Fd()), below, &how)
		switch {
		case err == nil:
			return os.NewFile(uintptr(fd), name), nil
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN):
			// a concurrent rename; see openat2(2)
			continue
		case errors.Is(err, unix.EXDEV):
			return nil, fmt.Errorf("%q: %w", name, ErrOutside)
		}
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
}

// resolve follows name, including links, as far as it stays in the root, and returns the real name
// and the type of what it finds.
func (r *root) resolve(name string) (string, fs.FileMode, error) {
	f, err := r.open(filepath.Clean(name), unix.O_PATH, false)
	if errors.Is(err, ErrOutside) && filepath.IsAbs(name) {
		// name may use another name of the root, or contain an absolute link that leads back into
		// it; openat2 refuses both. The file that is opened in the end is below the root anyway.
		if real, evalErr := filepath.EvalSymlinks(name); evalErr == nil && real != name {
			f, err = r.open(real, unix.O_PATH, false)
		}
	}
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	real, err := nameOf(f)
	if err != nil {
		return "", 0, err
	}
	if _, err := r.below(real); err != nil {
		return "", 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return "", 0, err
	}
	return real, info.Mode(), nil
}

// content opens the file of a verified path: no link anywhere below the root, and a plain file. It
// does not wait for the other end of a named pipe.
func (r *root) content(name string) (*os.File, error) {
	f, err := r.open(name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, true)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotFound, err)
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		err = fmt.Errorf("%w: %q is not a plain file", ErrNotFound, name)
	case info.Size() > maxContent:
		err = fmt.Errorf("%w: %q has %d bytes; a reference serves at most %d",
			ErrNotFound, name, info.Size(), maxContent)
	default:
		return f, nil
	}
	f.Close()
	return nil, err
}

// readAll reads what a reference serves; a file may grow during that.
func readAll(f *os.File) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(f, maxContent+1))
	if err == nil && len(text) > maxContent {
		err = fmt.Errorf("%w: %q has grown beyond %d bytes", ErrNotFound, f.Name(), maxContent)
	}
	return text, err
}
