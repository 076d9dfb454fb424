//go:build amd64 || arm64

package broker

import (
	"cmp"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/view"
)

// open opens a file for more than reading, and makes it if that is asked for.
func (f *files) open(r *fileRequest) (int, error) {
	if f.provides && r.first == nullName && r.changesInPlace() {
		if at, ok := f.null(r); ok {
			return f.openHandle(r, at)
		}
	}
	fd, err := f.readScript(r)
	if err != errApart {
		return fd, err
	}
	if f.reads(r) {
		return -1, errElsewhere
	}
	fd, err = f.openOwn(r)
	if (err == errElsewhere || err == errApart) && f.provides && r.changesInPlace() {
		return f.openInPlace(r)
	}
	return fd, err
}

// openOwn is open for what is in a shared directory, or beside something guarded.
func (f *files) openOwn(r *fileRequest) (int, error) {
	if r.flags&unix.O_PATH != 0 {
		return -1, errElsewhere
	}
	if f.terminals.makes && f.terminals.are(r.first) {
		if !r.waits() {
			return -1, unix.ESRCH
		}
		fd, ours, err := f.terminals.open(r.first, r.flags)
		if !ours {
			return -1, errElsewhere
		}
		return fd, err
	}
	if f.guard == nil && len(f.view.Dirs) == 0 {
		return -1, errElsewhere
	}
	if number, ok := descriptor(r.first); ok {
		return f.reopen(r, number)
	}
	if r.flags&nameless != 0 {
		return f.openNameless(r)
	}
	if r.flags&unix.O_CREAT == 0 && f.guard != nil {
		if fd, err := f.openGuarded(r); err != errApart {
			return fd, err
		}
		if r.flags&writing == 0 && !f.view.Reads && !f.guard.reads() {
			return -1, errElsewhere
		}
	}
	follow := r.flags&unix.O_NOFOLLOW == 0 && r.flags&exclusive != exclusive
	r.looks = follow
	fd, err := f.openNamed(r, follow)
	if err == errLink { // few are
		r.looks = false
		return f.openNamed(r, follow)
	}
	return fd, err
}

