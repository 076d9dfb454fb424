//go:build linux || darwin

package session

import (
	"os"

	"golang.org/x/sys/unix"
)

// inspect learns what the caller's descriptors are.
func inspect(caller Stdio) facts {
	var f facts
	var stats [3]unix.Stat_t
	for fd, file := range caller.files() {
		f.kinds[fd] = kindOf(file, &stats[fd])
		f.terminal[fd] = int(stats[fd].Rdev)
	}
	if f.kinds[1] != closed && f.kinds[2] != closed {
		f.sameOut = sameOutput(int(caller.Out.Fd()), int(caller.Err.Fd()), &stats[1], &stats[2])
	}
	return f
}

func kindOf(file *os.File, st *unix.Stat_t) kind {
	if file == nil {
		return closed
	}
	fd := int(file.Fd())
	if unix.Fstat(fd, st) != nil {
		return closed
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return pipe
	case unix.S_IFSOCK:
		return socket
	case unix.S_IFREG:
		return regular
	case unix.S_IFCHR:
		if st.Rdev == nullDevice {
			return null
		}
		if _, err := unix.IoctlGetTermios(fd, getTermios); err == nil {
			return terminal
		}
	}
	return other
}

// sameOutput reports whether bytes written to a and b arrive in one place in the order of the
// writes, so that one pipe can replace both. Then the order is kept exactly; with two pipes it
// would be a guess.
//
// Pipes, sockets and devices have no position: the same inode is enough. Two separate opens
// of a regular file each write at their own position and must stay apart, unless both
// append. Where the kernel does not tell (Docker's default seccomp profile refuses kcmp(2), macOS
// has none), two descriptors of one file with equal flags and an equal position are taken for one
// open file: separate opens without O_APPEND agree in that only while nothing was written, and then
// they would overwrite each other.
func sameOutput(a, b int, sa, sb *unix.Stat_t) bool {
	if sa.Dev != sb.Dev || sa.Ino != sb.Ino || sa.Rdev != sb.Rdev {
		return false
	}
	if sa.Mode&unix.S_IFMT != unix.S_IFREG {
		return true
	}
	flagsA, errA := unix.FcntlInt(uintptr(a), unix.F_GETFL, 0)
	flagsB, errB := unix.FcntlInt(uintptr(b), unix.F_GETFL, 0)
	if errA != nil || errB != nil || flagsA != flagsB {
		return false
	}
	if flagsA&unix.O_APPEND != 0 {
		return true
	}
	if same, known := oneOpenFile(a, b); known {
		return same
	}
	atA, errA := unix.Seek(a, 0, unix.SEEK_CUR)
	atB, errB := unix.Seek(b, 0, unix.SEEK_CUR)
	return errA == nil && errB == nil && atA == atB
}

// opened reports whether file may be used in a direction, O_RDONLY or O_WRONLY. A shell opens a
// terminal for both and passes it on as input, output and error alike, but "> /dev/tty" can only be
// written.
func opened(file *os.File, direction int) bool {
	flags, err := unix.FcntlInt(file.Fd(), unix.F_GETFL, 0)
	access := flags & unix.O_ACCMODE
	return err == nil && (access == unix.O_RDWR || access == direction)
}
