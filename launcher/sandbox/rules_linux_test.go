package sandbox

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

func TestFilter(t *testing.T) {
	const high = 1 << 32 // what the kernel drops from an int
	eperm, eacces, enosys := seccomp.Errno(unix.EPERM), seccomp.Errno(unix.EACCES),
		seccomp.Errno(unix.ENOSYS)
	enotty, einval := seccomp.Errno(unix.ENOTTY), seccomp.Errno(unix.EINVAL)
	for _, test := range []struct {
		name       string
		nr         uint32
		args       []uint64
		off, inet  seccomp.Verdict // without and with internet sockets
		otherArch  bool
		debugAllow bool
	}{
		{name: "read", nr: unix.SYS_READ, off: seccomp.Allow, inet: seccomp.Allow},
		{name: "read by another architecture", nr: unix.SYS_READ, otherArch: true,
			off: seccomp.Kill, inet: seccomp.Kill},
		{name: "prctl", nr: unix.SYS_PRCTL, args: []uint64{unix.PR_SET_NAME}, off: seccomp.Allow,
			inet: seccomp.Allow},
		{name: "prctl that asks whether there is a fence", nr: unix.SYS_PRCTL,
			args: []uint64{insideQuestion}, off: seccomp.Errno(insideAnswer),
			inet: seccomp.Errno(insideAnswer)},
		{name: "execve", nr: unix.SYS_EXECVE, off: seccomp.Allow, inet: seccomp.Allow},
		{name: "seccomp", nr: unix.SYS_SECCOMP, off: seccomp.Allow, inet: seccomp.Allow},
		{name: "mount", nr: unix.SYS_MOUNT, off: eperm, inet: eperm},
		{name: "clone3", nr: unix.SYS_CLONE3, off: enosys, inet: enosys},
		{name: "clone of a thread", nr: unix.SYS_CLONE,
			args: []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND},
			off:  seccomp.Allow, inet: seccomp.Allow},
		{name: "clone with a signal", nr: unix.SYS_CLONE, args: []uint64{uint64(unix.SIGCHLD)},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "clone into a user namespace", nr: unix.SYS_CLONE,
			args: []uint64{unix.CLONE_NEWUSER}, off: eperm, inet: eperm},
		{name: "clone, high bits", nr: unix.SYS_CLONE, args: []uint64{high | unix.CLONE_NEWNET},
			off: eperm, inet: eperm},
		{name: "unshare of files", nr: unix.SYS_UNSHARE, args: []uint64{unix.CLONE_FILES},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "unshare of time", nr: unix.SYS_UNSHARE, args: []uint64{unix.CLONE_NEWTIME},
			off: eperm, inet: eperm},
		{name: "unix", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_UNIX, unix.SOCK_STREAM},
			off: eacces, inet: eacces},
		{name: "unix pair", nr: unix.SYS_SOCKETPAIR,
			args: []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, off: seccomp.Allow,
			inet: seccomp.Allow},
		{name: "unix datagram pair", nr: unix.SYS_SOCKETPAIR,
			args: []uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, off: eacces, inet: eacces},
		{name: "tcp", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_NONBLOCK, 0}, off: eacces,
			inet: seccomp.Allow},
		{name: "tcp6, named", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_TCP}, off: eacces,
			inet: seccomp.Allow},
		{name: "udp", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDP}, off: eacces,
			inet: seccomp.Allow},
		{name: "mptcp", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}, off: eacces,
			inet: eacces},
		{name: "mptcp, high bits", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_INET, unix.SOCK_STREAM, high | unix.IPPROTO_MPTCP}, off: eacces,
			inet: eacces},
		{name: "sctp", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_SEQPACKET, 132},
			off: eacces, inet: eacces},
		{name: "ping", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP}, off: eacces,
			inet: eacces},
		{name: "raw", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP}, off: eacces,
			inet: eacces},
		{name: "vsock", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_VSOCK, unix.SOCK_STREAM},
			off: eacces, inet: eacces},
		{name: "alg", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_ALG, unix.SOCK_SEQPACKET},
			off: eacces, inet: eacces},
		{name: "routes", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, off: eacces,
			inet: seccomp.Allow},
		{name: "audit", nr: unix.SYS_SOCKET,
			args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, off: eacces,
			inet: eacces},
		{name: "send", nr: unix.SYS_SENDTO, args: []uint64{3, 0, 0, unix.MSG_NOSIGNAL},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "send fast", nr: unix.SYS_SENDTO,
			args: []uint64{3, 0, 0, unix.MSG_NOSIGNAL | unix.MSG_FASTOPEN}, off: eperm,
			inet: eperm},
		{name: "sendmsg fast", nr: unix.SYS_SENDMSG, args: []uint64{3, 0, unix.MSG_FASTOPEN},
			off: eperm, inet: eperm},
		{name: "sendmmsg fast", nr: unix.SYS_SENDMMSG, args: []uint64{3, 0, 1, unix.MSG_FASTOPEN},
			off: eperm, inet: eperm},
		{name: "fast open by option", nr: unix.SYS_SETSOCKOPT,
			args: []uint64{3, unix.SOL_TCP, unix.TCP_FASTOPEN_CONNECT}, off: eperm, inet: eperm},
		{name: "no delay", nr: unix.SYS_SETSOCKOPT,
			args: []uint64{3, unix.SOL_TCP, unix.TCP_NODELAY}, off: seccomp.Allow,
			inet: seccomp.Allow},
		{name: "window size", nr: unix.SYS_IOCTL, args: []uint64{0, unix.TIOCGWINSZ},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "TIOCSTI, high bits", nr: unix.SYS_IOCTL, args: []uint64{0, high | unix.TIOCSTI},
			off: eperm, inet: eperm},
		{name: "chmod 755", nr: unix.SYS_FCHMODAT, args: []uint64{0, 0, 0o755}, off: seccomp.Allow,
			inet: seccomp.Allow},
		{name: "chmod u+s", nr: unix.SYS_FCHMODAT, args: []uint64{0, 0, 0o4755}, off: eperm,
			inet: eperm},
		{name: "open to read, rubbish as mode", nr: unix.SYS_OPENAT,
			args: []uint64{0, 0, unix.O_RDONLY | unix.O_DIRECTORY, 0xffffffff}, off: seccomp.Allow,
			inet: seccomp.Allow},
		{name: "create 644", nr: unix.SYS_OPENAT,
			args: []uint64{0, 0, unix.O_CREAT | unix.O_WRONLY, 0o644}, off: seccomp.Allow,
			inet: seccomp.Allow},
		{name: "create 2755", nr: unix.SYS_OPENAT,
			args: []uint64{0, 0, unix.O_CREAT | unix.O_WRONLY, 0o2755}, off: eperm, inet: eperm},
		{name: "fifo", nr: unix.SYS_MKNODAT, args: []uint64{0, 0, unix.S_IFIFO | 0o600},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "device", nr: unix.SYS_MKNODAT, args: []uint64{0, 0, unix.S_IFBLK | 0o600},
			off: eperm, inet: eperm},
		{name: "personality query", nr: unix.SYS_PERSONALITY, args: []uint64{0xffffffff},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "personality", nr: unix.SYS_PERSONALITY, args: []uint64{0x0040000 | 0x0400000},
			off: eperm, inet: eperm},
		{name: "own limit", nr: unix.SYS_PRLIMIT64, args: []uint64{0, unix.RLIMIT_NOFILE},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "another's limit", nr: unix.SYS_PRLIMIT64, args: []uint64{4711, unix.RLIMIT_CPU, 1},
			off: eperm, inet: eperm},
		{name: "own priority", nr: unix.SYS_SETPRIORITY, args: []uint64{unix.PRIO_PROCESS, 0, 5},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "everybody's priority", nr: unix.SYS_SETPRIORITY,
			args: []uint64{unix.PRIO_USER, 0, 5}, off: eperm, inet: eperm},
		{name: "lease", nr: unix.SYS_FCNTL, args: []uint64{3, unix.F_SETLEASE, unix.F_RDLCK},
			off: eacces, inet: eacces},
		{name: "duplicate", nr: unix.SYS_FCNTL, args: []uint64{3, unix.F_DUPFD_CLOEXEC},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "file flags", nr: unix.SYS_IOCTL, args: []uint64{3, unix.FS_IOC_SETFLAGS},
			off: eperm, inet: eperm},
		{name: "file version", nr: unix.SYS_IOCTL, args: []uint64{3, 0x40086604}, off: enotty,
			inet: enotty},
		{name: "verity, high bits", nr: unix.SYS_IOCTL,
			args: []uint64{3, high | unix.FS_IOC_ENABLE_VERITY}, off: enotty, inet: enotty},
		{name: "encryption", nr: unix.SYS_IOCTL,
			args: []uint64{3, unix.FS_IOC_SET_ENCRYPTION_POLICY}, off: enotty, inet: enotty},
		{name: "make a subvolume", nr: unix.SYS_IOCTL, args: []uint64{3, 0x5000940e}, off: enotty,
			inet: enotty},
		{name: "reserve space of XFS", nr: unix.SYS_IOCTL, args: []uint64{3, 0x4030582a},
			off: enotty, inet: enotty},
		{name: "attributes of FAT", nr: unix.SYS_IOCTL, args: []uint64{3, 0x40047211},
			off: enotty, inet: enotty},
		{name: "read file flags", nr: unix.SYS_IOCTL, args: []uint64{3, unix.FS_IOC_GETFLAGS},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "clone a file", nr: unix.SYS_IOCTL, args: []uint64{3, unix.FICLONE},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "size of a terminal", nr: unix.SYS_IOCTL, args: []uint64{1, unix.TIOCGWINSZ},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "rename", nr: unix.SYS_RENAMEAT2, args: []uint64{0, 0, 0, 0, unix.RENAME_EXCHANGE},
			off: seccomp.Allow, inet: seccomp.Allow},
		{name: "rename that leaves a device", nr: unix.SYS_RENAMEAT2,
			args: []uint64{0, 0, 0, 0, unix.RENAME_WHITEOUT | unix.RENAME_NOREPLACE}, off: einval,
			inet: einval},
		{name: "io_uring", nr: unix.SYS_IO_URING_SETUP, off: enosys, inet: enosys},
		{name: "ptrace", nr: unix.SYS_PTRACE, off: eperm, inet: eperm, debugAllow: true},
	} {
		d := seccomp.Call{Nr: test.nr, Arch: seccomp.Arch}
		copy(d.Args[:], test.args)
		if test.otherArch {
			d.Arch ^= 1
		}
		if got := filter(false, false).Decide(d); got != test.off {
			t.Errorf("%s: %#x, want %#x", test.name, got, test.off)
		}
		if got := filter(true, false).Decide(d); got != test.inet {
			t.Errorf("%s with sockets: %#x, want %#x", test.name, got, test.inet)
		}
		if got := filter(true, true).Decide(d); (got == seccomp.Allow) != (test.inet == seccomp.Allow || test.debugAllow) {
			t.Errorf("%s for debugging: %#x", test.name, got)
		}
	}
}

