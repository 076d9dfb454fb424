//go:build amd64 || arm64

package broker

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// apart reports whether an absolute name is surely in no shared directory, and beside nothing
// guarded. One look decides that for most names: the spelling is different, and the kernel meets no
// symbolic link on the way. If that is not sure, the whole way is examined (see find).
func (f *files) apart(r *fileRequest, name string, follow bool) bool {
	if path.Clean(name) != name {
		return false
	}
	for _, d := range f.dirs() {
		if within(name, d.name) {
			return false
		}
	}
	folder := name[:strings.LastIndexByte(name, '/')+1]
	if _, guarded := f.guard.area(path.Dir(name)); guarded {
		return false
	}
	if !follow {
		// By the kernel's name of a directory no link leads to it, and the caller is in there.
		if folder == r.cwd+"/" {
			return true
		}
		fd, err := r.straight(folder)
		return closed(fd, err)
	}
	fd, err := r.straight(name)
	if err != unix.EAGAIN {
		return closed(fd, err)
	}
	// What was never there is not in memory; its folder is.
	if fd, err = r.straight(folder); err != nil {
		return false
	}
	_, link := readLink(fd, name[len(folder):])
	unix.Close(fd)
	return !link
}

// straight opens a name as a handle; it fails where a symbolic link or a look at a disk is on the
// way.
func (r *fileRequest) straight(name string) (int, error) {
	return unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | r.cached,
	})
}

// closed closes what straight has opened, and reports whether the way is known: it ends, without a
// link before, at something that is there or at the first name that is not.
func closed(fd int, err error) bool {
	if err == nil {
		unix.Close(fd)
	}
	return err == nil || err == unix.ENOENT
}

func readLink(dir int, name string) (string, bool) {
	b := make([]byte, 256)
	n, err := unix.Readlinkat(dir, name, b)
	if n == len(b) && err == nil {
		b = make([]byte, unix.PathMax)
		n, err = unix.Readlinkat(dir, name, b)
	}
	if err != nil || n == len(b) {
		return "", false
	}
	return string(b[:n]), true
}
