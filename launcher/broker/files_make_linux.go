//go:build amd64 || arm64

package broker

import (
	"time"

	"golang.org/x/sys/unix"
)

// makeAt calls made with the place of an entry that is not there and may be made.
func (f *files) makeAt(r *fileRequest, name string, at int, made func(p *spot) error) error {
	p, err := f.locate(r, at, name, false)
	if err != nil {
		return err
	}
	defer p.close()
	if err := f.alone(r); err != nil {
		return err
	}
	defer f.book.changing.Unlock()
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
		return nil // another process has removed it already
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
	f.enter(p, at, mode)
	return nil
}
