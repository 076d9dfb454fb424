//go:build linux || darwin

package launcher

import (
	"os"

	"golang.org/x/sys/unix"
)

// kindOf returns what kind of file standard input is. Its content is not known before the run, and
// so cannot be approved; its kind can.
func kindOf(f *os.File) string {
	if f == nil {
		return "closed"
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return "closed"
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return "pipe"
	case unix.S_IFREG:
		return "file"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFCHR:
		if st.Rdev == nullDevice {
			return "null"
		}
		if _, err := unix.IoctlGetTermios(int(f.Fd()), getTermios); err == nil {
			return "terminal"
		}
	}
	return "other"
}
