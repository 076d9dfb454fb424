//go:build amd64 || arm64

package broker

import (
	"slices"

	"golang.org/x/sys/unix"
)

// setUmask lets a caller set its mask.
func (f *files) setUmask(r *fileRequest) (int, error) {
	if r.mode&permission != f.umask.first() {
		f.umask.mu.Lock()
		f.umask.set = true
		f.umask.mu.Unlock()
	}
	return -1, errElsewhere
}

// ownObject opens what fd is a handle of in the launcher's own mounts, if it is the workspace's.
func (f *files) ownObject(c *call, name string, fd int) (int, error) {
	own, err := unix.Openat2(unix.AT_FDCWD, name, &unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS,
	})
	if err != nil {
		return -1, unix.EPERM
	}
	var was, st unix.Statx_t
	err = statx(fd, "", &was)
	if err == nil {
		err = statx(own, "", &st)
	}
	switch {
	case err != nil, was.Ino != st.Ino, was.Dev_major != st.Dev_major,
		was.Dev_minor != st.Dev_minor:
		err = unix.EPERM
	case f.hidden(name) || !f.ours(&st) && !f.named(name):
		f.told.add(c, name, "another program made it")
		err = unix.EPERM
	default:
		return own, nil
	}
	unix.Close(own)
	return -1, err
}

// access answers whether something may be written. The run's own mounts of the shared directories
// are read-only.
func (f *files) access(r *fileRequest) (int, error) {
	name, err := r.full(r.at, r.first)
	if err != nil || outside(name) {
		return -1, errElsewhere
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_MAGICLINKS | r.cached}
	if r.flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how.Flags |= unix.O_NOFOLLOW
	}
	fd, err := unix.Openat2(unix.AT_FDCWD, name, &how)
	switch {
	case err == unix.EAGAIN && r.cached != 0:
		return -1, errSlow
	case err != nil:
		return -1, errElsewhere
	}
	defer unix.Close(fd)
	if r.cached != 0 && isSlow(fd) {
		return -1, errSlow
	}
	var st unix.Statx_t
	name, err = nameOf(fd)
	if err != nil || statx(fd, "", &st) != nil || !r.waits() {
		return -1, errElsewhere
	}
	top := slices.ContainsFunc(f.dirs(), func(d viewDir) bool { return d.name == name })
	if !top && (!f.inView(name) || !f.ours(&st) && !f.opened(name, &st) && !f.named(name)) {
		return -1, errElsewhere
	}
	return -1, unix.Faccessat(unix.AT_FDCWD, selfFile(fd), r.mode, int(r.flags)&unix.AT_EACCESS)
}
