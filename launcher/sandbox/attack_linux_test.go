package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The test binary plays every part: called under one of these names it is not a test at all.
func TestMain(m *testing.M) {
	if part, ok := parts[os.Args[0]]; ok {
		part(os.Args[1:])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var parts map[string]func([]string)

func init() {
	parts = map[string]func([]string){
		"attacker": func(args []string) { attackerMain(args[0]) },
		"decoy":    func([]string) { io.Copy(io.Discard, os.Stdin) },
		"launcher": func(args []string) { launcherMain(args) },
		"hog":      hogMain,
		"nested":   func([]string) { nestedMain() },
		"survivor": func(args []string) { survivorMain(args) },
	}
}

// A world is what attacks aim at. It travels in the environment.
type world struct {
	Workspace, Outside, Secret, Hidden, Kept string
	TCP, UDP, Unix, Datagram, Abstract       string
	Launcher, Decoy                          int
}

func (w world) env() []string {
	return []string{
		"PATH=/usr/bin:/bin", "WORKSPACE=" + w.Workspace, "OUTSIDE=" + w.Outside, "SECRET=" + w.Secret, "HIDDEN=" + w.Hidden, "KEPT=" + w.Kept,
		"TCP=" + w.TCP, "UDP=" + w.UDP, "UNIX=" + w.Unix, "DATAGRAM=" + w.Datagram, "ABSTRACT=" + w.Abstract,
		fmt.Sprintf("LAUNCHER=%d", w.Launcher), fmt.Sprintf("DECOY=%d", w.Decoy),
		fmt.Sprintf("BIRTH%d=%s", w.Launcher, birth(w.Launcher)), fmt.Sprintf("BIRTH%d=%s", w.Decoy, birth(w.Decoy)),
	}
}

// birth returns when a process began: with the number, it tells who it is.
func birth(pid int) string {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(stat), ") ")
	if f := strings.Fields(rest); len(f) > 19 {
		return f[19]
	}
	return "never"
}

func worldFromEnv() world {
	number := func(name string) int { n, _ := strconv.Atoi(os.Getenv(name)); return n }
	return world{
		Workspace: os.Getenv("WORKSPACE"), Outside: os.Getenv("OUTSIDE"), Secret: os.Getenv("SECRET"), Hidden: os.Getenv("HIDDEN"), Kept: os.Getenv("KEPT"),
		TCP: os.Getenv("TCP"), UDP: os.Getenv("UDP"), Unix: os.Getenv("UNIX"), Datagram: os.Getenv("DATAGRAM"), Abstract: os.Getenv("ABSTRACT"),
		Launcher: number("LAUNCHER"), Decoy: number("DECOY"),
	}
}

// attackerMain exits with 0 when the attack worked and with 1 when it was refused.
func attackerMain(name string) {
	runtime.LockOSThread()
	for _, a := range attacks() {
		if a.name == name {
			w := worldFromEnv()
			// In a pid namespace of its own the number may be somebody else's.
			for _, p := range []*int{&w.Launcher, &w.Decoy} {
				if birth(*p) != os.Getenv("BIRTH"+strconv.Itoa(*p)) {
					*p = 1 << 30
				}
			}
			if err := a.try(w); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			os.Exit(0)
		}
	}
	fmt.Fprintln(os.Stderr, "no such attack")
	os.Exit(2)
}

// An attack is tried without a fence first, where it must work, and then at every level, where it must not.
type attack struct {
	name string
	try  func(w world) error
	root bool       // works only for root, even without a fence
	lost Protection // the protection that Base does not give: there it works, and the receipt says so
}

func attacks() []attack {
	return append([]attack{
		// Files.
		{name: "read outside", try: func(w world) error { return read(w.Outside + "/file") }},
		{name: "read hidden file", try: func(w world) error { return read(w.Secret) }},
		{name: "read file in hidden folder", try: func(w world) error { return read(w.Hidden + "/key") }},
		{name: "list hidden folder", lost: HiddenList, try: func(w world) error { _, err := os.ReadDir(w.Hidden); return err }},
		{name: "write outside", try: func(w world) error { return os.WriteFile(w.Outside+"/file", []byte("x"), 0o600) }},
		{name: "create outside", try: func(w world) error { return os.WriteFile(w.Outside+"/new", []byte("x"), 0o600) }},
		{name: "truncate outside", try: func(w world) error { return os.Truncate(w.Outside+"/file", 0) }},
		{name: "delete outside", try: func(w world) error { return os.Remove(w.Outside + "/spare") }},
		{name: "rename outside", try: func(w world) error { return os.Rename(w.Outside+"/file", w.Outside+"/moved") }},
		{name: "hard link in", try: func(w world) error { return os.Link(w.Outside+"/file", w.Workspace+"/in") }},
		{name: "hard link out", try: func(w world) error { return os.Link(w.Workspace+"/own", w.Outside+"/out") }},
		{name: "move out", try: func(w world) error { return os.Rename(w.Workspace+"/own", w.Outside+"/out") }},
		{name: "exchange in and out", try: func(w world) error {
			return unix.Renameat2(unix.AT_FDCWD, w.Workspace+"/own", unix.AT_FDCWD, w.Outside+"/file", unix.RENAME_EXCHANGE)
		}},
		{name: "symlink to secret", try: func(w world) error {
			os.Symlink(w.Secret, w.Workspace+"/link")
			return read(w.Workspace + "/link")
		}},
		{name: "symlink swap", try: swapRace},
		{name: "reopen O_PATH", try: func(w world) error {
			fd, err := unix.Open(w.Secret, unix.O_PATH, 0)
			if err != nil {
				return err
			}
			return read(fmt.Sprintf("/proc/self/fd/%d", fd))
		}},
		{name: "unix socket file outside", try: func(w world) error { return unix.Mknod(w.Outside+"/sock", unix.S_IFSOCK|0o600, 0) }},

		// What Landlock does not see.
		{name: "chmod outside", lost: Metadata, try: func(w world) error { return os.Chmod(w.Outside+"/file", 0o644) }},
		{name: "chown outside", lost: Metadata, try: func(w world) error { return os.Chown(w.Outside+"/file", os.Getuid(), os.Getgid()) }},
		{name: "utime outside", lost: Metadata, try: func(w world) error { return os.Chtimes(w.Outside+"/file", time.Unix(1, 0), time.Unix(1, 0)) }},
		{name: "xattr outside", lost: Metadata, try: func(w world) error { return unix.Setxattr(w.Outside+"/file", "user.x", []byte("x"), 0) }},
		{name: "change kept file", lost: Keeping, try: func(w world) error { return os.WriteFile(w.Kept, []byte("x"), 0o600) }},
		{name: "move folder of kept file", lost: Keeping, try: func(w world) error {
			return os.Rename(filepath.Dir(w.Kept), filepath.Dir(w.Kept)+".old")
		}},

		// Set-uid files.
		{name: "chmod set-uid", try: func(w world) error { return unix.Chmod(w.Workspace+"/own", 0o4755) }},
		{name: "chmod set-gid", try: func(w world) error { return unix.Chmod(w.Workspace+"/own", 0o2755) }},
		{name: "fchmodat2 set-uid", try: func(w world) error {
			p, _ := unix.BytePtrFromString(w.Workspace + "/own")
			return call(unix.SYS_FCHMODAT2, ^uintptr(99), uintptr(unsafe.Pointer(p)), 0o4755, 0)
		}},
		{name: "create set-uid", try: func(w world) error { return unixOpen(w.Workspace+"/suid", unix.O_CREAT|unix.O_WRONLY, 0o4755) }},
		{name: "create set-uid O_TMPFILE", try: func(w world) error { return unixOpen(w.Workspace, unix.O_TMPFILE|unix.O_WRONLY, 0o4755) }},
		{name: "create set-uid openat2", try: func(w world) error {
			_, err := unix.Openat2(unix.AT_FDCWD, w.Workspace+"/suid2", &unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY, Mode: 0o4755})
			return err
		}},
		{name: "mknod set-uid", try: func(w world) error { return unix.Mknod(w.Workspace+"/suid3", unix.S_IFREG|0o4755, 0) }},
		{name: "mknod device", root: true, try: func(w world) error { return unix.Mknod(w.Workspace+"/mem", unix.S_IFCHR|0o600, 1<<8|1) }},

		// Sockets.
		{name: "tcp connect", try: func(w world) error { return echo("tcp", w.TCP) }},
		{name: "udp", try: func(w world) error { return echo("udp", w.UDP) }},
		{name: "tcp fast open", try: fastOpen},
		{name: "mptcp", try: func(w world) error { return connectTCP(w, unix.AF_INET, unix.IPPROTO_MPTCP) }},
		{name: "unix path socket", try: func(w world) error { return echo("unix", w.Unix) }},
		{name: "unix abstract socket", try: func(w world) error { return echo("unix", "@"+w.Abstract) }},
		{name: "unix socket, high bits", try: func(w world) error { return call(unix.SYS_SOCKET, 1<<32|unix.AF_UNIX, unix.SOCK_STREAM, 0) }},
		{name: "datagram pair to path", try: func(w world) error {
			p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
			if err != nil {
				return err
			}
			return unix.Connect(p[0], &unix.SockaddrUnix{Name: w.Datagram})
		}},
		{name: "raw socket", root: true, try: func(world) error { return call(unix.SYS_SOCKET, unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) }},
		{name: "packet socket", root: true, try: func(world) error { return call(unix.SYS_SOCKET, unix.AF_PACKET, unix.SOCK_RAW, 0x300) }},
		{name: "vsock", try: func(world) error { return call(unix.SYS_SOCKET, unix.AF_VSOCK, unix.SOCK_STREAM, 0) }},
		{name: "netlink uevent", try: func(world) error {
			return call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_KOBJECT_UEVENT)
		}},
		{name: "netlink generic", try: func(world) error { return call(unix.SYS_SOCKET, unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_GENERIC) }},
		{name: "io_uring", try: func(world) error {
			var params [120]byte
			return call(unix.SYS_IO_URING_SETUP, 4, uintptr(unsafe.Pointer(&params)))
		}},

		// Other processes.
		{name: "signal launcher", try: func(w world) error { return unix.Kill(w.Launcher, 0) }},
		{name: "signal launcher by pidfd", try: func(w world) error {
			fd, err := unix.PidfdOpen(w.Launcher, 0)
			if err != nil {
				return err
			}
			return unix.PidfdSendSignal(fd, 0, nil, 0)
		}},
		{name: "signal guard", try: func(w world) error { return unix.Kill(guardOf(w), 0) }},
		{name: "ptrace", try: func(w world) error {
			const seize = 0x4206
			return call(unix.SYS_PTRACE, seize, uintptr(w.Decoy), 0, 0)
		}},
		{name: "read memory of", try: func(w world) error {
			var b [1]byte
			local, remote := []unix.Iovec{{Base: &b[0], Len: 1}}, []unix.RemoteIovec{{Base: textOf(w.Decoy), Len: 1}}
			_, err := unix.ProcessVMReadv(w.Decoy, local, remote, 0)
			return err
		}},
		{name: "steal descriptor", try: func(w world) error {
			fd, err := unix.PidfdOpen(w.Decoy, 0)
			if err != nil {
				return err
			}
			_, err = unix.PidfdGetfd(fd, 0, 0)
			return err
		}},
		{name: "/proc/launcher/environ", try: func(w world) error { return read(fmt.Sprintf("/proc/%d/environ", w.Launcher)) }},
		{name: "/proc/launcher/maps", try: func(w world) error { return read(fmt.Sprintf("/proc/%d/maps", w.Launcher)) }},
		{name: "/proc/launcher/mem", try: func(w world) error { return unixOpen(fmt.Sprintf("/proc/%d/mem", w.Launcher), unix.O_RDONLY, 0) }},
		{name: "/proc/decoy/fd/1", try: func(w world) error { // /dev/null, which may be opened by its own name
			return unixOpen(fmt.Sprintf("/proc/%d/fd/1", w.Decoy), unix.O_WRONLY, 0)
		}},
		{name: "/proc/launcher/root", try: func(w world) error { return read(fmt.Sprintf("/proc/%d/root%s", w.Launcher, w.Secret)) }},
		{name: "/proc/launcher/cwd", try: func(w world) error { _, err := os.Readlink(fmt.Sprintf("/proc/%d/cwd", w.Launcher)); return err }},
		{name: "/proc/guard/environ", try: func(w world) error { return read(fmt.Sprintf("/proc/%d/environ", guardOf(w))) }},
		{name: "/proc/launcher/cmdline", lost: Processes, try: func(w world) error { return read(fmt.Sprintf("/proc/%d/cmdline", w.Launcher)) }},
		{name: "launcher's descriptors", try: func(world) error {
			for fd := 3; fd < 256; fd++ {
				var st unix.Stat_t
				if unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size == leakSize {
					return nil
				}
			}
			return errors.New("no descriptor of the launcher's")
		}},

		// Namespaces and mounts. Ordinary users reach them by a user namespace.
		{name: "unshare user", try: func(world) error { return inFork(unix.CLONE_NEWUSER) }},
		{name: "clone3 user", try: func(world) error {
			args := [8]uint64{0: unix.CLONE_NEWUSER, 4: uint64(unix.SIGCHLD)}
			return forked(syscall.RawSyscall(unix.SYS_CLONE3, uintptr(unsafe.Pointer(&args)), 64, 0))
		}},
		{name: "mount", root: true, try: func(w world) error { return unix.Mount("none", w.Workspace, "tmpfs", 0, "") }},
		{name: "umount", root: true, try: func(world) error {
			if err := unix.Unmount("/proc", unix.MNT_DETACH); err != nil {
				return err
			}
			return unix.Mount("proc", "/proc", "proc", 0, "")
		}},
		{name: "open_tree", root: true, try: func(world) error {
			_, err := unix.OpenTree(unix.AT_FDCWD, "/", unix.OPEN_TREE_CLONE)
			return err
		}},
		{name: "setns", root: true, try: func(world) error {
			fd, err := unix.Open("/proc/self/ns/net", unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			return unix.Setns(fd, unix.CLONE_NEWNET)
		}},
		{name: "chroot", root: true, try: func(world) error { return unix.Chroot("/") }},

		// The kernel's back rooms.
		{name: "keyctl", try: func(world) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err }},
		{name: "bpf", root: true, try: func(world) error {
			attr := [4]uint32{2, 4, 4, 1} // an array map
			return call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), 16)
		}},
		{name: "userfaultfd", try: func(world) error { return call(unix.SYS_USERFAULTFD, 1) }},
		{name: "personality", try: func(world) error { return call(unix.SYS_PERSONALITY, 0x0400000) }}, // READ_IMPLIES_EXEC
		{name: "syslog", root: true, try: func(world) error { return call(unix.SYS_SYSLOG, 10, 0, 0) }},
		{name: "open by handle", root: true, try: func(w world) error {
			handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, w.Secret, 0)
			if err != nil {
				return err
			}
			_ = mount
			dir, err := unix.Open(w.Workspace, unix.O_RDONLY, 0)
			if err != nil {
				return err
			}
			_, err = unix.OpenByHandleAt(dir, handle, unix.O_RDONLY)
			return err
		}},
		{name: "perf event", root: true, try: func(world) error {
			_, err := unix.PerfEventOpen(&unix.PerfEventAttr{Type: unix.PERF_TYPE_SOFTWARE, Size: 112}, 0, -1, -1, 0)
			return err
		}},

		// The terminal.
		{name: "TIOCSTI", try: func(world) error {
			c := byte('x')
			return call(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
		}},
		{name: "TIOCSTI, high bits", try: func(world) error {
			c := byte('x')
			return call(unix.SYS_IOCTL, 0, 1<<32|unix.TIOCSTI, uintptr(unsafe.Pointer(&c)))
		}},
		{name: "TIOCLINUX", try: func(world) error {
			c := byte(3)
			err := call(unix.SYS_IOCTL, 0, 0x541c, uintptr(unsafe.Pointer(&c)))
			if err == unix.EINVAL || err == unix.ENOTTY {
				return nil // a pty has no such thing, and the call got as far as the pty
			}
			return err
		}},

		// Programs that are no files.
		{name: "execute from memory", try: fromMemory},
	}, archAttacks...)
}

