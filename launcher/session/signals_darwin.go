package session

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// EndBy ends this process by the same signal that ended the command, so that the caller's wait(2)
// returns the same as without us. It makes no core file of this process: the command made its own.
// It returns only when sig cannot end a process; then the caller should exit with ExitStatus(sig).
func EndBy(sig syscall.Signal) {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	// The kernel's struct of sigaction(2); the zero value asks for the default action. Package
	// os/signal leaves the runtime's handler where it has one of its own.
	var none struct {
		handler, trampoline uintptr
		mask                uint32
		flags               int32
	}
	_, _, _ = unix.RawSyscall(unix.SYS_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(&none)), 0)
	_ = unix.Kill(unix.Getpid(), sig)
	time.Sleep(time.Second) // another thread may be the one that takes it
}
