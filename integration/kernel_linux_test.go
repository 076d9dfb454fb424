package integration

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// ownMounts gives a command mounts of its own, for which an ordinary user becomes the owner of a
// user namespace.
func ownMounts(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	if uid := os.Getuid(); uid != 0 {
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}}
	}
}

// stopHere stops this process. A signal to this thread is delivered before the call returns.
func stopHere() error {
	runtime.LockOSThread()
	return unix.Tgkill(os.Getpid(), unix.Gettid(), unix.SIGSTOP)
}

// keepOutput makes the terminal keep what is on its way to the screen when an interrupt is typed.
// By default the kernel drops it, sometimes (2 of 1500) with what the program prints on the
// interrupt.
func keepOutput(fd int) error {
	modes, err := unix.IoctlGetTermios(fd, unix.TCGETS)
	if err != nil {
		return err
	}
	modes.Lflag |= unix.NOFLSH
	return unix.IoctlSetTermios(fd, unix.TCSETS, modes)
}

// socketPair returns two connected sockets that no program inherits.
func socketPair() ([2]int, error) {
	return syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
}
