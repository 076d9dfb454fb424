//go:build amd64 || arm64

package sandbox

import (
	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// The rules for seccomp. Refused calls return an errno instead of killing, so that programs fall
// back or complain as they would on a kernel without the call. Where one errno says "not on this
// kernel" and has a fallback everywhere, it is ENOSYS.

// newestCall is the last one that the rules know. A later one may be another way to do what they
// refuse, as openat2 was for openat. To raise it, add rules for the calls in between that need one.
const newestCall = unix.SYS_FILE_SETATTR

// refused are calls that no sandboxed program needs, each group with what it is good for.
var refused = []struct {
	errno unix.Errno
	calls []uint32
}{
	// Changing the mount tree. Landlock refuses most of it too, and a new namespace would be needed
	// first.
	{unix.EPERM,
		[]uint32{unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
			unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
			unix.SYS_OPEN_TREE_ATTR, unix.SYS_FSOPEN, unix.SYS_FSCONFIG, unix.SYS_FSMOUNT,
			unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR}},
	// Joining another's namespaces. Making new ones is refused by flag below.
	{unix.EPERM, []uint32{unix.SYS_SETNS}},
	// clone3 keeps its flags behind a pointer where no filter can see them; C libraries fall back
	// to clone on ENOSYS.
	{unix.ENOSYS, []uint32{unix.SYS_CLONE3}},
	// A ring opens files and sockets without a system call that a filter sees.
	{unix.ENOSYS,
		[]uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}},
	// openat2 keeps its mode behind a pointer, and so could create a set-uid file; its users fall
	// back to openat.
	{unix.ENOSYS, []uint32{unix.SYS_OPENAT2}},
	// The newer ways to set flags and attributes of a file by name. Their users fall back to the
	// older ones, which are refused or answered.
	{unix.ENOSYS, []uint32{unix.SYS_FILE_SETATTR, unix.SYS_SETXATTRAT, unix.SYS_REMOVEXATTRAT}},
	// Parts of the kernel with a long history of holes, useless without privilege.
	{unix.EPERM,
		[]uint32{unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
			unix.SYS_FANOTIFY_INIT, unix.SYS_LOOKUP_DCOOKIE}},
	// The session's keys, which are shared by everything the user runs.
	{unix.EPERM, []uint32{unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY}},
	// A file by its handle is a file without a path, so without its directory's protection.
	{unix.EPERM, []uint32{unix.SYS_OPEN_BY_HANDLE_AT}},
	// A POSIX queue has no path to be judged by. Landlock lets none be opened, and any be removed.
	{unix.EACCES, []uint32{unix.SYS_MQ_UNLINK}},
	// Running the machine.
	{unix.EPERM,
		[]uint32{unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_INIT_MODULE,
			unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
			unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL,
			unix.SYS_QUOTACTL_FD, unix.SYS_SYSLOG, unix.SYS_VHANGUP,
			unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_SETTIMEOFDAY,
			unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
			unix.SYS_NFSSERVCTL}},
}

// tracing are the ways into another process's memory and descriptors. Landlock confines them to the
// sandbox; without Profile.Debug they are not needed at all.
var tracing = []uint32{unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP, unix.SYS_PROCESS_MADVISE}

