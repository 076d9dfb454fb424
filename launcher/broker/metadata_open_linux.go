//go:build amd64 || arm64

package broker

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// openObject opens the object of a call as the caller names it, only as a handle.
func openObject(what *metadataCall, c *call) (int, error) {
	dir := c.process() + "cwd"
	if what.dir >= 0 && int32(c.Args[what.dir]) != unix.AT_FDCWD {
		dir = c.process() + "fd/" + strconv.Itoa(int(int32(c.Args[what.dir])))
	}
	path, flags := "", uint64(0)
	if what.flags >= 0 {
		flags = c.Args[what.flags]
	}
	if !what.isOpen(c) {
		var err error
		if path, err = c.text(c.Args[what.path], unix.PathMax); err != nil {
			return -1, err
		}
		if path == "" && flags&unix.AT_EMPTY_PATH == 0 {
			return -1, unix.ENOENT
		}
	}
	// These lead to the process that looks, which would be the launcher.
	for _, self := range []string{"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"} {
		if number, ok := strings.CutPrefix(path, self); ok {
			if _, err := strconv.ParseUint(number, 10, 31); err != nil {
				return -1, unix.EPERM
			}
			dir, path = c.process()+"fd/"+number, ""
		}
	}
	if path == "" {
		return handle(dir)
	}
	at := unix.AT_FDCWD
	if path[0] != '/' {
		var err error
		if at, err = handle(dir); err != nil {
			return -1, err
		}
		defer unix.Close(at)
	}
	how := &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	if what.nofollow || flags&unix.AT_SYMLINK_NOFOLLOW != 0 {
		how.Flags |= unix.O_NOFOLLOW
	}
	return unix.Openat2(at, path, how)
}
