package proc

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// NameOf returns the name that the kernel has for what a descriptor refers to.
func NameOf(fd int) (string, error) {
	// By a function that takes a pointer: a number would not move with the stack.
	var name [unix.PathMax / 8]uint64
	err := unix.FcntlFlock(uintptr(fd), unix.F_GETPATH, (*unix.Flock_t)(unsafe.Pointer(&name)))
	if err != nil {
		return "", err
	}
	return unix.ByteSliceToString(unsafe.Slice((*byte)(unsafe.Pointer(&name)), unix.PathMax)), nil
}
