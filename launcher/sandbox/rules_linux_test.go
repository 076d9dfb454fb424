package sandbox

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// data is struct seccomp_data.
type data struct {
	nr, arch uint32
	args     [6]uint64
}

func (d data) word(offset uint32) uint32 {
	switch {
	case offset == offNr:
		return d.nr
	case offset == offArch:
		return d.arch
	case offset >= offArgs && offset < offArgs+48 && offset%4 == 0:
		return uint32(d.args[(offset-offArgs)/8] >> (offset % 8 * 8))
	}
	panic(fmt.Sprintf("load at %d", offset))
}

// simulate runs a program as the kernel does.
func simulate(p []insn, d data) verdict {
	var a uint32
	for pc := 0; ; pc++ {
		i := p[pc]
		jump := false
		switch i.code {
		case opLoad:
			a = d.word(i.k)
			continue
		case opAnd:
			a &= i.k
			continue
		case opRet:
			return verdict(i.k)
		case opJump:
			pc += int(i.k)
			continue
		case opJeq:
			jump = a == i.k
		case opJge:
			jump = a >= i.k
		case opJset:
			jump = a&i.k != 0
		default:
			panic(fmt.Sprintf("instruction %d: code %#x", pc, i.code))
		}
		if jump {
			pc += int(i.jt)
		} else {
			pc += int(i.jf)
		}
	}
}

