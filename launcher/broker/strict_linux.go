//go:build amd64 || arm64

package broker

import (
	"os"
	"strings"

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
	if err = f.inTree(r, true); err != errElsewhere {
		return -1, err
	}
	if fd, err = r.act(f, r); err != errElsewhere && err != errApart {
		return fd, err
	}
	if err = f.inTree(r, false); err == errElsewhere || err == errApart {
		err = unix.EACCES
	}
	return -1, err
}

// inTree removes or moves an entry in a tree. With plain it does so only where nothing is guarded
// or shared, as in nearly all folders, and is errElsewhere otherwise: one look-up is enough there.
func (f *files) inTree(r *fileRequest, plain bool) error {
	switch r.does {
	case removes:
		return f.removeInTree(r, plain)
	case moves:
		return f.moveInTree(r, plain)
	}
	return errElsewhere
}

func (f *files) removeInTree(r *fileRequest, plain bool) error {
	p, err := f.placeInTree(r, r.at, r.first, plain)
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

func (f *files) moveInTree(r *fileRequest, plain bool) error {
	from, err := f.placeInTree(r, r.at, r.first, plain)
	if err != nil {
		return err
	}
	defer from.close()
	to, err := f.placeInTree(r, r.to, r.second, plain)
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
	kind, err := f.mayGo(from)
	if err != nil {
		return err
	}
	other, err := f.mayGo(to)
	if err != nil && err != unix.ENOENT {
		return err
	}
	if kind == unix.S_IFDIR && r.mounts(from.full()) ||
		other == unix.S_IFDIR && r.mounts(to.full()) {
		return unix.EBUSY
	}
	if err := f.keepsMoved(r, from, to); err != nil {
		return err
	}
	return unix.Renameat2(from.dir, from.name+slash(from), to.dir, to.name+slash(to), uint(r.flags))
}

// mounts reports whether something is mounted at a name for the caller, also under another mount,
// where no look-up comes. The kernel does not move such a folder for the caller; here it would.
func (r *fileRequest) mounts(name string) bool {
	text, err := os.ReadFile(r.process() + "mountinfo")
	name = escapeMount.Replace(name)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 4 && words[4] == name {
			return true
		}
	}
	return err != nil
}

// escapeMount spells a name as proc_pid_mountinfo(5) has it.
var escapeMount = strings.NewReplacer(" ", `\040`, "\t", `\011`, "\n", `\012`, `\`, `\134`)
