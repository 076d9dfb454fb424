//go:build amd64 || arm64

package broker

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/view"
)

// mkdir makes a folder.
func (f *files) mkdir(r *fileRequest) (int, error) {
	r.tree = true
	return -1, f.makeAt(r, r.first, r.at, func(p *spot) error {
		umask := f.umask.of(r.call)
		mode := r.mode & permission &^ umask
		if p.area == areaGuarded {
			if made, err := f.guard.Spares.folder(p.dir, p.name, mode); made {
				return err
			}
		}
		return f.makeEntry(p, mode, unix.S_IFDIR,
			func() error { return unix.Mkdirat(p.dir, p.name, mode) })
	})
}

// mknod makes an empty file. What else it can make is no business of the programs outside.
func (f *files) mknod(r *fileRequest) (int, error) {
	return -1, f.makeAt(r, r.first, r.at, func(p *spot) error {
		switch kind := r.mode & unix.S_IFMT; {
		case kind == unix.S_IFIFO && !p.slash && p.area == areaView:
			return f.fifo(r, p)
		case kind != 0 && kind != unix.S_IFREG:
			f.told.add(r.call, p.full(), p.noSpecial())
			return unix.EPERM
		case p.slash:
			return unix.ENOENT
		}
		r.flags = unix.O_WRONLY | unix.O_EXCL
		fd, err := f.create(r, p)
		if err == nil {
			unix.Close(fd)
		}
		return err
	})
}

// noSpecial is why a place gets only files, folders and links.
func (p *spot) noSpecial() string {
	if p.area == areaView {
		return "shared directories get no sockets, FIFOs and devices"
	}
	return "beside what is hidden or kept as it is, no FIFOs and devices are made"
}

// remove removes an entry.
func (f *files) remove(r *fileRequest) (int, error) {
	p, err := f.locate(r, r.at, r.first, false)
	if err != nil {
		return -1, err
	}
	defer p.close()
	if err := f.alone(r); err != nil {
		return -1, err
	}
	defer f.book.changing.Unlock()
	var st unix.Statx_t
	err = statx(p.dir, p.name, &st)
	folder := st.Mode&unix.S_IFMT == unix.S_IFDIR
	switch whole := r.flags&unix.AT_REMOVEDIR != 0; {
	case err != nil:
		return -1, p.err(asErrno(err))
	case !r.waits():
		return -1, unix.ESRCH
	case folder && !whole:
		return -1, p.err(unix.EISDIR)
	case !folder && (whole || p.slash):
		return -1, p.err(unix.ENOTDIR)
	}
	if !f.mayChange(p, &st) {
		return -1, f.foreign(r, p)
	}
	if err := f.book.keeper.keepsEntry(r.call, p.dir, p.in, p.name); err != nil {
		return -1, err
	}
	target, _ := readLink(p.dir, p.name)
	err = f.gone(p, &st, func() error {
		if p.area != areaView {
			return unix.Unlinkat(p.dir, p.name, int(r.flags&unix.AT_REMOVEDIR))
		}
		return takeOut(p, &st)
	})
	if err == errSwapped {
		return -1, f.foreign(r, p)
	}
	if err == nil {
		f.unlinked(target)
	}
	return -1, err
}

// gone removes an entry, which leaves the ledger first: its number may be another's at once.
func (f *files) gone(p *spot, st *unix.Statx_t, remove func() error) error {
	if p.area != areaView {
		return remove()
	}
	id, ok := view.Identify(st)
	last := ok && (st.Nlink <= 1 || st.Mode&unix.S_IFMT == unix.S_IFDIR) && f.ledger().Has(id)
	if last {
		f.ledger().Drop(id)
	}
	err := remove()
	if err != nil && last {
		f.ledger().Add(id)
	}
	return err
}

// truncate cuts a file. As in the kernel, what is no regular file is refused, and not waited for.
func (f *files) truncate(r *fileRequest) (int, error) {
	r.flags = unix.O_WRONLY | unix.O_NONBLOCK
	fd, err := f.open(r)
	if err == unix.ENXIO { // a FIFO that nobody reads, a socket
		err = unix.EINVAL
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	size := int64(r.Args[1])
	if err := unix.Fstat(fd, &st); err != nil {
		return -1, err
	}
	if size > st.Size && uint64(size) > r.largest() {
		_ = unix.Tgkill(threadGroup(int(r.PID)), int(r.PID), unix.SIGXFSZ)
		return -1, unix.EFBIG
	}
	return -1, unix.Ftruncate(fd, size)
}

// largest is how large a file of the caller may become: the kernel would count by its limit, and
// by the launcher's where that makes the call.
func (r *fileRequest) largest() uint64 {
	most := ^uint64(0)
	for _, pid := range []int{0, int(r.PID)} {
		var limit unix.Rlimit
		if err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, nil, &limit); err != nil {
			return 0
		}
		most = min(most, limit.Cur)
	}
	return most
}