func TestFilter(t *testing.T) {
	const high = 1 << 32 // what the kernel drops from an int
	eperm, eacces, enosys := errno(unix.EPERM), errno(unix.EACCES), errno(unix.ENOSYS)
	for _, test := range []struct {
		name       string
		nr         uint32
		args       []uint64
		off, inet  verdict // without and with internet sockets
		otherArch  bool
		debugAllow bool
	}{
		{name: "read", nr: unix.SYS_READ, off: allow, inet: allow},
		{name: "read by another architecture", nr: unix.SYS_READ, otherArch: true, off: killProcess, inet: killProcess},
		{name: "prctl", nr: unix.SYS_PRCTL, args: []uint64{unix.PR_SET_NAME}, off: allow, inet: allow},
		{name: "prctl that asks whether there is a fence", nr: unix.SYS_PRCTL, args: []uint64{insideQuestion}, off: errno(insideAnswer), inet: errno(insideAnswer)},
		{name: "execve", nr: unix.SYS_EXECVE, off: allow, inet: allow},
		{name: "seccomp", nr: unix.SYS_SECCOMP, off: allow, inet: allow},
		{name: "mount", nr: unix.SYS_MOUNT, off: eperm, inet: eperm},
		{name: "clone3", nr: unix.SYS_CLONE3, off: enosys, inet: enosys},
		{name: "clone of a thread", nr: unix.SYS_CLONE, args: []uint64{unix.CLONE_VM | unix.CLONE_THREAD | unix.CLONE_SIGHAND}, off: allow, inet: allow},
		{name: "clone with a signal", nr: unix.SYS_CLONE, args: []uint64{uint64(unix.SIGCHLD)}, off: allow, inet: allow},
		{name: "clone into a user namespace", nr: unix.SYS_CLONE, args: []uint64{unix.CLONE_NEWUSER}, off: eperm, inet: eperm},
		{name: "clone, high bits", nr: unix.SYS_CLONE, args: []uint64{high | unix.CLONE_NEWNET}, off: eperm, inet: eperm},
		{name: "unshare of files", nr: unix.SYS_UNSHARE, args: []uint64{unix.CLONE_FILES}, off: allow, inet: allow},
		{name: "unshare of time", nr: unix.SYS_UNSHARE, args: []uint64{unix.CLONE_NEWTIME}, off: eperm, inet: eperm},
		{name: "unix", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_UNIX, unix.SOCK_STREAM}, off: eacces, inet: eacces},
		{name: "unix pair", nr: unix.SYS_SOCKETPAIR, args: []uint64{unix.AF_UNIX, unix.SOCK_STREAM | unix.SOCK_CLOEXEC}, off: allow, inet: allow},
		{name: "unix datagram pair", nr: unix.SYS_SOCKETPAIR, args: []uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, off: eacces, inet: eacces},
		{name: "tcp", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_STREAM | unix.SOCK_NONBLOCK, 0}, off: eacces, inet: allow},
		{name: "tcp6, named", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_TCP}, off: eacces, inet: allow},
		{name: "udp", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_UDP}, off: eacces, inet: allow},
		{name: "mptcp", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}, off: eacces, inet: eacces},
		{name: "mptcp, high bits", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_STREAM, high | unix.IPPROTO_MPTCP}, off: eacces, inet: eacces},
		{name: "sctp", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_SEQPACKET, 132}, off: eacces, inet: eacces},
		{name: "ping", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_DGRAM, unix.IPPROTO_ICMP}, off: eacces, inet: eacces},
		{name: "raw", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_TCP}, off: eacces, inet: eacces},
		{name: "vsock", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_VSOCK, unix.SOCK_STREAM}, off: eacces, inet: eacces},
		{name: "alg", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_ALG, unix.SOCK_SEQPACKET}, off: eacces, inet: eacces},
		{name: "routes", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, off: eacces, inet: allow},
		{name: "audit", nr: unix.SYS_SOCKET, args: []uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_AUDIT}, off: eacces, inet: eacces},
		{name: "send", nr: unix.SYS_SENDTO, args: []uint64{3, 0, 0, unix.MSG_NOSIGNAL}, off: allow, inet: allow},
		{name: "send fast", nr: unix.SYS_SENDTO, args: []uint64{3, 0, 0, unix.MSG_NOSIGNAL | unix.MSG_FASTOPEN}, off: eperm, inet: eperm},
		{name: "sendmsg fast", nr: unix.SYS_SENDMSG, args: []uint64{3, 0, unix.MSG_FASTOPEN}, off: eperm, inet: eperm},
		{name: "sendmmsg fast", nr: unix.SYS_SENDMMSG, args: []uint64{3, 0, 1, unix.MSG_FASTOPEN}, off: eperm, inet: eperm},
		{name: "fast open by option", nr: unix.SYS_SETSOCKOPT, args: []uint64{3, unix.SOL_TCP, unix.TCP_FASTOPEN_CONNECT}, off: eperm, inet: eperm},
		{name: "no delay", nr: unix.SYS_SETSOCKOPT, args: []uint64{3, unix.SOL_TCP, unix.TCP_NODELAY}, off: allow, inet: allow},
		{name: "window size", nr: unix.SYS_IOCTL, args: []uint64{0, unix.TIOCGWINSZ}, off: allow, inet: allow},
		{name: "TIOCSTI, high bits", nr: unix.SYS_IOCTL, args: []uint64{0, high | unix.TIOCSTI}, off: eperm, inet: eperm},
		{name: "chmod 755", nr: unix.SYS_FCHMODAT, args: []uint64{0, 0, 0o755}, off: allow, inet: allow},
		{name: "chmod u+s", nr: unix.SYS_FCHMODAT, args: []uint64{0, 0, 0o4755}, off: eperm, inet: eperm},
		{name: "open to read, rubbish as mode", nr: unix.SYS_OPENAT, args: []uint64{0, 0, unix.O_RDONLY | unix.O_DIRECTORY, 0xffffffff}, off: allow, inet: allow},
		{name: "create 644", nr: unix.SYS_OPENAT, args: []uint64{0, 0, unix.O_CREAT | unix.O_WRONLY, 0o644}, off: allow, inet: allow},
		{name: "create 2755", nr: unix.SYS_OPENAT, args: []uint64{0, 0, unix.O_CREAT | unix.O_WRONLY, 0o2755}, off: eperm, inet: eperm},
		{name: "fifo", nr: unix.SYS_MKNODAT, args: []uint64{0, 0, unix.S_IFIFO | 0o600}, off: allow, inet: allow},
		{name: "device", nr: unix.SYS_MKNODAT, args: []uint64{0, 0, unix.S_IFBLK | 0o600}, off: eperm, inet: eperm},
		{name: "personality query", nr: unix.SYS_PERSONALITY, args: []uint64{0xffffffff}, off: allow, inet: allow},
		{name: "personality", nr: unix.SYS_PERSONALITY, args: []uint64{0x0040000 | 0x0400000}, off: eperm, inet: eperm},
		{name: "own limit", nr: unix.SYS_PRLIMIT64, args: []uint64{0, unix.RLIMIT_NOFILE}, off: allow, inet: allow},
		{name: "another's limit", nr: unix.SYS_PRLIMIT64, args: []uint64{4711, unix.RLIMIT_CPU, 1}, off: eperm, inet: eperm},
		{name: "own priority", nr: unix.SYS_SETPRIORITY, args: []uint64{unix.PRIO_PROCESS, 0, 5}, off: allow, inet: allow},
		{name: "everybody's priority", nr: unix.SYS_SETPRIORITY, args: []uint64{unix.PRIO_USER, 0, 5}, off: eperm, inet: eperm},
		{name: "lease", nr: unix.SYS_FCNTL, args: []uint64{3, unix.F_SETLEASE, unix.F_RDLCK}, off: eacces, inet: eacces},
		{name: "duplicate", nr: unix.SYS_FCNTL, args: []uint64{3, unix.F_DUPFD_CLOEXEC}, off: allow, inet: allow},
		{name: "file flags", nr: unix.SYS_IOCTL, args: []uint64{3, unix.FS_IOC_SETFLAGS}, off: eperm, inet: eperm},
		{name: "io_uring", nr: unix.SYS_IO_URING_SETUP, off: enosys, inet: enosys},
		{name: "ptrace", nr: unix.SYS_PTRACE, off: eperm, inet: eperm, debugAllow: true},
	} {
		d := data{nr: test.nr, arch: auditArch}
		copy(d.args[:], test.args)
		if test.otherArch {
			d.arch ^= 1
		}
		if got := simulate(filter(false, false), d); got != test.off {
			t.Errorf("%s: %#x, want %#x", test.name, got, test.off)
		}
		if got := simulate(filter(true, false), d); got != test.inet {
			t.Errorf("%s with sockets: %#x, want %#x", test.name, got, test.inet)
		}
		if got := simulate(filter(true, true), d); (got == allow) != (test.inet == allow || test.debugAllow) {
			t.Errorf("%s for debugging: %#x", test.name, got)
		}
	}
}

