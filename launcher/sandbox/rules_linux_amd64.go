package sandbox

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

const (
	// sysFstatat is newfstatat(2) by its name here.
	sysFstatat = unix.SYS_NEWFSTATAT
)

// legacyRules are calls that newer architectures never had.
func legacyRules() []seccomp.Rule {
	return []seccomp.Rule{
		seccomp.On(unix.SYS_CHMOD, seccomp.Errno(unix.EPERM), seccomp.Bits(1, setIDs)),
		seccomp.On(unix.SYS_CREAT, seccomp.Errno(unix.EPERM), seccomp.Bits(1, setIDs)),
		seccomp.On(unix.SYS_OPEN, seccomp.Errno(unix.EPERM), seccomp.Bits(1, unix.O_CREAT),
			seccomp.Bits(2, setIDs)),
		seccomp.On(unix.SYS_OPEN, seccomp.Errno(unix.EPERM), seccomp.Bits(1, bareTmpfile),
			seccomp.Bits(2, setIDs)),
		seccomp.On(unix.SYS_MKNOD, seccomp.Errno(unix.EPERM), seccomp.Bits(1, setIDs)),
		seccomp.On(unix.SYS_MKNOD, seccomp.Errno(unix.EPERM),
			seccomp.Masked(1, unix.S_IFMT, unix.S_IFCHR)),
		seccomp.On(unix.SYS_MKNOD, seccomp.Errno(unix.EPERM),
			seccomp.Masked(1, unix.S_IFMT, unix.S_IFBLK)),
		// Ports and segments: hardware, and kernel holes of old.
		seccomp.On(unix.SYS_IOPL, seccomp.Errno(unix.EPERM)),
		seccomp.On(unix.SYS_IOPERM, seccomp.Errno(unix.EPERM)),
		seccomp.On(unix.SYS_MODIFY_LDT, seccomp.Errno(unix.ENOSYS)),
	}
}
