//go:build amd64 || arm64

package broker

import (
	"os"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// selfFile is the name of one of the broker's own descriptors.
func selfFile(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// selfDir is the directory of these names. It is held open: to look up /proc/self takes as long as
// what is done with a name in there.
var selfDir struct {
	once sync.Once
	fd   int // -1 without /proc: nothing is found there
}

func self() (dir int) {
	selfDir.once.Do(func() {
		const how = unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC
		var err error
		if selfDir.fd, err = unix.Open("/proc/self/fd", how, 0); err != nil {
			selfDir.fd = -1
		}
	})
	return selfDir.fd
}

// openAgain opens what a descriptor of the broker's refers to.
func openAgain(fd, flags int) (int, error) {
	return unix.Openat(self(), strconv.Itoa(fd), flags, 0)
}

// nameOf returns the name that the kernel has for what a descriptor of the broker's refers to.
func nameOf(fd int) (string, error) {
	for size := 256; ; size *= 4 { // no name is longer than a page
		b := make([]byte, size)
		n, err := unix.Readlinkat(self(), strconv.Itoa(fd), b)
		if err != nil {
			return "", err
		}
		if n < size {
			return string(b[:n]), nil
		}
	}
}

// statx looks at an entry, or at what dir is a handle of when name is empty.
func statx(dir int, name string, st *unix.Statx_t) error {
	return unix.Statx(dir, name, unix.AT_EMPTY_PATH|unix.AT_SYMLINK_NOFOLLOW,
		unix.STATX_BASIC_STATS|unix.STATX_BTIME, st)
}

// Control calls f with the descriptor of file, without putting it in blocking mode as File.Fd
// would.
func Control(file *os.File, f func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := conn.Control(func(fd uintptr) { inner = f(int(fd)) }); err != nil {
		return err
	}
	return inner
}
