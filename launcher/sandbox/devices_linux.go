//go:build amd64 || arm64

package sandbox

import (
	"os"

	"golang.org/x/sys/unix"
)

// memoryDevices are those of all programs, at their minor numbers (major 1).
var memoryDevices = [...]string{
	3: "/dev/null", 5: "/dev/zero", 7: "/dev/full", 8: "/dev/random", 9: "/dev/urandom",
}

// reopenDevices opens the run's own ones of the devices that it inherits: numbers are what it gets
// as 0, 1 and so on, -1 for none. A descriptor from outside leads to a mount that is not read-only,
// so root could change the mode of the machine's /dev/null by its standard input.
func (b *builder) reopenDevices(l *steps, numbers []int) {
	for i, fd := range numbers {
		b.reopenDevice(l, fd, i)
	}
	for _, fd := range b.command.Inherit {
		b.reopenDevice(l, fd, fd)
	}
}

// reopenDevice has what is open as fd opened again as number, if it is a device of this user's:
// nobody else may change its metadata.
func (b *builder) reopenDevice(l *steps, fd, number int) {
	var is, named unix.Stat_t
	if fd < 0 || unix.Fstat(fd, &is) != nil || !isDevice(&is) || int(is.Uid) != os.Geteuid() ||
		unix.Major(is.Rdev) != 1 || int(unix.Minor(is.Rdev)) >= len(memoryDevices) {
		return
	}
	name := memoryDevices[unix.Minor(is.Rdev)]
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if name == "" || err != nil || unix.Stat(name, &named) != nil || named.Rdev != is.Rdev {
		return
	}
	flags &= unix.O_ACCMODE | unix.O_APPEND | unix.O_NONBLOCK
	l.add("open "+name, unix.SYS_OPENAT, atCwd, b.setup.arena.text(name),
		uintptr(flags|unix.O_CLOEXEC|unix.O_NOCTTY)).kept(registerCount - 1)
	l.add("place descriptors", unix.SYS_DUP3, 0, uintptr(number), 0).with(registerCount-1, 0)
}

func isDevice(st *unix.Stat_t) bool {
	kind := st.Mode & unix.S_IFMT
	return kind == unix.S_IFCHR || kind == unix.S_IFBLK
}
