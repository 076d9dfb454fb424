//go:build amd64 || arm64

package broker

import (
	"os"

	"golang.org/x/sys/unix"
)

// In a strict capture no call is let through that could lose something: between the broker's look
// at a name and the kernel's, another thread could put another file there. The broker makes these
// calls, one at a time, by the mounts of the run, after it has kept what they are about.

// loses reports whether a call could remove or change what is there.
func (r *fileRequest) loses() bool {
	switch r.does {
	case removes, moves, cuts:
		return true
	case opens:
		return r.changesInPlace()
	}
	return false
}

// strictly makes such a call.
func (f *files) strictly(r *fileRequest) (fd int, err error) {
	if fd, err = r.act(f, r); err != errElsewhere && err != errApart {
		return fd, err
	}
	switch r.does {
	case removes:
		err = f.removeInTree(r)
	case moves:
		err = f.moveInTree(r)
	}
	if err == errElsewhere || err == errApart {
		err = unix.EACCES
	}
	return -1, err
}

func (f *files) removeInTree(r *fileRequest) error {
	p, err := f.placeInTree(r, r.at, r.first)
	if err != nil {
		return err
	}
	defer p.close()
	if err := f.alone(r); err != nil {
		return err
	}
	defer f.book.changing.Unlock()
	kind, err := f.mayGo(p)
	whole := r.flags&unix.AT_REMOVEDIR != 0
	switch folder := kind == unix.S_IFDIR; {
	case err != nil:
		return err
	case folder && !whole:
		return unix.EISDIR
	case !folder && (whole || p.slash):
		return unix.ENOTDIR
	}
	if err := f.book.keeper.keepsEntry(r.call, p.dir, p.in, p.name); err != nil {
		return err
	}
	return unix.Unlinkat(p.dir, p.name, int(r.flags&unix.AT_REMOVEDIR))
}

func (f *files) moveInTree(r *fileRequest) error {
	from, err := f.placeInTree(r, r.at, r.first)
	if err != nil {
		return err
	}
	defer from.close()
	to, err := f.placeInTree(r, r.to, r.second)
	if err != nil {
		return err
	}
	defer to.close()
	if err := f.alone(r); err != nil {
		return err
	}
	defer f.book.changing.Unlock()
	if r.flags&^(unix.RENAME_NOREPLACE|unix.RENAME_EXCHANGE) != 0 {
		return unix.EINVAL
	}
	if _, err := f.mayGo(from); err != nil {
		return err
	}
	if _, err := f.mayGo(to); err != nil && err != unix.ENOENT {
		return err
	}
	if err := f.keepsMoved(r, from, to); err != nil {
		return err
	}
	return unix.Renameat2(from.dir, from.name+slash(from), to.dir, to.name+slash(to),
		uint(r.flags))
}

// placeInTree finds the place that a name means, in the mounts of the run.
func (f *files) placeInTree(r *fileRequest, at int, path string) (*spot, error) {
	if path == "" {
		return nil, unix.ENOENT
	}
	name, err := r.full(at, path)
	if err != nil {
		return nil, err
	}
	in, last, slash, ok := splitName(name)
	if !ok {
		return nil, unix.EINVAL
	}
	p := &spot{name: last, slash: slash}
	if p.dir, err = f.lookUp(r, in, unix.O_DIRECTORY); err != nil {
		return nil, err
	}
	p.in, err = os.Readlink(selfFile(p.dir))
	switch {
	case err != nil:
		err = unix.EACCES
	case r.cached != 0 && isSlow(p.dir):
		err = errSlow
	case !r.waits():
		err = unix.ESRCH
	default:
		return p, nil
	}
	p.close()
	return nil, err
}

// mayGo returns the kind of what is at a place, or why the run may not make, remove or replace it
// there.
func (f *files) mayGo(p *spot) (kind uint16, err error) {
	var in, st unix.Statx_t
	if err := statx(p.dir, "", &in); err != nil {
		return 0, err
	}
	err = statx(p.dir, p.name, &st)
	switch within := f.inPrivate(p.in) || f.trees.writable(p.in); {
	case err != nil && err != unix.ENOENT:
		return 0, err
	case !within || !f.writes(p.full(), &in):
		if err != nil {
			return 0, err
		}
		return 0, refusedAt(p.dir)
	case err == nil && st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0:
		return 0, unix.EBUSY
	}
	return st.Mode & unix.S_IFMT, err
}
