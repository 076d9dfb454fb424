//go:build amd64 || arm64

package broker

import (
	"strings"

	"golang.org/x/sys/unix"
)

// changesInPlace reports whether a call could change a file that is there. An open that only makes
// files, or that only reads, cannot: its flags are in registers, which no other thread swaps.
func (r *fileRequest) changesInPlace() bool {
	switch {
	case r.flags&(unix.O_PATH|nameless) != 0, r.flags&exclusive == exclusive:
		return false
	}
	return r.flags&(unix.O_ACCMODE|unix.O_TRUNC) != 0
}

// openInPlace opens what the kernel alone would open. It could not decide: another thread may put
// the name of a linked file where the broker has read a harmless one, or the file under the name.
// So the broker opens the object that it has looked at, by the mounts of the caller, and refuses
// what the domain would. It makes a file that is not there.
func (f *files) openInPlace(r *fileRequest) (fd int, err error) {
	for range maxAgain {
		if fd, err = f.openOnce(r); err != errAgain {
			return fd, err
		}
	}
	return -1, unix.EACCES
}

func (f *files) openOnce(r *fileRequest) (int, error) {
	at, err := f.object(r)
	if err == unix.ENOENT && r.flags&unix.O_CREAT != 0 || err == unix.ELOOP {
		var p *spot
		if at, p, err = f.entry(r); p != nil {
			defer p.close()
			if err == unix.ENOENT && r.flags&unix.O_CREAT != 0 {
				return f.createInPlace(r, p)
			}
		}
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(at)
	if r.cached != 0 && isSlow(at) {
		return -1, errSlow
	}
	var st unix.Statx_t
	if err := statx(at, "", &st); err != nil {
		return -1, err
	}
	// The name is read after the number of links: a file that is still there had this name then.
	name, err := nameOf(at)
	switch {
	case err != nil:
		return -1, unix.EACCES
	case !r.waits():
		return -1, unix.ESRCH
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		if !f.writes(name, &st) {
			return -1, refusedAt(at)
		}
		if err := f.mayWrite(r, at, name, &st); err != nil {
			return -1, err
		}
	case unix.S_IFIFO:
		if !strings.HasPrefix(name, "pipe:") && !f.writes(name, &st) {
			return -1, refusedAt(at)
		}
		return f.openFIFO(r, at)
	case unix.S_IFCHR:
		return f.openDevice(r, at, name, &st)
	case unix.S_IFDIR:
		return -1, unix.EISDIR
	case unix.S_IFLNK:
		return -1, unix.ELOOP
	case unix.S_IFSOCK:
		return -1, unix.ENXIO
	default:
		return -1, unix.EACCES
	}
	return f.openFor(r, at, &st)
}