// decide reads the table as it is written: the first rule whose tests all hold.
func decide(rules []seccomp.Rule, d seccomp.Call) seccomp.Verdict {
	for _, r := range rules {
		holds := r.Nr == d.Nr
		for _, c := range r.Tests {
			arg := uint32(d.Args[c.Arg])
			if c.High {
				arg = uint32(d.Args[c.Arg] >> 32)
			}
			switch {
			case c.Any:
				holds = holds && arg&c.Value != 0
			case c.Mask != 0:
				holds = holds && arg&c.Mask == c.Value
			default:
				holds = holds && arg == c.Value
			}
		}
		if holds {
			return r.Verdict
		}
	}
	return seccomp.Allow
}

var inetSockets = socketVerdicts{stream: seccomp.Allow, datagram: seccomp.Allow,
	local: seccomp.Errno(unix.EACCES), routes: seccomp.Allow}

// rules are those without any for the broker.
func rules(v socketVerdicts, debug bool) []seccomp.Rule {
	return append(conditions(v), refusals(debug)...)
}

// filter is the seccomp program of a child.
func filter(inet, debug bool) seccomp.Program {
	v := noSockets
	if inet {
		v = inetSockets
	}
	return seccomp.Compile(0, rules(v, debug))
}

// The program says what the table says, for every call and for arguments at and around every value
// that the table tests.
func TestProgramReadsTheTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	off, asked := seccomp.Errno(unix.EACCES), seccomp.Ask
	for _, table := range [][]seccomp.Rule{rules(noSockets, false), rules(inetSockets, true),
		rules(socketVerdicts{asked, off, seccomp.Allow, seccomp.Allow}, false),
		(&builder{attempt: attempt{level: Base}}).table(), hosts(Base).table(), crowded(), nil} {
		program := seccomp.Compile(0, table)
		values := []uint32{0, 1, ^uint32(0)}
		for _, r := range table {
			for _, c := range r.Tests {
				values = append(values, c.Value, c.Value+1, c.Value-1, c.Value|c.Mask, ^c.Value)
			}
		}
		for nr := range uint32(1024) {
			for range hermetic.Rounds(200) {
				d := seccomp.Call{Nr: nr, Arch: seccomp.Arch}
				for i := range d.Args {
					d.Args[i] = uint64(random.Uint32())<<32 |
						uint64(values[random.IntN(len(values))])
				}
				if got, want := program.Decide(d), decide(table, d); got != want {
					t.Fatalf("%+v: %#x, the table says %#x", d, got, want)
				}
			}
		}
	}
}

