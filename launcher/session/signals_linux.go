package session

import (
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sigaction is the kernel's struct of rt_sigaction(2) on amd64 and arm64; the zero value
// asks for the default action.
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

// defaultAction gives sig its default action and returns how to undo that. The os/signal
// package cannot: for signals that the runtime handles itself it restores the runtime's
// handler, which prints stacks and exits with 2.
func defaultAction(sig syscall.Signal) (undo func(), err error) {
	var none, old sigaction
	if err := setAction(sig, &none, &old); err != nil {
		return nil, err
	}
	return func() { setAction(sig, &old, nil) }, nil
}

func setAction(sig syscall.Signal, act, old *sigaction) error {
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig),
		uintptr(unsafe.Pointer(act)), uintptr(unsafe.Pointer(old)), unsafe.Sizeof(act.mask), 0, 0)
	if errno != 0 {
		return fmt.Errorf("set the action of %v: %w", sig, errno)
	}
	return nil
}

// EndBy ends this process by the same signal that ended the command, so that the caller's wait(2)
// returns the same as without us. It makes no core file of this process: the command made its own.
// It returns only when sig cannot end a process; then the caller should exit with ExitStatus(sig).
func EndBy(sig syscall.Signal) {
	unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	// A core pattern that is a pipe ignores the limit; it does not ignore this (core(5)).
	unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0)
	if sig != syscall.SIGKILL && sig != syscall.SIGSTOP {
		if _, err := defaultAction(sig); err != nil {
			return
		}
	}
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set unix.Sigset_t
	set.Val[0] = 1 << (uint(sig) - 1)
	unix.PthreadSigmask(unix.SIG_UNBLOCK, &set, nil)
	unix.Tgkill(os.Getpid(), unix.Gettid(), sig)
}
