//go:build amd64 || arm64

package attack

import (
	"fmt"
	"os"
	"syscall"

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

func unixOpen(name string, flags int, mode uint32) error {
	fd, err := unix.Open(name, flags, mode)
	if err == nil {
		unix.Close(fd)
	}
	return err
}
