package launcher

import (
	"errors"
	"fmt"
	"io"
	"os"
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
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
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

// handIn replaces a standard input that is a way around what is mounted over names: through a
// directory, or by a descriptor's own name in /proc, a file can be opened as it is outside the
// sandbox. Where the sandbox makes everything around the file writable, only that mount protects
// it. The caller meant the file to be read, so its content comes through a pipe.
func handIn(in *os.File, p sandbox.Profile) (instead *os.File, withheld string, err error) {
	if in == nil {
		return nil, "", nil
	}
	fd := int(in.Fd())
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, "", nil // closed
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return nil, "", err
	}
	kind := st.Mode & unix.S_IFMT
	switch name, _ := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd)); {
	case kind == unix.S_IFDIR:
		withheld = "0: it is a directory"
	case flags&unix.O_PATH != 0:
		withheld = "0: it is an O_PATH descriptor"
	case kind == unix.S_IFREG && isKept(p, name):
		instead, err = piped(fd)
		return instead, "", err
	default:
		return nil, "", nil
	}
	instead, err = os.Open(os.DevNull)
	return instead, withheld, err
}

// piped returns a pipe that what is left of a file comes out of.
func piped(fd int) (*os.File, error) {
	// the caller's becomes another file when the command has started
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	from := os.NewFile(uintptr(own), "standard input")
	out, in, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, from.Close())
	}
	go func() {
		_, _ = io.Copy(in, from) // it ends when the pipe has no reader
		_, _ = in.Close(), from.Close()
	}()
	return out, nil
}

// isKept reports whether the sandbox protects a file by a mount alone: the file may not be changed,
// or not be seen, and is where the command writes.
func isKept(p sandbox.Profile, name string) bool {
	return (pathname.WithinAny(name, p.ReadOnly) || pathname.WithinAny(name, p.Hide)) &&
		pathname.WithinAny(name, names(p.Write))
}

// writesTo reports whether the sandbox lets the command write to name. In shared directories only
// the workspace has to be named.
func writesTo(p sandbox.Profile, name, ground string) bool {
	return !pathname.WithinAny(name, p.ReadOnly) &&
		(p.View != nil && !pathname.Within(name, ground) &&
			pathname.WithinAny(name, p.View.Dirs) ||
			pathname.WithinAny(name, names(p.Write)))
}
