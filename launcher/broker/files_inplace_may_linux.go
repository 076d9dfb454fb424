//go:build amd64 || arm64

package broker

import (
	"path"
	"strings"

	"golang.org/x/sys/unix"
)

// mayWrite returns why a file of a writable tree is not opened for writing. Every such open comes
// through here before it is made, with a handle of the file.
func (f *files) mayWrite(r *fileRequest, at int, name string, st *unix.Statx_t) error {
	if f.inPrivate(name) {
		return nil
	}
	why, slow := f.links.outside(at, name, st, r.cached == 0)
	switch {
	case slow:
		return errSlow
	case why != "":
		f.told.add(r.call, name, why)
		return unix.EACCES
	}
	err := f.book.keeper.keepsContent(r.call, at, name, st, r.cached == 0)
	if err == nil {
		f.scripts.write(name, identify(st))
	}
	return err
}

// writes reports whether the domain of the run lets it write to an object in a tree or in what only
// the run has. The name is the kernel's.
func (f *files) writes(name string, st *unix.Statx_t) bool {
	if st.Nlink == 0 {
		name = strings.TrimSuffix(name, deleted)
		if f.isMemory(name, st) {
			return true
		}
	}
	return f.inPrivate(name) || f.trees.writable(name) && f.grants(name, st)
}

// grants reports whether the domain lets the run write to what is in a tree.
func (f *files) grants(name string, st *unix.Statx_t) bool {
	if f.inView(name) || !f.trees.spares(name) {
		return false
	}
	if f.guard == nil {
		return true
	}
	a, guarded := f.guard.area(path.Dir(name))
	granted := !guarded || a == areaRuled || f.guard.Ruled[identify(st)]
	return granted && !f.guard.holds(st)
}

func (f *files) inPrivate(name string) bool {
	return withinAny(name, f.private)
}

// isMemory reports whether an object is memory with a descriptor (memfd_create(2)).
func (f *files) isMemory(name string, st *unix.Statx_t) bool {
	if !strings.HasPrefix(name, "/memfd:") {
		return false
	}
	fd, err := unix.MemfdCreate("", unix.MFD_CLOEXEC)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var own unix.Statx_t
	return statx(fd, "", &own) == nil && own.Dev_major == st.Dev_major &&
		own.Dev_minor == st.Dev_minor
}

// refusedAt is the kernel's answer for an object on which the domain grants nothing.
func refusedAt(at int) error {
	err := unix.Faccessat(unix.AT_FDCWD, selfFile(at), unix.W_OK, unix.AT_EACCESS)
	if err == unix.EROFS {
		return err
	}
	return unix.EACCES
}
