//go:build amd64 || arm64

package broker

import "golang.org/x/sys/unix"

// openGuarded opens what is there by the name that a caller gives, if it is where something is
// guarded; errApart when it is not.
func (f *files) openGuarded(r *fileRequest) (int, error) {
	name, err := r.full(r.at, r.first)
	if err != nil || outside(name) {
		return -1, errElsewhere
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_MAGICLINKS | r.cached}
	if r.flags&unix.O_NOFOLLOW != 0 {
		how.Flags |= unix.O_NOFOLLOW
	}
	at, err := unix.Openat2(unix.AT_FDCWD, name, &how)
	switch {
	case err == unix.EAGAIN && r.cached != 0:
		return -1, errSlow
	case err != nil:
		return -1, errApart
	}
	defer unix.Close(at)
	if r.cached != 0 && isSlow(at) {
		return -1, errSlow
	}
	var st unix.Statx_t
	if err := statx(at, "", &st); err != nil || !r.waits() {
		return -1, errElsewhere
	}
	return f.openObject(r, at, &st)
}

// openObject opens the object that at is a handle of, if it is where something is guarded; errApart
// if not.
func (f *files) openObject(r *fileRequest, at int, st *unix.Statx_t) (int, error) {
	if f.guard == nil {
		return -1, errApart
	}
	name, err := nameOf(at)
	switch {
	case err == nil && f.guard.lead[name] && r.flags&writing == 0:
		return f.openHandle(r, at)
	case err != nil, f.inView(name):
		return -1, errApart
	}
	// A guarded directory is granted nothing itself.
	switch a, ok := f.guard.area(name); {
	case !ok:
		return -1, errApart
	case a == areaRuled:
		return -1, errElsewhere
	}
	return f.provide(r, name, at, st)
}

// provide opens what at is a handle of and the kernel grants nothing on, unless it is guarded.
func (f *files) provide(r *fileRequest, name string, at int, st *unix.Statx_t) (int, error) {
	writes := r.flags&(writing&^unix.O_CREAT) != 0
	why := ""
	if writes {
		why = f.guard.forbids(name, st, false)
	} else if f.guard.hides(name, st) {
		why = "it is hidden"
	}
	if why != "" {
		f.told.add(r.call, name, why)
		return -1, unix.EACCES
	}
	kind := st.Mode & unix.S_IFMT
	if kind != unix.S_IFREG && kind != unix.S_IFDIR {
		return -1, errElsewhere
	}
	if writes && kind == unix.S_IFREG {
		if err := f.mayWrite(r, at, name, st); err != nil {
			return -1, err
		}
	}
	return f.openFor(r, at, st)
}