// No rule is about a call that the filter takes for one that does not exist.
func TestNewestCall(t *testing.T) {
	for _, table := range [][]seccomp.Rule{rules(noSockets, false), hosts(Base).table(),
		hosts(Strong).table()} {
		for _, r := range table {
			if r.Nr > newestCall {
				t.Errorf("a rule for call %d, and the newest is %d", r.Nr, uint32(newestCall))
			}
		}
	}
}

// crowded is a table of which most is about one call.
func crowded() (table []seccomp.Rule) {
	for i := range uint32(300) {
		table = append(table, seccomp.On(1, seccomp.Errno(unix.EPERM), seccomp.Arg(0, i),
			seccomp.Arg(1, i)))
	}
	for nr := uint32(2); nr < 292; nr++ {
		table = append(table, seccomp.On(nr, seccomp.Errno(unix.EACCES)))
	}
	return table
}

// Every rule is reached: an earlier one that always matches would make it dead.
func TestRulesReached(t *testing.T) {
	always := map[uint32]bool{}
	for _, table := range [][]seccomp.Rule{rules(noSockets, false), hosts(Base).table(),
		hosts(Strong).table()} {
		clear(always)
		for i, r := range table {
			if always[r.Nr] {
				t.Errorf("rule %d (call %d) comes after one that always decides", i, r.Nr)
			}
			always[r.Nr] = len(r.Tests) == 0
		}
	}
	if n := len(filter(true, false)); n > 4096 { // BPF_MAXINSNS
		t.Errorf("%d instructions", n)
	}
}

