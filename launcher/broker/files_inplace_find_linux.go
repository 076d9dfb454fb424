//go:build amd64 || arm64

package broker

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// object opens, as a handle, what a caller names, in the mounts of its run.
func (f *files) object(r *fileRequest) (int, error) {
	if number, ok := descriptor(r.first); ok {
		return handle(r.process() + "fd/" + number)
	}
	name, err := r.wholeName()
	if err != nil {
		return -1, err
	}
	return f.lookUp(r, name, uint64(r.flags&unix.O_NOFOLLOW))
}

// wholeName is the first name of a call as an absolute one.
func (r *fileRequest) wholeName() (string, error) {
	if r.first == "" {
		return "", unix.ENOENT
	}
	name, err := r.full(r.at, r.first)
	if err != nil {
		return "", unix.EBADF
	}
	return name, nil
}

// lookUp opens an absolute name as a handle: at strong below the run's own root, where what is
// read-only is mounted so.
func (f *files) lookUp(r *fileRequest, name string, flags uint64) (int, error) {
	root, resolve := unix.AT_FDCWD, uint64(unix.RESOLVE_NO_MAGICLINKS)
	if f.ownRoot {
		var err error
		if root, err = f.root.of(r.call); err != nil {
			return -1, unix.EACCES
		}
		resolve |= unix.RESOLVE_IN_ROOT
	}
	for range maxAgain {
		fd, err := unix.Openat2(root, name, &unix.OpenHow{
			Flags: unix.O_PATH | unix.O_CLOEXEC | flags, Resolve: resolve | r.cached})
		switch {
		case err == unix.EAGAIN && r.cached != 0:
			return -1, errSlow
		case err != unix.EAGAIN: // else something was moved meanwhile
			return fd, err
		}
	}
	return -1, unix.EACCES
}

// entry follows the links at the end of a name one by one. It returns a handle of what is there, or
// ENOENT and where it would come.
func (f *files) entry(r *fileRequest) (at int, p *spot, err error) {
	name, err := r.wholeName()
	if err != nil {
		return -1, nil, err
	}
	for range maxLinks {
		if number, ok := descriptor(name); ok {
			at, err := handle(r.process() + "fd/" + number)
			return at, nil, err
		}
		in, last, slash, ok := splitName(name)
		if !ok {
			return -1, nil, unix.EISDIR
		}
		p := &spot{name: last, slash: slash, folder: &unix.Statx_t{}}
		if p.dir, err = f.lookUp(r, in, unix.O_DIRECTORY); err != nil {
			return -1, nil, err
		}
		if err := p.know(r); err != nil {
			p.close()
			return -1, nil, err
		}
		if target, ok := readLink(p.dir, p.name); ok && r.flags&unix.O_NOFOLLOW == 0 {
			if inProc(p.dir) {
				at, err := f.openOf(p)
				return at, p, err
			}
			name = target
			if !strings.HasPrefix(target, "/") {
				name = p.in + "/" + target
			}
			p.close()
			continue
		}
		at, err = unix.Openat2(p.dir, p.name, &unix.OpenHow{
			Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
			Resolve: unix.RESOLVE_NO_MAGICLINKS | r.cached})
		if err == unix.EAGAIN && r.cached != 0 {
			err = errSlow
		}
		return at, p, err
	}
	return -1, nil, unix.ELOOP
}

// openOf opens what a descriptor of another process of the run refers to, such as /proc/PID/fd/1.
// The text of such a link is no name.
func (f *files) openOf(p *spot) (int, error) {
	process, _, _ := strings.Cut(strings.TrimPrefix(p.in, "/proc/"), "/")
	shown, err := strconv.Atoi(process)
	// At strong no others are there, and their numbers are the run's own.
	if !strings.HasSuffix(p.in, "/fd") ||
		!f.ownRoot && (err != nil || !f.member(proc.Number(shown))) {
		return -1, unix.EACCES
	}
	return unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_CLOEXEC, 0)
}

// inProc reports whether a folder is one of proc(5).
func inProc(dir int) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(dir, &st) != nil || st.Type == unix.PROC_SUPER_MAGIC
}
