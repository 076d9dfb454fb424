//go:build linux || darwin

package launcher

import (
	"cmp"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// makeCaches makes the folders of tool caches that a command is about to use, and returns them as
// writable trees. The error is about the first of those that cannot be made.
func makeCaches(names []string) (trees []sandbox.Path, first error) {
	for _, name := range names {
		dir, err := makeFolder(name)
		if err == nil {
			trees = append(trees, sandbox.Path{Name: name, File: dir})
		}
		first = cmp.Or(first, err)
	}
	return trees, first
}

// makeFolder makes a folder with those above it, and opens it. It follows no link, so that one in a
// place that a command may write leads nowhere else.
func makeFolder(name string) (*os.File, error) {
	const flags = forNothing | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_CLOEXEC
	dir, err := unix.Open("/", flags, 0)
	for part := range strings.SplitSeq(strings.Trim(name, "/"), "/") {
		if err != nil {
			break
		}
		above := dir
		if dir, err = unix.Openat(above, part, flags, 0); err == unix.ENOENT {
			if err = unix.Mkdirat(above, part, 0o700); err == nil || err == unix.EEXIST {
				dir, err = unix.Openat(above, part, flags, 0)
			}
		}
		unix.Close(above)
	}
	if err != nil {
		return nil, &os.PathError{Op: "mkdir", Path: name, Err: err}
	}
	return os.NewFile(uintptr(dir), name), nil
}
