//go:build amd64 || arm64

package broker

import (
	"crypto/rand"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker/view"
)

// In a shared directory another program can put its own entry to a name between the look at it and
// the change, and the kernel changes names, not what was looked at. So an entry is moved first,
// looked at again where no other program looks for it, and put back if it is not the one.

// is reports whether what is at a name is what was looked at.
func is(dir int, name string, was *unix.Statx_t) bool {
	var st unix.Statx_t
	if statx(dir, name, &st) != nil {
		return false
	}
	a, okA := view.Identify(&st)
	b, okB := view.Identify(was)
	return okA && okB && a == b
}

// takeOut removes an entry that was looked at, and nothing else.
func takeOut(p *spot, was *unix.Statx_t) error {
	flags := 0
	if was.Mode&unix.S_IFMT == unix.S_IFDIR {
		flags = unix.AT_REMOVEDIR
		if !isEmpty(p.dir, p.name) { // it is not moved, as others of the run may be on their way
			return unix.ENOTEMPTY
		}
	}
	aside := ".tada-run-" + rand.Text()
	back := func() error {
		return unix.Renameat2(p.dir, aside, p.dir, p.name, unix.RENAME_NOREPLACE)
	}
	switch err := unix.Renameat2(p.dir, p.name, p.dir, aside, unix.RENAME_NOREPLACE); {
	case err == unix.EINVAL: // not on this file system
		return unix.Unlinkat(p.dir, p.name, flags)
	case err != nil:
		return err
	}
	if !is(p.dir, aside, was) {
		_ = back()
		return errSwapped
	}
	err := unix.Unlinkat(p.dir, aside, flags)
	if err != nil {
		_ = back()
	}
	return err
}

// errSwapped means that another program has put its own entry there in between.
const errSwapped = unix.Errno(1<<20 + 8)

// replace moves one entry over another one. Both were looked at.
func replace(from, to *spot, old, now *unix.Statx_t) error {
	folder := func(st *unix.Statx_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFDIR }
	switch {
	case folder(old) && !folder(now):
		return unix.ENOTDIR
	case !folder(old) && folder(now):
		return unix.EISDIR
	case folder(now) && !isEmpty(to.dir, to.name):
		return unix.ENOTEMPTY
	}
	err := exchange(from, to, old, now)
	if err == unix.EINVAL { // not on this file system
		return unix.Renameat(from.dir, from.name, to.dir, to.name)
	}
	if err != nil {
		return err
	}
	_ = takeOut(from, now) // or it belongs to another program by now
	return nil
}

// exchange exchanges two entries that were looked at.
func exchange(from, to *spot, old, now *unix.Statx_t) error {
	swap := func() error {
		return unix.Renameat2(from.dir, from.name, to.dir, to.name, unix.RENAME_EXCHANGE)
	}
	if err := swap(); err != nil {
		return err
	}
	if !is(to.dir, to.name, old) || !is(from.dir, from.name, now) {
		_ = swap()
		return errSwapped
	}
	return nil
}

// move moves an entry that was looked at to a name that is not taken.
func move(from, to *spot, old *unix.Statx_t) error {
	const flags = unix.RENAME_NOREPLACE
	err := unix.Renameat2(from.dir, from.name+slash(from), to.dir, to.name+slash(to), flags)
	if err == nil && !is(to.dir, to.name, old) {
		_ = unix.Renameat2(to.dir, to.name, from.dir, from.name, flags)
		err = errSwapped
	}
	return err
}

func slash(p *spot) string {
	if p.slash {
		return "/"
	}
	return ""
}

// isEmpty reports whether a folder has no entries; one that cannot be listed counts as empty.
func isEmpty(dir int, name string) bool {
	fd, err := unix.Openat(dir, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|
		unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	var b [1024]byte // with the two dots and one more
	n, err := unix.Getdents(fd, b[:])
	return err == nil && n <= 2*dotSize
}

// dotSize is what one of the two dots takes in a listing.
const dotSize = 24
