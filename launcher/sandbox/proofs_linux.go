//go:build amd64 || arm64

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// proofs makes the child try, in its sandbox and before its program, what the sandbox must refuse.
// Arguments are chosen so that without the sandbox the answer would be another one. A proof that is
// not refused stops the start.
func (b *builder) proofs(l *steps) {
	try := func(what string, nr uintptr, args ...uintptr) *step {
		b.receipt.Proven = append(b.receipt.Proven, what)
		return l.add(what, nr, args...)
	}
	const bad = ^uintptr(0) // no such descriptor
	try("mount", unix.SYS_MOUNT).refused(unix.EPERM)
	try("new user namespace", unix.SYS_UNSHARE, unix.CLONE_NEWUSER).refused(unix.EPERM)
	try("io_uring", unix.SYS_IO_URING_SETUP).refused(unix.ENOSYS)
	local := uintptr(unix.SOCK_STREAM)
	if b.profile.Network == Hosts { // streams are had, and the launcher connects them
		local = unix.SOCK_DGRAM
	}
	try("unix socket", unix.SYS_SOCKET, unix.AF_UNIX, local).refused(unix.EACCES)
	try("unix socket with high bits set", unix.SYS_SOCKET, 1<<32|unix.AF_UNIX,
		local).refused(unix.EACCES)
	try("mptcp socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM,
		unix.IPPROTO_MPTCP).refused(unix.EACCES)
	try("raw socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_RAW,
		unix.IPPROTO_ICMP).refused(unix.EACCES)
	if b.profile.Network == Off && !b.ownLoopback() {
		try("internet socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_STREAM).refused(unix.EACCES)
		try("datagram socket", unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_DGRAM).refused(unix.EACCES)
		try("netlink socket", unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW,
			unix.NETLINK_ROUTE).refused(unix.EACCES)
	}
	if b.profile.Network == Hosts {
		try("source route", unix.SYS_SETSOCKOPT, bad, unix.SOL_IP,
			unix.IP_OPTIONS).refused(unix.EPERM)
	}
	if b.profile.OneProgram {
		try("another program", unix.SYS_EXECVE).refused(unix.EACCES)
		try("another program, by a descriptor", unix.SYS_EXECVEAT, bad).refused(unix.EACCES)
	}
	try("tcp fast open", unix.SYS_SENDTO, bad, 0, 0, unix.MSG_FASTOPEN).refused(unix.EPERM)
	try("typing into a terminal", unix.SYS_IOCTL, bad, unix.TIOCSTI).refused(unix.EPERM)
	try("set-uid bit", unix.SYS_FCHMOD, bad, unix.S_ISUID).refused(unix.EPERM)
	if b.level == Base && b.landlock.handled().scoped&unix.LANDLOCK_SCOPE_SIGNAL != 0 {
		try("signal to the launcher", unix.SYS_KILL, uintptr(os.Getpid())).refused(unix.EPERM)
	}
}
