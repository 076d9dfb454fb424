package integration

import (
	"encoding/binary"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// changingCalls are those by which a process changes files.
var changingCalls = map[uint64]bool{
	unix.SYS_WRITE: true, unix.SYS_PWRITE64: true, unix.SYS_RENAMEAT: true,
	unix.SYS_RENAMEAT2: true, unix.SYS_UNLINKAT: true, unix.SYS_MKDIRAT: true,
	unix.SYS_LINKAT: true, unix.SYS_SYMLINKAT: true, unix.SYS_FSYNC: true, unix.SYS_FDATASYNC: true,
	unix.SYS_FCHMOD: true, unix.SYS_FCHMODAT: true, unix.SYS_FTRUNCATE: true, unix.SYS_FCHOWN: true,
}

// killAt is a command of tests: killat N COMMAND [ARG ...] runs the command, and kills it before
// its N-th call that changes files. It ends with the command's status, or with 137.
func killAt() {
	runtime.LockOSThread() // only one thread is the tracer
	left, err := strconv.Atoi(os.Args[1])
	if err != nil {
		panic(err)
	}
	path, err := exec.LookPath(os.Args[2])
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(path, os.Args[3:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	pid := cmd.Process.Pid
	var ws unix.WaitStatus
	if _, err := unix.Wait4(pid, &ws, 0, nil); err != nil {
		panic(err)
	}
	// its threads, and no other process
	if err := unix.PtraceSetOptions(pid, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACESYSGOOD|
		unix.PTRACE_O_EXITKILL); err != nil {
		panic(err)
	}
	_ = unix.PtraceSyscall(pid, 0)
	for {
		thread, err := unix.Wait4(-1, &ws, unix.WALL, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			panic(err)
		case thread == pid && ws.Exited():
			os.Exit(ws.ExitStatus())
		case thread == pid && ws.Signaled():
			os.Exit(128 + int(ws.Signal()))
		case !ws.Stopped():
			continue
		}
		pass := 0
		switch sig := ws.StopSignal(); sig {
		case unix.SIGTRAP | 0x80:
			if changes(thread) {
				if left--; left == 0 {
					_ = unix.Kill(pid, unix.SIGKILL)
				}
			}
		case unix.SIGTRAP, unix.SIGSTOP: // a new thread
		default:
			pass = int(sig)
		}
		_ = unix.PtraceSyscall(thread, pass) // fails for one that is gone
	}
}

// changes reports whether a thread is about to begin a call that changes files.
func changes(thread int) bool {
	var info [88]byte // struct ptrace_syscall_info: op, then the number at 24, then the arguments
	const getSyscallInfo, entry = 0x420e, 1
	if _, _, errno := unix.Syscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(thread),
		uintptr(len(info)), uintptr(unsafe.Pointer(&info[0])), 0, 0); errno != 0 {
		return false
	}
	number := binary.NativeEndian.Uint64(info[24:])
	flags := binary.NativeEndian.Uint64(info[48:])
	return info[0] == entry && (changingCalls[number] ||
		number == unix.SYS_OPENAT && flags&unix.O_CREAT != 0)
}
