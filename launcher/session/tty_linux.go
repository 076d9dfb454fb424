package session

import (
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// The numbers of the requests that read and set a terminal's modes, and that count what can be
// read at once.
const (
	getTermios = unix.TCGETS
	setTermios = unix.TCSETS
	getWaiting = unix.TIOCINQ
)

// nullDevice is the number of /dev/null.
var nullDevice = unix.Mkdev(1, 3)

// flushKeys throws away what was typed and not read.
func flushKeys(fd int) error { return unix.IoctlSetInt(fd, unix.TCFLSH, unix.TCIFLUSH) }

// withoutStop runs do with SIGTTOU blocked for this thread. So a terminal can be restored in the
// instant in which it is being taken away, instead of stopping there.
func withoutStop(do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set, old unix.Sigset_t
	set.Val[0] = 1 << (uint(unix.SIGTTOU) - 1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &set, &old) == nil {
		defer unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil)
	}
	do()
}

// kcmpFile is KCMP_FILE of kcmp(2): do two descriptors share one open file description?
const kcmpFile = 0

// oneOpenFile asks the kernel whether two descriptors are one open file.
func oneOpenFile(a, b int) (same, known bool) {
	pid := uintptr(os.Getpid())
	order, _, errno := unix.Syscall6(unix.SYS_KCMP, pid, pid, kcmpFile, uintptr(a), uintptr(b), 0)
	return order == 0, errno == 0
}
