//go:build linux || darwin

package launcher

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/pathguard/pathname"
)

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
	switch name, _ := nameOf(fd); {
	case kind == unix.S_IFDIR:
		withheld = "0: it is a directory"
	case flags&forNothing != 0:
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
