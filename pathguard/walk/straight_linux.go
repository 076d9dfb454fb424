//go:build !stepwise

package walk

import (
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// straight asks the kernel for the whole way at once, and refuses every way on which a
// link or a mount could change what the path says. Most names take it: one system call
// instead of one for each component.
func (w *Walker) straight(from Dir, name string, follow bool) (End, bool) {
	clean := cleaned(name)
	path := pathname.Join(from.Path, clean)
	if clean == "" {
		clean = "."
	}
	how := unix.OpenHow{
		Flags:   unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_NO_XDEV,
	}
	fd, err := unix.Openat2(from.FD, clean, &how)
	if err == unix.ENOENT && clean != "." {
		return absent(from, clean, how)
	}
	if err != nil {
		return End{}, false
	}
	end := End{FD: fd, Real: path}
	if err := unix.Fstat(fd, &end.Stat); err != nil ||
		isLink(&end.Stat) && (follow || trails(name)) {
		unix.Close(fd)
		return End{}, false
	}
	return end, true
}

// cleaned is a name without the slashes and dots that lead nowhere. Most names have none.
func cleaned(name string) string {
	name = strings.TrimPrefix(name, "/")
	for rest, more := name, true; more; {
		var part string
		if part, rest, more = strings.Cut(rest, "/"); part == "" || part == "." {
			return strings.Join(pathname.Split(name), "/")
		}
	}
	return name
}

// absent is the straight way to a name of which only the last component is missing: what a
// command is about to make.
func absent(from Dir, clean string, how unix.OpenHow) (End, bool) {
	dir, base := ".", clean
	if cut := strings.LastIndexByte(clean, '/'); cut >= 0 {
		dir, base = clean[:cut], clean[cut+1:]
	}
	how.Flags |= unix.O_DIRECTORY
	fd, err := unix.Openat2(from.FD, dir, &how)
	if err != nil {
		return End{}, false
	}
	end := End{FD: fd, Real: from.Path, Missing: base}
	if dir != "." {
		end.Real = pathname.Join(from.Path, dir)
	}
	var st unix.Stat_t
	if unix.Fstatat(fd, base, &st, unix.AT_SYMLINK_NOFOLLOW) != unix.ENOENT ||
		unix.Fstat(fd, &end.Stat) != nil {
		unix.Close(fd) // it came to be in between
		return End{}, false
	}
	return end, true
}
