package seccomp

import "golang.org/x/sys/unix"

const (
	// Arch is the architecture word of this program's system calls.
	Arch         = unix.AUDIT_ARCH_AARCH64
	firstForeign = 0 // 32-bit calls come with another architecture word
)