// conditional are calls that are refused for some arguments.
func conditional() []seccomp.Rule {
	return []seccomp.Rule{
		seccomp.On(unix.SYS_CLONE, seccomp.Errno(unix.EPERM), seccomp.Bits(0, namespaceFlags)),
		seccomp.On(unix.SYS_UNSHARE, seccomp.Errno(unix.EPERM),
			seccomp.Bits(0, namespaceFlags|unix.CLONE_NEWTIME)),

		// TIOCSTI types into a terminal and TIOCLINUX pastes into it: with the human's terminal
		// inherited, either runs commands outside. Landlock's IOCTL_DEV covers only what is opened
		// after it.
		seccomp.On(unix.SYS_IOCTL, seccomp.Errno(unix.EPERM), seccomp.Arg(1, unix.TIOCSTI)),
		seccomp.On(unix.SYS_IOCTL, seccomp.Errno(unix.EPERM),
			seccomp.Arg(1, 0x541c /* TIOCLINUX */)),
		seccomp.On(unix.SYS_IOCTL, seccomp.Errno(unix.EPERM), seccomp.Arg(1, unix.TIOCSETD)),
		seccomp.On(unix.SYS_IOCTL, seccomp.Errno(unix.EPERM), seccomp.Arg(1, unix.TIOCCONS)),

		// A limit of another process is as good as a signal to it: no processor time left is
		// SIGKILL, no descriptors left disarms. Landlock's signal scope does not cover it. Only a
		// process's own may be read or set, which is what programs do.
		seccomp.On(unix.SYS_PRLIMIT64, seccomp.Allow, seccomp.Arg(0, 0)),
		seccomp.On(unix.SYS_PRLIMIT64, seccomp.Errno(unix.EPERM)),
		// A lease on a file that may only be read, or on a folder, holds up every process that
		// wants to write there, for 45 seconds each time (fcntl(2)).
		seccomp.On(unix.SYS_FCNTL, seccomp.Errno(unix.EACCES), seccomp.Arg(1, unix.F_SETLEASE)),
		seccomp.On(unix.SYS_FCNTL, seccomp.Errno(unix.EACCES),
			seccomp.Arg(1, 1040 /* F_SETDELEG, Linux 6.19 */)),
		// Priorities of all that the user runs. More at Base: see schedulingCalls.
		seccomp.On(unix.SYS_SETPRIORITY, seccomp.Errno(unix.EPERM), seccomp.Arg(0, unix.PRIO_USER)),
		seccomp.On(unix.SYS_IOPRIO_SET, seccomp.Errno(unix.EPERM),
			seccomp.Arg(0, 3 /* IOPRIO_WHO_USER */)),

		// What a rename leaves behind (RENAME_WHITEOUT) is a device.
		seccomp.On(unix.SYS_RENAMEAT2, seccomp.Errno(unix.EINVAL),
			seccomp.Bits(4, unix.RENAME_WHITEOUT)),

		seccomp.On(unix.SYS_FCHMOD, seccomp.Errno(unix.EPERM), seccomp.Bits(1, setIDs)),
		seccomp.On(unix.SYS_FCHMODAT, seccomp.Errno(unix.EPERM), seccomp.Bits(2, setIDs)),
		seccomp.On(unix.SYS_FCHMODAT2, seccomp.Errno(unix.EPERM), seccomp.Bits(2, setIDs)),
		// The mode of open counts only when it creates; otherwise the register holds whatever was
		// there.
		seccomp.On(unix.SYS_OPENAT, seccomp.Errno(unix.EPERM), seccomp.Bits(2, unix.O_CREAT),
			seccomp.Bits(3, setIDs)),
		seccomp.On(unix.SYS_OPENAT, seccomp.Errno(unix.EPERM), seccomp.Bits(2, bareTmpfile),
			seccomp.Bits(3, setIDs)),
		seccomp.On(unix.SYS_MKNODAT, seccomp.Errno(unix.EPERM), seccomp.Bits(2, setIDs)),
		seccomp.On(unix.SYS_MKNODAT, seccomp.Errno(unix.EPERM),
			seccomp.Masked(2, unix.S_IFMT, unix.S_IFCHR)),
		seccomp.On(unix.SYS_MKNODAT, seccomp.Errno(unix.EPERM),
			seccomp.Masked(2, unix.S_IFMT, unix.S_IFBLK)),

		// Personalities other than the plain one and "no address randomisation" (debuggers) exist
		// to undo protections.
		seccomp.On(unix.SYS_PERSONALITY, seccomp.Allow, seccomp.Arg(0, 0)),
		seccomp.On(unix.SYS_PERSONALITY, seccomp.Allow, seccomp.Arg(0, 0xffffffff)),
		seccomp.On(unix.SYS_PERSONALITY, seccomp.Allow, seccomp.Arg(0, 0x0040000)),
		seccomp.On(unix.SYS_PERSONALITY, seccomp.Errno(unix.EPERM)),

		// Fast Open connects inside a send, which Landlock's connect right does not see.
		seccomp.On(unix.SYS_SENDTO, seccomp.Errno(unix.EPERM), seccomp.Bits(3, unix.MSG_FASTOPEN)),
		seccomp.On(unix.SYS_SENDMSG, seccomp.Errno(unix.EPERM), seccomp.Bits(2, unix.MSG_FASTOPEN)),
		seccomp.On(unix.SYS_SENDMMSG, seccomp.Errno(unix.EPERM),
			seccomp.Bits(3, unix.MSG_FASTOPEN)),
		seccomp.On(unix.SYS_SETSOCKOPT, seccomp.Errno(unix.EPERM), seccomp.Arg(1, unix.SOL_TCP),
			seccomp.Arg(2, unix.TCP_FASTOPEN_CONNECT)),
	}
}