func call(nr uintptr, args ...uintptr) error {
	var a [6]uintptr
	copy(a[:], args)
	_, _, errno := syscall.RawSyscall6(nr, a[0], a[1], a[2], a[3], a[4], a[5])
	if errno != 0 {
		return errno
	}
	return nil
}

func read(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	n, err := f.Read(make([]byte, 16))
	if n > 0 {
		return nil
	}
	return fmt.Errorf("read %q: nothing: %v", name, err)
}

func unixOpen(name string, flags int, mode uint32) error {
	fd, err := unix.Open(name, flags, mode)
	if err == nil {
		unix.Close(fd)
	}
	return err
}

func echo(network, address string) error {
	c, err := net.DialTimeout(network, address, 2*time.Second)
	if err != nil {
		return err
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(2 * time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err = c.Read(make([]byte, 1))
	return err
}

func sockaddr(address string) *unix.RawSockaddrInet4 {
	tcp, _ := net.ResolveTCPAddr("tcp4", address)
	sa := &unix.RawSockaddrInet4{Family: unix.AF_INET, Port: uint16(tcp.Port>>8 | tcp.Port&0xff<<8)}
	copy(sa.Addr[:], tcp.IP.To4())
	return sa
}

func fastOpen(w world) error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	b := [1]byte{'x'}
	if err := call(unix.SYS_SENDTO, uintptr(fd), uintptr(unsafe.Pointer(&b)), 1, unix.MSG_FASTOPEN, uintptr(unsafe.Pointer(sockaddr(w.TCP))), 16); err != nil {
		return err
	}
	_, err = unix.Read(fd, b[:])
	return err
}

func connectTCP(w world, family, protocol int) error {
	fd, err := unix.Socket(family, unix.SOCK_STREAM, protocol)
	if err != nil {
		return err
	}
	return call(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(sockaddr(w.TCP))), 16)
}

