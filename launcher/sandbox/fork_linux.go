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
//	launcher ─┬─ steward       builds namespaces or enters a domain; then guards: it outlives the command
//	          │   ├─ init      (Strong) process 1 of the pid namespace: when it ends, the kernel ends all in it
//	          │   └─ anchor    (with a terminal) see below
//	          └─ child         fences itself, then executes the command
//
// The child is the launcher's own, so its exit, its stops and its resource usage are told by the kernel, exactly and first hand.
// The steward waits in a read of the lifeline: a pipe that nobody writes to and only the launcher holds open. The read
// ends when the launcher closes it, and when the launcher dies, however it dies; then the steward takes the whole tree with it:
// at Strong with its init, at Base by its Landlock domain, which nobody in the tree can leave.
//
// With a terminal the steward leads the session and the child is a job in it, as under a shell. Were the child the leader, its process group would be what POSIX
// calls orphaned, and Ctrl-Z would do nothing. What keeps a group from being orphaned is a member whose parent is in the session and
// in another group: the anchor is there for nothing else. It cannot be the init: a pid namespace does not end while its init is in the group of
// another process of it, and waits for itself for ever (Linux 6.18).
type family struct {
	flags   uintptr // clone flags of the steward
	steward life
	init    life // nil at Base
	anchor  life // nil without a terminal
	child   life
	settle  life // what the steward does before it waits

	lifeline int  // the steward's end
	holding  int  // the launcher's end
	report   int  // where pids and failures are written
	reading  int  // where the launcher reads them
	going    int  // where the steward tells the child to go on
	waiting  int  // where the child waits for it
	scoped   bool // the steward enters a domain with a signal scope, which makes kill(-1) reach the tree and nothing else
	launcher uintptr

	message   [3]uint32
	registers [registerCount]uintptr
	arena
}

// What a message on the report pipe is about: who, then a step number and an errno; or the child's pid.
const (
	aboutSteward = iota + 1
	aboutInit
	aboutChild
	aboutAnchor
	aboutSettle
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
	var init uintptr
	if f.init != nil {
		init = f.rest(aboutInit, f.init)
	}
	pid = f.beget()
	if f.anchor != nil {
		f.join(f.rest(aboutAnchor, f.anchor), pid)
	}
	f.tell(childPid, uint32(pid), 0)
	f.run(aboutSettle, f.settle)
	f.wait()
	switch {
	case f.init != nil:
		syscall.RawSyscall(unix.SYS_KILL, init, uintptr(unix.SIGKILL), 0)
		// Dead children are ignored, so this comes back only when there are none, and the namespace is empty.
		syscall.RawSyscall6(unix.SYS_WAIT4, ^uintptr(0), 0, 0, 0, 0, 0)
	case confined:
		syscall.RawSyscall(unix.SYS_KILL, ^uintptr(0), uintptr(unix.SIGKILL), 0)
	default:
		syscall.RawSyscall(unix.SYS_KILL, -pid, uintptr(unix.SIGKILL), 0)
	}
	exit()
	return 0, 0
}

// beget forks the child and returns its pid.
//
//go:nosplit
//go:norace
func (f *family) beget() uintptr {
	var pid uintptr
	var errno syscall.Errno
	if f.anchor == nil {
		var e uintptr
		pid, e = vfork(unix.CLONE_PARENT | unix.CLONE_VM | unix.CLONE_VFORK | uintptr(unix.SIGCHLD))
		errno = syscall.Errno(e)
	} else {
		pid, errno = clone(unix.CLONE_PARENT)
	}
	if errno != 0 {
		f.tell(aboutChild, ^uint32(0), uint32(errno))
		exit()
	}
	if pid == 0 {
		f.run(aboutChild, f.child)
		exit() // fail safe: the last step of a child does not come back
	}
	return pid
}

// join puts the anchor in the child's group, and then lets the child go on: a program that
// ran earlier could still find its group orphaned. The group is the first thing that the child makes.
//
//go:nosplit
//go:norace
func (f *family) join(anchor, child uintptr) {
	for range 1 << 20 {
		if _, _, errno := syscall.RawSyscall(unix.SYS_SETPGID, anchor, child, 0); errno == 0 {
			break
		}
		syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	syscall.RawSyscall(unix.SYS_WRITE, uintptr(f.going), uintptr(unsafe.Pointer(&f.message)), 1)
}

// rest forks a process that performs l and then is only there. It ends with the steward.
//
//go:nosplit
//go:norace
func (f *family) rest(who uint32, l life) uintptr {
	pid, errno := clone(0)
	if errno != 0 {
		f.tell(who, ^uint32(0), uint32(errno))
		exit()
	}
	if pid == 0 {
		f.run(who, l)
		for {
			syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
		}
	}
	return pid
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

// wait returns when the launcher's end of the lifeline is closed.
//
//go:nosplit
//go:norace
func (f *family) wait() {
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

//go:noescape
func vfork(flags uintptr) (pid, errno uintptr)
