//go:build !stepwise

package walk

import (
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/dirent"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// forNothing opens a file without any use of it.
const forNothing = unix.O_PATH

// openParent opens the directory above one. Its path is known.
func openParent(at Dir, path string) (Dir, error) {
	fd, err := unix.Openat(at.FD, "..", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	return Dir{fd, path}, err
}

// openItself opens a name in a directory, and of a link the link itself.
func openItself(at Dir, name string, st *unix.Stat_t) (Dir, error) {
	fd, err := unix.Openat(at.FD, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return Dir{}, err
	}
	if err := unix.Fstat(fd, st); err != nil {
		unix.Close(fd)
		return Dir{}, err
	}
	return Dir{fd, pathname.Join(at.Path, name)}, nil
}

// readLink reads a link that is open, and is a name in a directory.
func readLink(link, _ Dir, _ string) (string, error) {
	var buf [PathMax]byte
	n, err := unix.Readlinkat(link.FD, "", buf[:])
	if err != nil {
		return "", err
	}
	if n == 0 {
		return "", unix.ENOENT
	}
	return string(buf[:n]), nil
}

// apart says which names in a directory are not opened, and why: here there are none.
func apart(string, string) (kind Kind, why string) { return Plain, "" }

// whyMissing is why nothing is at the end of a way.
func whyMissing(why string) string { return why }

// isThere asks for a name below a directory without a link on its way, in one call.
func isThere(root int, name string) error {
	fd, err := openPlain(root, name, 0)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// openPlain opens a name below a directory for nothing, on whose way there must be no link.
func openPlain(root int, name string, flags int) (int, error) {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | uint64(flags),
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS}
	return unix.Openat2(root, name, &how)
}

// OpenIn opens a name in a directory for nothing. It must not be a link.
func OpenIn(dir int, name string, flags int) (int, error) {
	return unix.Openat(dir, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC|flags, 0)
}

// Reopen opens for reading the very file that a descriptor holds.
func Reopen(fd int) (int, error) {
	return unix.Open("/proc/self/fd/"+strconv.Itoa(fd),
		unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
}

// readEntries lists an open directory.
func readEntries(fd int, buf []byte) (list []entry, err error) {
	for len(list) < MaxListed {
		n, err := unix.Getdents(fd, buf)
		if n <= 0 || err != nil {
			return list, err
		}
		list = appendEntries(list, buf[:n])
	}
	return list, nil
}

// appendEntries adds the entries that were read into a buffer. Their names are one object.
func appendEntries(to []entry, buf []byte) []entry {
	all := string(buf)
	for e, rest, ok := dirent.Next(buf); ok; e, rest, ok = dirent.Next(rest) {
		from := cap(buf) - cap(e.Name) // both end where the buffer does
		to = append(to, entry{all[from : from+len(e.Name)], e.Kind, e.Number})
	}
	return to
}
