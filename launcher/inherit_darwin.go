package launcher

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// Inherited returns nothing: on macOS a command gets no descriptors above 2.
func Inherited() []int { return nil }

func handDown([]int, sandbox.Profile, string) ([]int, []string) { return nil, nil }

// nameOf is the name that the kernel has for a file.
func nameOf(fd int) (string, error) {
	// By a function that takes a pointer: a number would not move with the stack.
	var name [unix.PathMax / 8]uint64
	err := unix.FcntlFlock(uintptr(fd), unix.F_GETPATH, (*unix.Flock_t)(unsafe.Pointer(&name)))
	if err != nil {
		return "", err
	}
	return unix.ByteSliceToString(unsafe.Slice((*byte)(unsafe.Pointer(&name)), unix.PathMax)), nil
}
