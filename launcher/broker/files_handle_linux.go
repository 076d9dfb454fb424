//go:build amd64 || arm64

package broker

import "golang.org/x/sys/unix"

// openFor opens what at is a handle of. The thread that receives calls does not wait for whoever
// holds a lease (fcntl(2)).
func (f *files) openFor(r *fileRequest, at int, st *unix.Statx_t) (int, error) {
	if r.flags&unix.O_NOATIME != 0 && st.Uid != f.umask.uid {
		return -1, unix.EPERM
	}
	r.holdForks(at)
	asked := r.flags
	r.flags |= unix.O_NONBLOCK
	fd, err := f.openHandle(r, at)
	r.flags = asked
	switch {
	case err == unix.EAGAIN && r.cached != 0:
		return -1, errSlow
	case err == unix.EAGAIN:
		r.letForks()
		return f.openHandle(r, at)
	}
	return blocking(r, fd, err)
}

// openHandle opens what at is a handle of as the caller wants it, but for what would make or look
// up a name.
func (f *files) openHandle(r *fileRequest, at int) (int, error) {
	const names = unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | nameless
	return openAgain(at, int(r.flags&^names)|unix.O_CLOEXEC|unix.O_NOCTTY)
}

// blocking gives what was opened without blocking the flags that the caller has asked for.
func blocking(r *fileRequest, fd int, err error) (int, error) {
	if err != nil || r.flags&unix.O_NONBLOCK != 0 {
		return fd, err
	}
	if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFL, int(r.flags)); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}
