//go:build amd64 || arm64

package attack

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// object makes a call that returns a number.
func object(nr uintptr, args ...uintptr) (int, error) {
	var a [4]uintptr
	copy(a[:], args)
	n, _, errno := syscall.RawSyscall6(nr, a[0], a[1], a[2], a[3], 0, 0)
	if errno != 0 {
		return -1, errno
	}
	return int(n), nil
}

// openQueue is mq_open(2).
func openQueue(name string, flags int) (int, error) {
	b, err := unix.BytePtrFromString(name)
	if err != nil {
		return -1, err
	}
	return object(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(b)), uintptr(flags), 0o600, 0)
}