// inFork tries unshare in a process of its own: threads cannot.
func inFork(flags uintptr) error {
	return forked(syscall.RawSyscall(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0))
}

//go:nosplit
func forked(pid, _ uintptr, errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	if pid == 0 {
		exit()
	}
	return nil
}

// swapRace opens a name that another thread turns from an own file to a link to the secret and back.
func swapRace(w world) error {
	name, own, link := w.Workspace+"/swap", w.Workspace+"/own", w.Workspace+"/swap.link"
	os.Symlink(own, name)
	go func() {
		for i := 0; ; i++ {
			os.Remove(link)
			os.Symlink([]string{own, w.Secret}[i%2], link)
			os.Rename(link, name)
		}
	}()
	err := errors.New("the secret was never read")
	for range 20000 {
		text, e := os.ReadFile(name)
		if e == nil && strings.HasPrefix(string(text), "secret") {
			return nil
		}
	}
	return err
}

// textOf returns an address that is mapped in pid; anything else will do when it cannot be told.
func textOf(pid int) uintptr {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	address, _, _ := strings.Cut(string(text), "-")
	n, _ := strconv.ParseUint(address, 16, 64)
	return uintptr(n)
}

// guardOf returns the process that watches over the attacker; without a fence, the launcher plays it. At Base it is the process that was
// forked just before the attacker; at Strong it is process 1.
func guardOf(w world) int {
	if os.Getenv("FENCE") == "strong" {
		return 1
	}
	if os.Getenv("FENCE") == "base" {
		for pid := os.Getpid() - 1; pid > os.Getpid()-200 && pid > 1; pid-- {
			status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
			if err == nil && strings.Contains(string(status), fmt.Sprintf("PPid:\t%d\n", w.Launcher)) && strings.Contains(string(status), "NoNewPrivs:\t1") {
				return pid
			}
		}
		os.Exit(0) // not found: fail the test
	}
	return w.Launcher
}

// fromMemory runs a copy of this program that is in no file system, and has it read the secret.
func fromMemory(w world) error {
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	fd, err := unix.MemfdCreate("x", 0)
	if err != nil {
		return err
	}
	f := os.NewFile(uintptr(fd), "x")
	if _, err := f.Write(self); err != nil {
		return err
	}
	cmd := exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd))
	cmd.Args = []string{"attacker", "read hidden file"}
	cmd.ExtraFiles = []*os.File{}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%v: %s", err, out)
	}
	return nil
}

const leakSize = 7919 // the size of a file that the launcher has open, to know it by
