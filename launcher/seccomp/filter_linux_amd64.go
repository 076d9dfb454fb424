package seccomp

import "golang.org/x/sys/unix"

const (
	// Arch is the architecture word of this program's system calls.
	Arch = unix.AUDIT_ARCH_X86_64
	// firstForeign is where the x32 numbers begin: the same architecture word, other calls.
	firstForeign = 0x40000000
)
