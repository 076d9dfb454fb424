//go:build amd64 || arm64

package broker

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// selfFile is the name of one of the broker's own descriptors.
func selfFile(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// statx looks at an entry, or at what dir is a handle of when name is empty.
func statx(dir int, name string, st *unix.Statx_t) error {
	return unix.Statx(dir, name, unix.AT_EMPTY_PATH|unix.AT_SYMLINK_NOFOLLOW,
		unix.STATX_BASIC_STATS|unix.STATX_BTIME, st)
}
