package sandbox

import "golang.org/x/sys/unix"

const (
	// sysFstatat is newfstatat(2) by its name here.
	sysFstatat = unix.SYS_NEWFSTATAT

	auditArch = unix.AUDIT_ARCH_X86_64
	// firstForeign is where the x32 numbers begin: the same architecture word, other calls.
	firstForeign = 0x40000000
)

// legacyRules are calls that newer architectures never had.
var legacyRules = []rule{
	{unix.SYS_CHMOD, []test{{arg: 1, value: setIDs, any: true}}, errno(unix.EPERM)},
	{unix.SYS_CREAT, []test{{arg: 1, value: setIDs, any: true}}, errno(unix.EPERM)},
	{unix.SYS_OPEN, []test{{arg: 1, value: unix.O_CREAT, any: true}, {arg: 2, value: setIDs, any: true}}, errno(unix.EPERM)},
	{unix.SYS_OPEN, []test{{arg: 1, value: bareTmpfile, any: true}, {arg: 2, value: setIDs, any: true}}, errno(unix.EPERM)},
	{unix.SYS_MKNOD, []test{{arg: 1, value: setIDs, any: true}}, errno(unix.EPERM)},
	{unix.SYS_MKNOD, []test{{arg: 1, mask: unix.S_IFMT, value: unix.S_IFCHR}}, errno(unix.EPERM)},
	{unix.SYS_MKNOD, []test{{arg: 1, mask: unix.S_IFMT, value: unix.S_IFBLK}}, errno(unix.EPERM)},
	// Ports and segments: hardware, and kernel holes of old.
	{unix.SYS_IOPL, nil, errno(unix.EPERM)},
	{unix.SYS_IOPERM, nil, errno(unix.EPERM)},
	{unix.SYS_MODIFY_LDT, nil, errno(unix.ENOSYS)},
}