// hosts is who builds a sandbox that some hosts can be reached from.
func hosts(level Level) *builder {
	return &builder{attempt: attempt{level: level, profile: Profile{Network: Hosts}},
		mediation: mediation{giving: once{1<<40 | 5}}}
}

// A packet's receiver is asked about wherever a call may name one, and the ways to connect while
// sending stay shut.
func TestSendRules(t *testing.T) {
	const high = 1 << 32
	for _, level := range []Level{Base, Strong} {
		program := seccomp.Compile(0, hosts(level).table())
		for _, test := range []struct {
			name string
			nr   uint32
			args [6]uint64
			want seccomp.Verdict
		}{
			{"send", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, 0, 16}, seccomp.Allow},
			{"sendto", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, 4096, 16}, seccomp.Ask},
			{"sendto, an address above", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, high, 16},
				seccomp.Ask},
			{"send fast", unix.SYS_SENDTO, [6]uint64{3, 1, 1, unix.MSG_FASTOPEN, 0, 0},
				seccomp.Errno(unix.EPERM)},
			{"sendto fast", unix.SYS_SENDTO, [6]uint64{3, 1, 1, unix.MSG_FASTOPEN, 4096, 16},
				seccomp.Errno(unix.EPERM)},
			{"sendmsg", unix.SYS_SENDMSG, [6]uint64{3, 4096, unix.MSG_NOSIGNAL}, seccomp.Ask},
			{"sendmsg fast", unix.SYS_SENDMSG, [6]uint64{3, 4096, unix.MSG_FASTOPEN},
				seccomp.Errno(unix.EPERM)},
			{"sendmsg with the number", unix.SYS_SENDMSG, [6]uint64{3, 4096, 0, 0, 0, 1<<40 | 5},
				seccomp.Allow},
			{"sendmsg with half of it", unix.SYS_SENDMSG, [6]uint64{3, 4096, 0, 0, 0, 5},
				seccomp.Ask},
			{"sendmmsg", unix.SYS_SENDMMSG, [6]uint64{3, 4096, 1, 0, 0, 1<<40 | 5}, seccomp.Ask},
			{"sendmmsg fast", unix.SYS_SENDMMSG, [6]uint64{3, 4096, 1, unix.MSG_FASTOPEN},
				seccomp.Errno(unix.EPERM)},
		} {
			if got := program.Decide(seccomp.Call{Nr: test.nr, Arch: seccomp.Arch,
				Args: test.args}); got != test.want {
				t.Errorf("%v, %s: %#x, want %#x", level, test.name, got, test.want)
			}
		}
	}
}

