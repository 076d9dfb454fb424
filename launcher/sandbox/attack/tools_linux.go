//go:build amd64 || arm64

package attack

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func call(nr uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := syscall.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return errno
	}
	return nil
}

func read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := f.Read(make([]byte, 16))
	if n > 0 {
		return nil
	}
	return fmt.Errorf("read %q: nothing: %v", name, err)
}

// descriptorName is a name of what a descriptor is open on.
func descriptorName(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

func unixOpen(name string, flags int, mode uint32) error {
	fd, err := unix.Open(name, flags, mode)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

// openBytes opens the name in b, which ends with a zero and may be changed during the call.
func openBytes(b []byte, flags int) (int, error) {
	at := unix.AT_FDCWD
	fd, _, errno := syscall.Syscall6(unix.SYS_OPENAT, uintptr(at),
		uintptr(unsafe.Pointer(&b[0])), uintptr(flags), 0, 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}

// races is how often a race is tried: without a sandbox, one of the first dozen wins. Tests try
// fewer, and make stress many more.
var races = usualRaces

const usualRaces = 2000

// turns is how long a race is tried at least: on a busy machine the other thread has to get its
// turns.
func turns() time.Duration { return time.Duration(races) * 150 * time.Microsecond }

// patience bounds one attack: what hangs is as good as refused.
func patience() time.Duration {
	return time.Duration(max(races/usualRaces, 1)) * 30 * time.Second
}

// after is the pause between two visits.
func after() <-chan time.Time { return time.After(5 * time.Millisecond) }

// connectLocal connects a new socket to a path.
func connectLocal(family, kind uintptr, path string) error {
	fd, _, errno := unix.Syscall(unix.SYS_SOCKET, family, kind, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(fd))
	return unix.Connect(int(fd), &unix.SockaddrUnix{Name: path})
}
