//go:build linux || darwin

package undo

import "golang.org/x/sys/unix"

// ajar are folders that are open to this process for a while, although their mode is another one.
type ajar map[ID]closedFolder

type closedFolder struct {
	fd    int
	state State // before it was opened
}

// open opens a folder if its mode does not have these bits, and reports whether that was needed.
func (a ajar) open(fd int, bits uint32) bool {
	s, _, err := stat(fd, "")
	if err != nil || s.Mode&bits == bits {
		return false
	}
	mode, added := addRights(fd, bits)
	if s.Mode = mode; added && !a.keep(fd, s) {
		_ = chmod(fd, mode)
		return false
	}
	return added
}

// keep remembers what a folder was, for shut.
func (a ajar) keep(fd int, was State) bool {
	if _, known := a[was.ID]; known {
		return true
	}
	h, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err == nil {
		a[was.ID] = closedFolder{h, was}
	}
	return err == nil
}

func (a ajar) forget(id ID) {
	if c, ok := a[id]; ok {
		unix.Close(c.fd)
		delete(a, id)
	}
}

// shut gives the folders their modes back.
func (a ajar) shut() {
	for id, c := range a {
		_ = chmod(c.fd, c.state.Mode)
		a.forget(id)
	}
}

// really is what a folder is but for this process.
func (a ajar) really(now State) State {
	if c, ok := a[now.ID]; ok {
		now.Mode, now.Changed = c.state.Mode, c.state.Changed
	}
	return now
}
