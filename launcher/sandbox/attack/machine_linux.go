//go:build amd64 || arm64

package attack

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
)

// machine are attacks by which root runs code outside, or reads all there is, without a look at any
// file's own rules.
var machine = []Attack{
	{Name: "the program that takes core dumps", Root: true,
		try: func(World) error { return opened("/proc/sys/kernel/core_pattern") }},
	{Name: "the program that loads modules", Root: true,
		try: func(World) error { return opened("/proc/sys/kernel/modprobe") }},
	{Name: "keys that restart the machine", Root: true,
		try: func(World) error { return opened("/proc/sysrq-trigger") }},
	{Name: "settings of the machine's network", Root: true,
		try: func(World) error { return opened("/proc/sys/net/ipv4/ip_forward") }},
	{Name: "the log of the kernel", Root: true,
		try: func(World) error { return opened("/dev/kmsg") }},
	{Name: "the disk below the files", Root: true, try: func(World) error {
		name, err := rootDisk()
		if err != nil {
			return err
		}
		return unixOpen(name, unix.O_RDONLY, 0)
	}},
	{Name: "the disk below the files, by an own device", Root: true, try: func(w World) error {
		var st unix.Stat_t
		if err := unix.Stat("/", &st); err != nil {
			return err
		}
		name := w.Workspace + "/disk"
		if err := unix.Mknod(name, unix.S_IFBLK|0o600, int(st.Dev)); err != nil {
			return err
		}
		return unixOpen(name, unix.O_RDONLY, 0)
	}},
	{Name: "a device that is in the workspace", Root: true, Lost: sandbox.Devices,
		try: func(w World) error {
			return unixOpen(w.node(), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
		}},
	{Name: "write to a device that is in the workspace", Root: true, try: func(w World) error {
		return unixOpen(w.node(), unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	}},
	{Name: "a file system in a process", Root: true,
		try: func(World) error { return unixOpen("/dev/fuse", unix.O_RDWR, 0) }},
	{Name: "a network card in a process", Root: true,
		try: func(World) error { return unixOpen("/dev/net/tun", unix.O_RDWR, 0) }},
	{Name: "a virtual machine", Root: true,
		try: func(World) error { return unixOpen("/dev/kvm", unix.O_RDWR, 0) }},
	{Name: "faults by a device", Root: true,
		try: func(World) error { return unixOpen("/dev/userfaultfd", unix.O_RDWR, 0) }},
	{Name: "leave the control group", Root: true, try: func(World) error {
		name, err := controlGroup()
		if err != nil {
			return err
		}
		return opened(name + "/cgroup.procs")
	}},
	{Name: "take a capability back", Root: true, try: func(World) error {
		header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var sets [2]unix.CapUserData
		sets[0].Permitted, sets[0].Effective = 1<<unix.CAP_SYS_ADMIN, 1<<unix.CAP_SYS_ADMIN
		return unix.Capset(&header, &sets[0])
	}},
	{Name: "become another user", Root: true,
		try: func(World) error { return call(unix.SYS_SETUID, 12345) }},
	{Name: "join another group", Root: true, try: func(World) error {
		group := uint32(12345)
		return call(unix.SYS_SETGROUPS, 1, uintptr(unsafe.Pointer(&group)))
	}},
	{Name: "name the machine", Root: true, try: func(World) error {
		name, err := os.Hostname()
		if err != nil {
			return err
		}
		return unix.Sethostname([]byte(name))
	}},
	{Name: "write out all quotas", Root: true, try: func(World) error {
		return call(unix.SYS_QUOTACTL, 0x800001<<8, 0, 0, 0) // Q_SYNC
	}},
	{Name: "repair a connection", Root: true, try: func(World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.SetsockoptInt(fd, unix.SOL_TCP, unix.TCP_REPAIR, 1)
	}},
	{Name: "mark packets", Root: true, try: func(World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_MARK, 1)
	}},
	{Name: "serve at an address of another machine", Root: true, try: func(World) error {
		fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		return unix.SetsockoptInt(fd, unix.SOL_IP, unix.IP_TRANSPARENT, 1)
	}},
}

// opened reports whether a file of the kernel can be opened for writing; nothing is written.
func opened(name string) error { return unixOpen(name, unix.O_WRONLY|unix.O_CLOEXEC, 0) }

// mounted returns what is mounted at a name, or with a type, as /proc/self/mounts tells it.
func mounted(at, kind string) (device, name string, err error) {
	text, err := os.ReadFile("/proc/self/mounts")
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) > 2 && (f[1] == at || f[2] == kind) {
			return f[0], f[1], nil
		}
	}
	if err == nil {
		err = unix.ENOENT
	}
	return "", "", err
}

func rootDisk() (string, error) {
	device, _, err := mounted("/", "")
	return device, err
}

func controlGroup() (string, error) {
	_, name, err := mounted("", "cgroup2")
	return name, err
}