// openNamed opens, or makes, what is at the name. In the view the object that it looks at is what
// it opens, and a link is seen by that (errLink).
func (f *files) openNamed(r *fileRequest, follow bool) (int, error) {
	p, err := f.locate(r, r.at, r.first, follow)
	if err != nil {
		return -1, err
	}
	defer p.close()
	if err := f.alone(r); err != nil {
		return -1, err
	}
	defer f.book.changing.Unlock()
	if !r.waits() {
		return -1, unix.ESRCH
	}
	for range 3 {
		at, err := unix.Openat(p.dir, p.name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		switch {
		case err == unix.ENOENT && r.flags&unix.O_CREAT != 0 && !p.slash:
			fd, err := f.create(r, p)
			if err == unix.EEXIST && r.flags&unix.O_EXCL == 0 {
				continue // another process was first
			}
			return fd, err
		case err != nil:
			return -1, p.err(asErrno(err))
		}
		defer unix.Close(at)
		if r.flags&exclusive == exclusive {
			return -1, p.err(unix.EEXIST)
		}
		return f.openExisting(r, p, at)
	}
	return -1, unix.EEXIST
}

// openExisting opens what at is a handle of, if it is a file of the workspace's own.
func (f *files) openExisting(r *fileRequest, p *spot, at int) (int, error) {
	var st unix.Statx_t
	err := statx(at, "", &st)
	kind := st.Mode & unix.S_IFMT
	if err == nil && kind == unix.S_IFLNK && r.looks {
		return -1, errLink
	}
	if err == nil && p.area != areaView {
		if f.guard.Ruled[identify(&st)] {
			return -1, errElsewhere
		}
		return f.provide(r, p.full(), at, &st)
	}
	if reading := r.flags&writing == 0; err == nil && reading {
		if kind != unix.S_IFREG && kind != unix.S_IFDIR || f.hidden(p.full()) || !f.ours(&st) {
			return -1, errElsewhere
		}
		return f.openHandle(r, at)
	}
	if err != nil || kind != unix.S_IFREG || p.slash {
		return -1, errElsewhere
	}
	if !f.mayChange(p, &st) {
		return -1, f.foreign(r, p)
	}
	return f.openFor(r, at, &st)
}

// reopen opens what one of the caller's own descriptors refers to.
func (f *files) reopen(r *fileRequest, number string) (int, error) {
	at, err := handle(r.process() + "fd/" + number)
	if err != nil {
		return -1, errElsewhere
	}
	defer unix.Close(at)
	var st unix.Statx_t
	if err := statx(at, "", &st); err != nil || !r.waits() {
		return -1, errElsewhere
	}
	if fd, err := f.openObject(r, at, &st); err != errApart {
		return fd, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || !f.ours(&st) {
		return -1, errElsewhere
	}
	return f.openHandle(r, at)
}

// create makes a file that was not there.
func (f *files) create(r *fileRequest, p *spot) (int, error) {
	if err := f.mayMake(r, p); err != nil {
		return -1, err
	}
	umask := f.umask.of(r.call)
	r.holdForks(p.dir)
	if p.area == areaGuarded {
		const names = unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | nameless
		flags := int(r.flags&^names) | unix.O_CLOEXEC
		fd, made, err := f.guard.Spares.file(p.dir, p.name, flags|unix.O_NOCTTY,
			r.mode&permission&^umask)
		if made {
			return fd, err
		}
	}
	const anew = unix.O_CREAT | unix.O_EXCL | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NOCTTY
	fd, err := unix.Openat(p.dir, p.name, int(r.flags&^nameless)|anew, r.mode&permission&^umask)
	if err != nil {
		return -1, err
	}
	f.enter(p, fd, r.mode&permission&^umask)
	return fd, nil
}

// openNameless makes a file that no name leads to.
func (f *files) openNameless(r *fileRequest) (int, error) {
	p, err := f.locate(r, r.at, r.first+"/nameless", false)
	if err != nil {
		return -1, err
	}
	defer p.close()
	if p.area == areaView && !p.owned || !r.waits() {
		return -1, errElsewhere
	}
	// It is not in the ledger: its number can be another's when the run closes it.
	return unix.Openat(p.dir, ".", int(r.flags)|unix.O_EXCL|unix.O_CLOEXEC,
		r.mode&permission&^f.umask.of(r.call))
}

// mayMake returns why no entry may be made at a place, and notes it.
func (f *files) mayMake(r *fileRequest, p *spot) error {
	name := p.full()
	switch {
	case p.area != areaView:
		if why := f.guard.forbids(name, nil, true); why != "" {
			f.told.add(r.call, name, why)
			return unix.EACCES
		}
		return nil
	case f.named(name), r.tree && p.top && matches(f.view.Makes, name):
		return nil
	case !p.owned || f.hidden(name):
		f.told.add(r.call, name, "its folder was made by another program")
		return unix.EACCES
	case p.top:
		if why := view.Refused(p.name, f); why != "" {
			f.told.add(r.call, name, why+"; use another name")
			return unix.EACCES
		}
	}
	return nil
}

// foreign notes that an entry stays as it is.
func (f *files) foreign(r *fileRequest, p *spot) error {
	why := "another program made it"
	if p.area != areaView {
		why = f.guard.forbids(p.full(), nil, true)
	}
	f.told.add(r.call, p.full(), cmp.Or(why, "it is hidden"))
	if p.area != areaView {
		return unix.EBUSY
	}
	return unix.EACCES
}

// enter takes what fd refers to, and was just made, into the ledger of the view. The mode is what
// the caller wanted: the launcher's own mask has taken more away.
func (f *files) enter(p *spot, fd int, mode uint32) {
	var st unix.Statx_t
	if statx(fd, "", &st) != nil {
		return
	}
	if id, ok := view.Identify(&st); ok && p.area == areaView {
		f.ledger().Add(id)
	}
	if uint32(st.Mode)&permission != mode {
		_ = unix.Fchmodat(unix.AT_FDCWD, selfFile(fd), mode, 0)
	}
}