// Every version handles all that the one before did, and rights that mean nothing to it are never
// asked for.
func TestLandlockVersions(t *testing.T) {
	for v := 2; v < len(abis); v++ {
		if a, b := abis[v-1], abis[v]; a.fs&^b.fs != 0 || a.net&^b.net != 0 ||
			a.scoped&^b.scoped != 0 {
			t.Errorf("version %d lost something", v)
		}
	}
	for _, test := range []struct {
		l    landlock
		fs   uint64
		net  uint64
		scop uint64
	}{
		{landlock{1, 0}, 1<<13 - 1, 0, 0},
		{landlock{3, 0}, 1<<15 - 1, 0, 0},
		{landlock{6, 0}, 1<<16 - 1, 3, unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET},
		{landlock{6, erratumSignal}, 1<<16 - 1, 3, scopeAll},
		{landlock{7, 7}, 1<<16 - 1, 3, scopeAll},
		{landlock{99, 7}, 1<<17 - 1, 15, scopeAll},
	} {
		if a := test.l.handled(); a.fs != test.fs || a.net != test.net || a.scoped != test.scop {
			t.Errorf("%+v: %+v", test.l, a)
		}
	}
	if _, err := newRuleset(abi{fs: 1 << 63}); err == nil {
		t.Error("the kernel took a right that does not exist")
	}
}

// A start on an older kernel: fewer protections, all of them told.
func TestOlderKernel(t *testing.T) {
	for _, test := range []struct {
		l    landlock
		lost []Protection
	}{
		{landlock{7, 7}, []Protection{Namespaces, Processes, Devices, SharedMem}},
		{landlock{6, 0}, []Protection{Namespaces, Processes, Signals, Tree, Devices, SharedMem}},
		{landlock{2, 0}, []Protection{Namespaces, Processes, Signals, Tree, Truncation, DeviceCtl,
			Devices, SharedMem}},
	} {
		p := Default(t.TempDir(), "")
		b := &builder{attempt: attempt{profile: p,
			command: Command{Path: "/bin/bash",
				Argv: []string{"bash", "-c", "sleep 100 & exit 5"}},
			landlock: test.l, level: Base}}
		process, receipt, err := b.start()
		must(t, err)
		if s, err := process.Wait(); err != nil || s.Code != 5 {
			t.Errorf("%+v %v", s, err)
		}
		var lost []Protection
		for _, l := range receipt.Lost {
			lost = append(lost, l.Protection)
		}
		if fmt.Sprint(lost) != fmt.Sprint(test.lost) {
			t.Errorf("%+v: %v, want %v", test.l, lost, test.lost)
		}
	}
}
