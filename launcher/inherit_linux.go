package launcher

import (
	"fmt"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

// A shell passes its descriptors on, and programs rely on it: the jobserver of make, a list that a
// script reads from descriptor 3. But a descriptor is a way past every rule about names, so what it
// leads to decides.

// Inherited returns the descriptors above 2 that this process was started with. Descriptors that it
// opens itself are closed by an exec, which distinguishes them; call it before that flag is changed
// on any of them.
func Inherited() []int {
	dir, err := unix.Open("/proc/self/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(dir)
	var list []int
	buffer := make([]byte, 4<<10)
	for {
		n, err := unix.Getdents(dir, buffer)
		if n <= 0 || err != nil {
			slices.Sort(list)
			return list
		}
		_, _, names := unix.ParseDirent(buffer[:n], -1, nil)
		for _, name := range names {
			fd, err := strconv.Atoi(name)
			if err != nil || fd <= 2 {
				continue
			}
			if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil &&
				flags&unix.FD_CLOEXEC == 0 {
				list = append(list, fd)
			}
		}
	}
}

// handDown splits the caller's descriptors into those that the command gets under the same number
// and those that it does not, with the reason.
func handDown(fds []int, p sandbox.Profile, ground string) (passed []int, withheld []string) {
	for _, fd := range fds {
		why := "it is above " + strconv.Itoa(maxInherited)
		if fd <= maxInherited {
			why = objection(fd, p, ground)
		}
		if why == "" {
			passed = append(passed, fd)
		} else {
			withheld = append(withheld, fmt.Sprintf("%d: %s", fd, why))
		}
	}
	return passed, withheld
}

// harmlessDevices are the devices that lead nowhere: null, zero, full, random, urandom.
var harmlessDevices = []uint32{3, 5, 7, 8, 9}

// objection is the reason why a descriptor is not passed on, "" if it is. A pipe leads to the
// process that made it, and a file without a name is the caller's own; a file with a name must be
// within reach of the command by that name, in the mode in which it is open.
func objection(fd int, p sandbox.Profile, ground string) string {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err.Error()
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO, unix.S_IFREG:
		if st.Nlink == 0 {
			return ""
		}
	case unix.S_IFCHR:
		if unix.Major(st.Rdev) == 1 && slices.Contains(harmlessDevices, unix.Minor(st.Rdev)) {
			return ""
		}
		return "it is a device"
	case unix.S_IFDIR:
		return "it is a directory"
	case unix.S_IFSOCK:
		return "it is a socket"
	default:
		return "it is neither a file nor a pipe"
	}
	name, err := nameOf(fd)
	if err != nil {
		return err.Error()
	}
	if st.Mode&unix.S_IFMT == unix.S_IFIFO && name[0] != '/' {
		return "" // it has no name
	}
	if pathname.WithinAny(name, p.Hide) {
		return fmt.Sprintf("%q is hidden from the command", name)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	switch {
	case err != nil:
		return err.Error()
	case flags&unix.O_PATH != 0:
		return "it is an O_PATH descriptor"
	case flags&unix.O_ACCMODE == unix.O_RDONLY && isKept(p, name):
		return fmt.Sprintf("%q is protected, and its descriptor could be reopened for writing",
			name)
	case flags&unix.O_ACCMODE == unix.O_RDONLY, writesTo(p, name, ground):
		return ""
	}
	return fmt.Sprintf("it is open for writing, and the command line does not write %q", name)
}

// writesTo reports whether the sandbox lets the command write to name. In shared directories only
// the workspace has to be named.
func writesTo(p sandbox.Profile, name, ground string) bool {
	return !pathname.WithinAny(name, p.ReadOnly) &&
		(p.View != nil && !pathname.Within(name, ground) &&
			pathname.WithinAny(name, p.View.Dirs) ||
			pathname.WithinAny(name, names(p.Write)))
}
