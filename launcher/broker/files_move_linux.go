//go:build amd64 || arm64

package broker

import (
	"golang.org/x/sys/unix"
)

// both finds the two places of a call. Where only one is in the view the answer is that they are on
// different file systems: programs copy then, and each file that comes is judged.
func (f *files) both(r *fileRequest) (from, to *spot, err error) {
	from, err = f.find(r, r.at, r.first, false)
	if err == errSlow {
		return nil, nil, err
	}
	to, bad := f.find(r, r.to, r.second, false)
	switch {
	case err == nil && bad == nil:
		if err = decidedBy(from, to); err == nil {
			return from, to, nil
		}
		from.close()
		to.close()
		return nil, nil, err
	case bad == nil:
		to.close()
	case err == nil:
		from.close()
	}
	switch {
	case bad == errSlow:
		err = errSlow
	case err == nil && bad == errApart, err == errApart && bad == nil:
		err = unix.EXDEV
	default:
		err = errElsewhere
	}
	return nil, nil, err
}

// decidedBy returns nil when the broker decides about a call that has these places.
func decidedBy(from, to *spot) error {
	switch {
	case from.area == areaRuled && to.area == areaRuled:
		return errElsewhere
	case (from.area == areaView) != (to.area == areaView):
		return unix.EXDEV
	}
	return nil
}

// between calls act with the two places of a call, while nothing else is changed.
func (f *files) between(r *fileRequest, act func(r *fileRequest, from, to *spot) error) error {
	from, to, err := f.both(r)
	if err != nil {
		return err
	}
	defer from.close()
	defer to.close()
	if err := f.alone(r); err != nil {
		return err
	}
	defer f.book.changing.Unlock()
	return act(r, from, to)
}

// rename moves an entry, or exchanges two.
func (f *files) rename(r *fileRequest) (int, error) { return -1, f.between(r, f.renameAt) }

func (f *files) renameAt(r *fileRequest, from, to *spot) error {
	var old, now unix.Statx_t
	if err := statx(from.dir, from.name, &old); err != nil || !r.waits() {
		return from.err(unix.ENOENT)
	}
	if !f.mayChange(from, &old) {
		return f.foreign(r, from)
	}
	if from.staysIn(to, &old) {
		return unix.EXDEV
	}
	there := statx(to.dir, to.name, &now) == nil
	swap := r.flags&unix.RENAME_EXCHANGE != 0
	switch {
	case r.flags&^(unix.RENAME_NOREPLACE|unix.RENAME_EXCHANGE) != 0:
		return unix.EINVAL
	case swap && there && to.staysIn(from, &now):
		return unix.EXDEV
	case !there && swap:
		return unix.ENOENT
	case there && r.flags&unix.RENAME_NOREPLACE != 0:
		return unix.EEXIST
	case there && !f.mayChange(to, &now):
		return f.foreign(r, to)
	}
	if err := f.mayMake(r, to); err != nil {
		return err
	}
	if swap {
		if err := f.mayMake(r, from); err != nil {
			return err
		}
	}
	if there && !swap && identify(&old) == identify(&now) {
		return nil // two names of one file
	}
	err := f.keepsMoved(r, from, to)
	switch {
	case err != nil:
		return err
	case from.area != areaView: // other programs make nothing there that the run may not move
		return unix.Renameat2(from.dir, from.name+slash(from), to.dir, to.name+slash(to),
			uint(r.flags))
	case swap:
		err = exchange(from, to, &old, &now)
	case !there: // an entry that came there in between stays
		err = move(from, to, &old)
	case from.slash && old.Mode&unix.S_IFMT != unix.S_IFDIR || to.slash &&
		now.Mode&unix.S_IFMT != unix.S_IFDIR:
		return unix.ENOTDIR
	default:
		err = f.gone(to, &now, func() error { return replace(from, to, &old, &now) })
	}
	if err == errSwapped {
		return f.foreign(r, to)
	}
	return err
}

func (f *files) keepsMoved(r *fileRequest, from, to *spot) error {
	return f.book.keeper.keepsMoved(r.call, from.dir, from.in, from.name, to.dir, to.in, to.name,
		r.flags&unix.RENAME_EXCHANGE != 0)
}

// staysIn reports whether the entry at a place is not moved to another one: programs copy it then.
// In shared directories a folder or a link elsewhere may lead elsewhere; when the program makes it
// again, its links are judged. Beside guarded files Landlock does not grant the right to execute
// what comes from a place where it does.
func (p *spot) staysIn(to *spot, st *unix.Statx_t) bool {
	kind := st.Mode & unix.S_IFMT
	switch {
	case p.area == areaView:
		return p.in != to.in && (kind == unix.S_IFDIR || kind == unix.S_IFLNK)
	case p.area == areaRuled && to.area == areaGuarded:
		return kind == unix.S_IFDIR || kind == unix.S_IFREG && st.Mode&0o111 != 0
	}
	return false
}

// link gives a file of the workspace's own another name, in the view too.
func (f *files) link(r *fileRequest) (int, error) {
	if r.first == "" || r.flags&unix.AT_SYMLINK_FOLLOW != 0 {
		return -1, errElsewhere
	}
	return -1, f.between(r, f.linkAt)
}

func (f *files) linkAt(r *fileRequest, from, to *spot) error {
	at, err := unix.Openat(from.dir, from.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil || !r.waits() {
		return from.err(unix.ENOENT)
	}
	defer unix.Close(at)
	var st unix.Statx_t
	if err := statx(at, "", &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return unix.EPERM
	}
	if !f.mayLink(from, &st) {
		return f.foreign(r, from)
	}
	if statx(to.dir, to.name, &st) == nil {
		return unix.EEXIST
	}
	if err := f.mayMake(r, to); err != nil {
		return err
	}
	return unix.Linkat(unix.AT_FDCWD, selfFile(at), to.dir, to.name, unix.AT_SYMLINK_FOLLOW)
}

// mayLink reports whether what is at a place may have another name.
func (f *files) mayLink(p *spot, st *unix.Statx_t) bool {
	if p.area != areaView {
		return f.mayChange(p, st)
	}
	return f.ours(st) && !f.hidden(p.full())
}
