//go:build amd64 || arm64

package sandbox

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A family is the processes of one run, as a list of system calls for each. They are forked with their parent's memory shared
// and run nothing but their lists, so that no program has to be started only to build a fence, and no page copied:
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
	nest    life // of the one that keeps a nest, alone in its family
	steward life
	init    life // nil at Base
	anchor  life // nil without a terminal
	child   life
	settle  life // what the steward does before it waits

	lifeline int  // the steward's end
	holding  int  // the launcher's end
	report   int  // where pids and failures are written
	reading  int  // where the launcher reads them
	going    int  // where launcher and steward tell the child to go on; its end tells the launcher that the steward is gone
	waiting  int  // where the child waits for it, and then the launcher
	ruling   int  // where the launcher tells the child that its Landlock rules are all there
	ruled    int  // where the child waits for that
	scoped   bool // the steward enters a domain with a signal scope, which makes kill(-1) reach the tree and nothing else
	launcher uintptr
	mask     sigset // the signals that were blocked before the fork

	code      uintptr // of begin
	stacks    uintptr // memory that the Go runtime does not know, for as many stacks as there are relatives
	registers [registerCount]uintptr
	arena
}

// What a message on the report pipe is about: who, then a step number and an errno; or whose pid, and the pid.
const (
	aboutSteward = iota + 1
	aboutInit
	aboutChild
	aboutAnchor
	aboutNest
	aboutSettle
	childPid
	initPid
	nestMade
)

// notConfined stands in a message for the step that was not taken.
const notConfined = ^uint32(0) - 1

// stackSize is what each of the family runs on. Their lists need a few hundred bytes: what they call may not grow a stack (go:nosplit),
// and the linker has added it up.
const stackSize = 8 << 10

// relatives is how many stacks a family has: one for each of those that are processes.
const relatives = aboutNest

// start forks the first of the family and returns its pid. Signals stay blocked in everything forked until the child unblocks them, as they
// were in mask before: a handler of the Go runtime must not run where there is no Go runtime.
//
// Nothing in here lets the scheduler in, so that it all happens on one thread.
//
//go:nosplit
//go:norace
func (f *family) start(who, flags uintptr) (int, syscall.Errno) {
	all := sigset(^uint64(0))
	sigprocmask(&all, &f.mask)
	pid, errno := f.beget(who, flags)
	sigprocmask(&f.mask, nil)
	return int(pid), errno
}

// beget forks who, with the parent's memory, and an own stack in it.
//
//go:nosplit
//go:norace
func (f *family) beget(who, flags uintptr) (uintptr, syscall.Errno) {
	pid, errno := spawn(flags|unix.CLONE_VM|uintptr(unix.SIGCHLD), f.stacks+who*stackSize, f.code, f, who)
	return pid, syscall.Errno(errno)
}

// expect is beget for a steward that cannot do without.
//
//go:nosplit
//go:norace
func (f *family) expect(who, flags uintptr) uintptr {
	pid, errno := f.beget(who, flags)
	if errno != 0 {
		f.tell(uint32(who), ^uint32(0), uint32(errno))
		exit()
	}
	return pid
}

// entry returns the address of begin's code, which a function value points to. By its name, assembly calls it through a few instructions
// of the compiler's own, and under the race detector these are for threads that Go knows.
func entry() uintptr {
	f := begin
	return **(**uintptr)(unsafe.Pointer(&f))
}

// begin is where a forked process begins. It does not come back.
//
//go:nosplit
//go:norace
func begin(f *family, who uintptr) {
	switch who {
	case aboutSteward:
		f.guard()
	case aboutInit:
		f.rest(who, f.init)
	case aboutAnchor:
		f.rest(who, f.anchor)
	case aboutChild:
		f.run(aboutChild, f.child)
	case aboutNest:
		f.run(aboutNest, f.nest)
		f.tell(nestMade, 0, 0)
		syscall.RawSyscall(unix.SYS_CLOSE, uintptr(f.report), 0, 0)
		hangup(uintptr(f.lifeline))
	}
	exit() // fail safe: none of them gets here, the last step of a child least of all
}

