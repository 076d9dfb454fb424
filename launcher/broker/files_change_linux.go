//go:build amd64 || arm64

package broker

import (
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/view"
)

// mkdir makes a folder.
func (f *files) mkdir(r *fileRequest) (int, error) {
	return -1, f.makeAt(r, r.first, r.at, func(p *spot) error {
		umask := f.umask.of(r.call)
		mode := r.mode & permission &^ umask
		return f.makeEntry(p, mode, unix.S_IFDIR,
			func() error { return unix.Mkdirat(p.dir, p.name, mode) })
	})
}

// mknod makes an empty file. What else it can make is no business of the programs outside.
func (f *files) mknod(r *fileRequest) (int, error) {
	return -1, f.makeAt(r, r.first, r.at, func(p *spot) error {
		switch kind := r.mode & unix.S_IFMT; {
		case kind == unix.S_IFIFO && !p.slash:
			return f.fifo(r, p)
		case kind != 0 && kind != unix.S_IFREG:
			f.told.add(r.call, p.full(), "shared directories get no sockets, FIFOs and devices")
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

// makeAt calls made with the place of an entry that is not there and may be made.
func (f *files) makeAt(r *fileRequest, name string, at int, made func(p *spot) error) error {
	p, err := f.locate(r, at, name, false)
	if err != nil {
		return err
	}
	defer p.close()
	f.changing.Lock()
	defer f.changing.Unlock()
	var st unix.Statx_t
	switch err := statx(p.dir, p.name, &st); {
	case err == nil:
		return p.err(unix.EEXIST)
	case err != unix.ENOENT:
		return p.err(asErrno(err))
	case !r.waits():
		return unix.ESRCH
	}
	if err := f.mayMake(r, p); err != nil {
		return err
	}
	return made(p)
}

// makeEntry makes an entry by its name, and takes it into the ledger if it is what was made: of
// that kind, this user's, and no older.
func (f *files) makeEntry(p *spot, mode, kind uint32, make func() error) error {
	began := time.Now().Add(-tick)
	if err := make(); err != nil {
		return err
	}
	at, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil // somebody else has removed it already
	}
	defer unix.Close(at)
	var st unix.Statx_t
	if statx(at, "", &st) != nil || uint32(st.Mode)&unix.S_IFMT != kind || st.Uid != f.umask.uid ||
		time.Unix(st.Btime.Sec, int64(st.Btime.Nsec)).Before(began) {
		return nil
	}
	if kind == unix.S_IFLNK {
		mode = uint32(st.Mode) & permission
	}
	f.enter(at, mode)
	return nil
}

// tick is how far the times of a file system lie behind the clock.
const tick = 20 * time.Millisecond

// remove removes an entry.
func (f *files) remove(r *fileRequest) (int, error) {
	p, err := f.locate(r, r.at, r.first, false)
	if err != nil {
		return -1, err
	}
	defer p.close()
	f.changing.Lock()
	defer f.changing.Unlock()
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
		return -1, f.foreign(r, p.full())
	}
	target, _ := readLink(p.dir, p.name)
	err = f.gone(&st, func() error {
		return unix.Unlinkat(p.dir, p.name, int(r.flags&unix.AT_REMOVEDIR))
	})
	if err == nil {
		f.unlinked(target)
	}
	return -1, err
}

// gone removes an entry, which leaves the ledger first: its number may be another's at once.
func (f *files) gone(st *unix.Statx_t, remove func() error) error {
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

// truncate cuts a file.
func (f *files) truncate(r *fileRequest) (int, error) {
	r.flags = unix.O_WRONLY
	fd, err := f.open(r)
	if err != nil {
		return -1, err
	}
	defer unix.Close(fd)
	return -1, unix.Ftruncate(fd, int64(r.Args[1]))
}
