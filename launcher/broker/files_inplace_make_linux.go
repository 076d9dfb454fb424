//go:build amd64 || arm64

package broker

import (
	"runtime"

	"golang.org/x/sys/unix"
)

// createInPlace makes a file of a tree. It is the caller's as the kernel would make it, with its
// mask or the rules of the folder (acl(5)).
func (f *files) createInPlace(r *fileRequest, p *spot) (int, error) {
	switch {
	case p.slash:
		return -1, unix.EISDIR
	case p.folder == nil || onSlow(p.folder) && statx(p.dir, "", p.folder) != nil:
		return -1, unix.EACCES
	case !r.waits():
		return -1, unix.ESRCH
	case !f.writes(p.full(), p.folder):
		return -1, refusedAt(p.dir)
	}
	r.holdForks(p.dir)
	const anew = unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NOCTTY
	fd := -1
	err := withUmask(f.umask.of(r.call), f.umask.first(), func() (err error) {
		fd, err = unix.Openat(p.dir, p.name, int(r.flags)|anew, r.mode&(permission|unix.S_ISVTX))
		return err
	})
	if err == unix.EEXIST { // another process was first
		return -1, errAgain
	}
	return fd, err
}

// withUmask makes something under a caller's mask. Where that is not the launcher's, a thread of
// its own does it, which ends then.
func withUmask(mask, own uint32, do func() error) error {
	if mask == own {
		return do()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks it
		if err := unix.Unshare(unix.CLONE_FS); err != nil {
			done <- err
			return
		}
		unix.Umask(int(mask))
		asCaller(func() { done <- do() })
	}()
	return <-done
}