// A socketVerdicts says how a child gets sockets: of TCP, of UDP, Unix ones with a name, and those
// that tell routes and addresses (getifaddrs).
type socketVerdicts struct{ stream, datagram, local, routes seccomp.Verdict }

// noSockets leaves pairs.
var noSockets = socketVerdicts{seccomp.Errno(unix.EACCES), seccomp.Errno(unix.EACCES),
	seccomp.Errno(unix.EACCES), seccomp.Errno(unix.EACCES)}

// sockets returns the rules for making sockets. An allow-list: of families, types and protocols new
// ones keep coming. A Unix socket would reach docker, the session bus, ssh-agent and every other
// daemon by path, which Landlock covers only from version 9: it is allowed only where the launcher
// makes every connect (see locals). A pair is connected to itself, but one of datagrams could still
// be pointed at a path, so pairs are streams only.
func sockets(v socketVerdicts) []seccomp.Rule {
	rules := []seccomp.Rule{
		seccomp.On(unix.SYS_SOCKETPAIR, seccomp.Allow, seccomp.Arg(0, unix.AF_UNIX),
			seccomp.Masked(1, sockType, unix.SOCK_STREAM)),
		seccomp.On(unix.SYS_SOCKETPAIR, seccomp.Allow, seccomp.Arg(0, unix.AF_UNIX),
			seccomp.Masked(1, sockType, unix.SOCK_SEQPACKET)),
		seccomp.On(unix.SYS_SOCKETPAIR, seccomp.Errno(unix.EACCES)),
		seccomp.On(unix.SYS_SOCKET, v.local, seccomp.Arg(0, unix.AF_UNIX),
			seccomp.Masked(1, sockType, unix.SOCK_STREAM)),
		seccomp.On(unix.SYS_SOCKET, v.local, seccomp.Arg(0, unix.AF_UNIX),
			seccomp.Masked(1, sockType, unix.SOCK_SEQPACKET)),
		// Changing routes and addresses takes a capability.
		seccomp.On(unix.SYS_SOCKET, v.routes, seccomp.Arg(0, unix.AF_NETLINK),
			seccomp.Arg(2, unix.NETLINK_ROUTE)),
	}
	for _, family := range []uint32{unix.AF_INET, unix.AF_INET6} {
		for _, s := range []struct {
			kind, protocol uint32
			verdict        seccomp.Verdict
		}{
			// Protocol 262 is MPTCP: a stream that Landlock's TCP rights do not see.
			{unix.SOCK_STREAM, 0, v.stream}, {unix.SOCK_STREAM, unix.IPPROTO_TCP, v.stream},
			{unix.SOCK_DGRAM, 0, v.datagram}, {unix.SOCK_DGRAM, unix.IPPROTO_UDP, v.datagram},
		} {
			rules = append(rules,
				seccomp.On(unix.SYS_SOCKET, s.verdict, seccomp.Arg(0, family),
					seccomp.Masked(1, sockType, s.kind), seccomp.Arg(2, s.protocol)))
		}
	}
	return append(rules, seccomp.On(unix.SYS_SOCKET, seccomp.Errno(unix.EACCES)))
}

// conditions are the rules that decide by the arguments of a call.
func conditions(v socketVerdicts) []seccomp.Rule {
	all := make([]seccomp.Rule, 0, 128) // more than there are, so that it does not grow
	all = append(all, insideRule)
	all = append(all, sockets(v)...)
	all = append(all, conditional()...)
	all = append(all, fileControls()...)
	return append(all, legacyRules()...)
}

// refusals refuse calls whatever their arguments are, those for tracing only without debug.
func refusals(debug bool) []seccomp.Rule {
	all := make([]seccomp.Rule, 0, 128)
	for _, group := range refused {
		for _, nr := range group.calls {
			all = append(all, seccomp.On(nr, seccomp.Errno(group.errno)))
		}
	}
	if !debug {
		for _, nr := range tracing {
			all = append(all, seccomp.On(nr, seccomp.Errno(unix.EPERM)))
		}
	}
	return all
}
