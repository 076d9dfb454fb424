//go:build stepwise

package walk

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// With the tag stepwise, Linux walks as macOS does: so that the tests here try those steps.

const (
	forNothing = unix.O_PATH
	theLink    = unix.O_PATH | unix.O_NOFOLLOW
	caseless   = false
)

// apart says which names in a directory are not opened, and why: here there are none.
func apart(string, string) (kind Kind, why string) { return Plain, "" }

func kernelName(fd int) (string, error) {
	return os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
}