// guard is the steward's life. When the launcher has heard the end of the reports it may throw away what the family was made from, so
// nothing after that uses any memory but the stack.
//
//go:nosplit
//go:norace
func (f *family) guard() {
	f.run(aboutSteward, f.steward)
	confined := f.scoped && f.confined()
	if f.scoped && !confined {
		f.tell(aboutSteward, notConfined, 0)
		exit()
	}
	var init uintptr
	if f.init != nil {
		init = f.expect(aboutInit, 0)
		f.tell(initPid, uint32(init), 0)
	}
	child := f.expect(aboutChild, unix.CLONE_PARENT)
	f.tell(childPid, uint32(child), 0)
	if f.anchor != nil {
		f.join(f.expect(aboutAnchor, 0), child)
	}
	f.run(aboutSettle, f.settle)
	var handle uintptr // the launcher may have killed the init before us, and its number be another's
	if init != 0 {
		handle, _, _ = syscall.RawSyscall(unix.SYS_PIDFD_OPEN, init, 0, 0)
	}
	lifeline, launcher := uintptr(f.lifeline), f.launcher
	syscall.RawSyscall(unix.SYS_CLOSE, uintptr(f.report), 0, 0)
	hangup(lifeline)
	switch {
	case init != 0:
		_, _, errno := syscall.RawSyscall6(unix.SYS_PIDFD_SEND_SIGNAL, handle, uintptr(unix.SIGKILL), 0, 0, 0, 0)
		// Where something around all of us refuses the signal nobody waits: the init ends with its parent, so then that is the way.
		if errno == 0 || errno == unix.ESRCH {
			outlast(handle, launcher)
		}
	case confined:
		syscall.RawSyscall(unix.SYS_KILL, ^uintptr(0), uintptr(unix.SIGKILL), 0)
	default:
		syscall.RawSyscall(unix.SYS_KILL, -child, uintptr(unix.SIGKILL), 0)
	}
	exit()
}

// outlast returns when the init has ended, and with it all in its namespace, or the launcher has. The namespace does not end before
// the child is reaped, so without a launcher it depends on strangers, and nobody waits to be told. The lifeline ends a while before the launcher does:
// its pid is still its own as long as it is our parent.
//
//go:nosplit
//go:norace
func outlast(init, launcher uintptr) {
	handle, _, errno := syscall.RawSyscall(unix.SYS_PIDFD_OPEN, launcher, 0, 0)
	if parent, _, _ := syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); errno != 0 || parent != launcher {
		return
	}
	ends := [2]unix.PollFd{{Fd: int32(init), Events: unix.POLLIN}, {Fd: int32(handle), Events: unix.POLLIN}}
	for {
		_, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&ends)), uintptr(len(ends)), 0, 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}

// join puts the anchor in the child's group, and then lets the child go on: a program that
// ran earlier could still find its group orphaned. The group is one of the first things that the child makes.
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
	var b uint64
	syscall.RawSyscall(unix.SYS_WRITE, uintptr(f.going), uintptr(unsafe.Pointer(&b)), 1)
}

// rest is the life of a process that performs l and then is only there. It ends with the steward.
//
//go:nosplit
//go:norace
func (f *family) rest(who uintptr, l life) {
	f.run(uint32(who), l)
	syscall.RawSyscall(unix.SYS_CLOSE, uintptr(f.report), 0, 0)
	for {
		syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
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

// hangup returns when the launcher's end of the lifeline is closed.
//
//go:nosplit
//go:norace
func hangup(lifeline uintptr) {
	var b uint64
	for {
		_, _, errno := syscall.RawSyscall(unix.SYS_READ, lifeline, uintptr(unsafe.Pointer(&b)), 1)
		if errno != unix.EINTR {
			return
		}
	}
}

//go:nosplit
//go:norace
func (f *family) tell(a, b, c uint32) {
	m := [3]uint32{a, b, c} // on the stack: others of the family may be talking too
	syscall.RawSyscall(unix.SYS_WRITE, uintptr(f.report), uintptr(unsafe.Pointer(&m)), unsafe.Sizeof(m))
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

//go:nosplit
func sigprocmask(set, old *sigset) {
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(set)), uintptr(unsafe.Pointer(old)), 8, 0, 0)
}

// A sigaction is the kernel's, the same on both architectures.
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     sigset
}

// handled returns the signals that have a handler now, the first in the lowest bit. An ignored one (nohup) is not
// among them: it must stay ignored in the child.
func handled() (set sigset) {
	for sig := uintptr(1); sig <= 64; sig++ {
		var old sigaction
		_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, sig, 0, uintptr(unsafe.Pointer(&old)), 8, 0, 0)
		if errno == 0 && old.handler > 1 { // 0 is SIG_DFL, 1 is SIG_IGN
			set |= 1 << (sig - 1)
		}
	}
	return set
}

// spawn forks a process that shares this one's memory and calls begin(f, who), whose code is at code, on the stack that ends at stack. It lets f escape,
// because a family on a goroutine's stack would be moved under the feet of the others.
func spawn(flags, stack, code uintptr, f *family, who uintptr) (pid, errno uintptr)
