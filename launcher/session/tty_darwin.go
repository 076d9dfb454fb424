package session

import (
	"os/signal"

	"golang.org/x/sys/unix"
)

// The numbers of the requests that read and set a terminal's modes, and that count what can be
// read at once (FIONREAD, which package unix does not have).
const (
	getTermios = unix.TIOCGETA
	setTermios = unix.TIOCSETA
	getWaiting = 0x4004667f
)

// nullDevice is the number of /dev/null.
var nullDevice = int32(unix.Mkdev(3, 2))

// flushKeys throws away what was typed and not read.
func flushKeys(fd int) error {
	const input = 1 // FREAD
	return unix.IoctlSetPointerInt(fd, unix.TIOCFLUSH, input)
}

// withoutStop runs do with SIGTTOU ignored. So a terminal can be restored in the instant in which
// it is being taken away, instead of stopping there.
func withoutStop(do func()) {
	signal.Ignore(unix.SIGTTOU)
	defer signal.Reset(unix.SIGTTOU)
	do()
}

// oneOpenFile does not know: macOS tells no process.
func oneOpenFile(int, int) (same, known bool) { return false, false }
