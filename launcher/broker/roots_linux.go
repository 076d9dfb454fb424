//go:build amd64 || arm64

package broker

import (
	"os"
	"path"
	"sync"

	"golang.org/x/sys/unix"
)

// A root is the top of a writable tree. It is held open, so that its name is known wherever it is
// moved, and its number is no other's.
type root struct {
	*os.File // Name is the name that it had at the start
	id       Identity

	once sync.Once
	near bool // all file systems on the way to it answer at once
}

// now returns the name of a root, "" when it is not known.
func (r *root) now() (name string) {
	_ = Control(r.File, func(fd int) (err error) { name, err = nameOf(fd); return err })
	return name
}

// stands reports whether a root is where it was at the start. By its old name, that takes half as
// long to see as what its name is now.
func (r *root) stands() bool {
	r.once.Do(func() { r.near = isNear(r.Name()) })
	if !r.near {
		return r.now() == r.Name()
	}
	var st unix.Statx_t
	return statx(unix.AT_FDCWD, r.Name(), &st) == nil && identify(&st) == r.id
}

// isNear reports whether no link and no slow file system is on the way to a name. It waits for
// none.
func isNear(name string) bool {
	for ; ; name = path.Dir(name) {
		fd, err := inMemory(name)
		if err != nil {
			return false
		}
		slow := isSlow(fd)
		unix.Close(fd)
		if slow || name == "/" {
			return !slow
		}
	}
}

// inMemory opens a name as a handle. The folders above what is open are always in memory, but for a
// moment in which something is mounted or moved.
func inMemory(name string) (fd int, err error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | resolveCached}
	for range maxAgain {
		if fd, err = unix.Openat2(unix.AT_FDCWD, name, &how); err != unix.EAGAIN {
			break
		}
	}
	return fd, err
}

func identify(st *unix.Statx_t) Identity {
	return Identity{unix.Mkdev(st.Dev_major, st.Dev_minor), st.Ino}
}