// decide reads the table as it is written: the first rule whose tests all hold.
func decide(rules []rule, d data) verdict {
	for _, r := range rules {
		holds := r.nr == d.nr
		for _, c := range r.tests {
			arg := uint32(d.args[c.arg])
			switch {
			case c.any:
				holds = holds && arg&c.value != 0
			case c.mask != 0:
				holds = holds && arg&c.mask == c.value
			default:
				holds = holds && arg == c.value
			}
		}
		if holds {
			return r.verdict
		}
	}
	return allow
}

var inetSockets = socketVerdicts{stream: allow, datagram: allow, local: errno(unix.EACCES), routes: allow}

// filter is the seccomp program of a child.
func filter(inet, debug bool) []insn {
	v := noSockets
	if inet {
		v = inetSockets
	}
	return compile(auditArch, firstForeign, rules(v, debug))
}

// The program says what the table says, for every call and for arguments at and around every value that the table tests.
func TestProgramReadsTheTable(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	off, asked := errno(unix.EACCES), ask
	for _, table := range [][]rule{rules(noSockets, false), rules(inetSockets, true), rules(socketVerdicts{asked, off, allow, allow}, false), append(rules(inetSockets, false), slices.Concat((&builder{level: Base}).metadataRules(), (&builder{level: Base}).schedulingRules())...), crowded(), nil} {
		program := compile(auditArch, firstForeign, table)
		values := []uint32{0, 1, ^uint32(0)}
		for _, r := range table {
			for _, c := range r.tests {
				values = append(values, c.value, c.value+1, c.value-1, c.value|c.mask, ^c.value)
			}
		}
		for nr := range uint32(1024) {
			for range rounds(200) {
				d := data{nr: nr, arch: auditArch}
				for i := range d.args {
					d.args[i] = uint64(random.Uint32())<<32 | uint64(values[random.IntN(len(values))])
				}
				if got, want := simulate(program, d), decide(table, d); got != want {
					t.Fatalf("%+v: %#x, the table says %#x", d, got, want)
				}
			}
		}
	}
}

// crowded is a table of which most is about one call.
func crowded() (table []rule) {
	for i := range uint32(300) {
		table = append(table, rule{1, []test{{arg: 0, value: i}, {arg: 1, value: i}}, errno(unix.EPERM)})
	}
	for nr := uint32(2); nr < 292; nr++ {
		table = append(table, rule{nr, nil, errno(unix.EACCES)})
	}
	return table
}

