//go:build amd64 || arm64

package sandbox

import (
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A family is the processes of one run, as a list of system calls for each. They are forked with their parent's memory copied
// and run nothing but their lists, so that no program has to be started only to build a fence:
//
//	launcher ── steward            builds namespaces or enters a domain, starts the others as its siblings
//	         ├─ init     (Strong)  process 1 of the pid namespace: when it ends, the kernel ends all in it
//	         └─ child              fences itself, then executes the command
//
// The child is the launcher's own, so its exit, its stops and its resource usage are told by the kernel, exactly and first hand.
// One of the others stays, as the guard, in a read of the lifeline: a pipe that nobody writes to and only the launcher holds open.
// It ends when the launcher closes it, and when the launcher dies, however it dies; then the guard takes the whole tree with it.
// At Base the guard is the steward, and kills by its Landlock domain, which nobody in the tree can leave.
type family struct {
	flags   uintptr // clone flags of the steward
	steward life
	init    life // nil at Base
	child   life
	settle  life // what the guard does before it waits

	lifeline int  // the guard's end
	holding  int  // the launcher's end
	report   int  // where pids and failures are written
	reading  int  // where the launcher reads them
	scoped   bool // the steward enters a domain with a signal scope, which makes kill(-1) reach the tree and nothing else
	launcher uintptr

	message   [3]uint32
	registers [registerCount]uintptr
	arena
}

// What a message on the report pipe is about: who, then a step number and an errno, or a pid.
const (
	aboutSteward = iota + 1
	aboutInit
	aboutChild
	aboutSettle
	initPid
	childPid
)

// notConfined stands in a message for the step that was not taken.
const notConfined = ^uint32(0) - 1

// start forks the steward and returns its pid. Signals stay blocked in everything forked until the child unblocks them:
// a handler of the Go runtime must not run where there is no Go runtime.
func (f *family) start(mask *sigset) (int, syscall.Errno) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	all := sigset(^uint64(0))
	sigprocmask(&all, mask)
	pid, errno := f.fork()
	sigprocmask(mask, nil)
	runtime.KeepAlive(f)
	return int(pid), errno
}

// fork makes the steward; only the launcher comes back from it.
//
//go:noinline
//go:nosplit
//go:norace
func (f *family) fork() (uintptr, syscall.Errno) {
	pid, errno := clone(f.flags)
	if errno != 0 || pid != 0 {
		return pid, errno
	}
	f.run(aboutSteward, f.steward)
	confined := f.scoped && f.confined()
	if f.scoped && !confined {
		f.tell(aboutSteward, notConfined, 0)
		exit()
	}
	if f.init != nil {
		pid, errno = clone(unix.CLONE_PARENT)
		if pid == 0 && errno == 0 {
			f.run(aboutInit, f.init)
			f.guard()
			exit()
		}
		f.forked(initPid, aboutInit, pid, errno)
	}
	pid, errno = clone(unix.CLONE_PARENT)
	if pid == 0 && errno == 0 {
		f.run(aboutChild, f.child)
		exit() // fail safe: the last step of a child does not come back
	}
	f.forked(childPid, aboutChild, pid, errno)
	if f.init == nil {
		f.guard()
		if confined {
			syscall.RawSyscall(unix.SYS_KILL, ^uintptr(0), uintptr(unix.SIGKILL), 0)
		} else {
			syscall.RawSyscall(unix.SYS_KILL, -pid, uintptr(unix.SIGKILL), 0)
		}
	}
	exit()
	return 0, 0
}

// confined reports whether this process is in a domain that keeps its signals in. It is asked here, by code between the domain and its only use, and not by
// a step in a list that an edit could lose: without the domain, kill(-1) ends everything that the user runs, and as root the machine.
// The launcher is the right one to ask about, because without the domain a process may always signal one with its own credentials.
//
//go:nosplit
//go:norace
func (f *family) confined() bool {
	_, _, errno := syscall.RawSyscall(unix.SYS_KILL, f.launcher, 0, 0)
	return errno == unix.EPERM
}

// run performs one life, or reports what failed and ends the process.
//
//go:nosplit
//go:norace
func (f *family) run(who uint32, l life) {
	if i, errno := l.perform(&f.registers); i != len(l) {
		f.tell(who, uint32(i), uint32(errno))
		exit()
	}
}

// forked reports a new process, or that there is none.
//
//go:nosplit
//go:norace
func (f *family) forked(what, who uint32, pid uintptr, errno syscall.Errno) {
	if errno != 0 {
		f.tell(who, ^uint32(0), uint32(errno))
		exit()
	}
	f.tell(what, uint32(pid), 0)
}

// guard lets go of everything and waits for the launcher's end of the lifeline to close.
//
//go:nosplit
//go:norace
func (f *family) guard() {
	f.run(aboutSettle, f.settle)
	for {
		_, _, errno := syscall.RawSyscall(unix.SYS_READ, uintptr(f.lifeline), uintptr(unsafe.Pointer(&f.message)), 1)
		if errno != unix.EINTR {
			return
		}
	}
}

//go:nosplit
//go:norace
func (f *family) tell(a, b, c uint32) {
	f.message = [3]uint32{a, b, c}
	syscall.RawSyscall(unix.SYS_WRITE, uintptr(f.report), uintptr(unsafe.Pointer(&f.message)), unsafe.Sizeof(f.message))
}

//go:nosplit
//go:norace
func clone(flags uintptr) (uintptr, syscall.Errno) {
	pid, _, errno := syscall.RawSyscall6(unix.SYS_CLONE, flags|uintptr(unix.SIGCHLD), 0, 0, 0, 0, 0)
	return pid, errno
}

//go:nosplit
//go:norace
func exit() {
	for {
		syscall.RawSyscall(unix.SYS_EXIT_GROUP, 125, 0, 0)
	}
}

// A sigset is the kernel's: 64 signals.
type sigset uint64

func sigprocmask(set, old *sigset) {
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
}

// A sigaction is the kernel's, the same on both architectures.
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     sigset
}

// handled returns the signals that have a handler now. An ignored one (nohup) is not
// among them: it must stay ignored in the child.
func handled() []uintptr {
	var list []uintptr
	for sig := uintptr(1); sig <= 64; sig++ {
		var old sigaction
		_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, sig, 0, uintptr(unsafe.Pointer(&old)), 8, 0, 0)
		if errno == 0 && old.handler > 1 { // 0 is SIG_DFL, 1 is SIG_IGN
			list = append(list, sig)
		}
	}
	return list
}