// Every rule is reached: an earlier one that always matches would make it dead.
func TestRulesReached(t *testing.T) {
	always := map[uint32]bool{}
	for _, table := range [][]rule{rules(noSockets, false), hosts(Base).table(), hosts(Strong).table()} {
		clear(always)
		for i, r := range table {
			if always[r.nr] {
				t.Errorf("rule %d (call %d) comes after one that always decides", i, r.nr)
			}
			always[r.nr] = len(r.tests) == 0
		}
	}
	if n := len(filter(true, false)); n > 4096 { // BPF_MAXINSNS
		t.Errorf("%d instructions", n)
	}
}

// hosts is who builds a fence that some hosts can be reached from.
func hosts(level Level) *builder {
	return &builder{level: level, profile: Profile{Network: Hosts}, giving: once{1<<40 | 5}}
}

// A packet's receiver is asked about wherever a call may name one, and the ways to connect while sending stay shut.
func TestSendRules(t *testing.T) {
	const high = 1 << 32
	for _, level := range []Level{Base, Strong} {
		program := compile(auditArch, firstForeign, hosts(level).table())
		for _, test := range []struct {
			name string
			nr   uint32
			args [6]uint64
			want verdict
		}{
			{"send", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, 0, 16}, allow},
			{"sendto", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, 4096, 16}, ask},
			{"sendto, an address above", unix.SYS_SENDTO, [6]uint64{3, 1, 1, 0, high, 16}, ask},
			{"send fast", unix.SYS_SENDTO, [6]uint64{3, 1, 1, unix.MSG_FASTOPEN, 0, 0}, errno(unix.EPERM)},
			{"sendto fast", unix.SYS_SENDTO, [6]uint64{3, 1, 1, unix.MSG_FASTOPEN, 4096, 16}, errno(unix.EPERM)},
			{"sendmsg", unix.SYS_SENDMSG, [6]uint64{3, 4096, unix.MSG_NOSIGNAL}, ask},
			{"sendmsg fast", unix.SYS_SENDMSG, [6]uint64{3, 4096, unix.MSG_FASTOPEN}, errno(unix.EPERM)},
			{"sendmsg with the number", unix.SYS_SENDMSG, [6]uint64{3, 4096, 0, 0, 0, 1<<40 | 5}, allow},
			{"sendmsg with half of it", unix.SYS_SENDMSG, [6]uint64{3, 4096, 0, 0, 0, 5}, ask},
			{"sendmmsg", unix.SYS_SENDMMSG, [6]uint64{3, 4096, 1, 0, 0, 1<<40 | 5}, ask},
			{"sendmmsg fast", unix.SYS_SENDMMSG, [6]uint64{3, 4096, 1, unix.MSG_FASTOPEN}, errno(unix.EPERM)},
		} {
			if got := simulate(program, data{nr: test.nr, arch: auditArch, args: test.args}); got != test.want {
				t.Errorf("%v, %s: %#x, want %#x", level, test.name, got, test.want)
			}
		}
	}
}

func TestForeignNumbers(t *testing.T) {
	for _, nr := range []uint32{0x40000000, 0x40000000 | unix.SYS_GETPID, 0xffffffff} {
		want := allow
		if firstForeign != 0 {
			want = killProcess
		}
		if got := simulate(filter(false, false), data{nr: nr, arch: auditArch}); got != want {
			t.Errorf("%#x: %#x", nr, got)
		}
	}
}

// Every version handles all that the one before did, and rights that mean nothing to it are never asked for.
func TestLandlockVersions(t *testing.T) {
	for v := 2; v < len(abis); v++ {
		if a, b := abis[v-1], abis[v]; a.fs&^b.fs != 0 || a.net&^b.net != 0 || a.scoped&^b.scoped != 0 {
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
		{landlock{7, 7}, []Protection{Namespaces, Processes, IPC, SharedMem}},
		{landlock{6, 0}, []Protection{Namespaces, Processes, Signals, Tree, IPC, SharedMem}},
		{landlock{2, 0}, []Protection{Namespaces, Processes, Signals, Tree, Truncation, DeviceCtl, IPC, SharedMem}},
	} {
		p := Default(t.TempDir(), "")
		b := &builder{profile: p, command: Command{Path: "/bin/bash", Argv: []string{"bash", "-c", "sleep 100 & exit 5"}}, landlock: test.l, level: Base}
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
