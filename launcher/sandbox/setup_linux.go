//go:build amd64 || arm64

package sandbox

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A setup is the processes that build the sandbox of one run, as a list of system calls for each.
// They are forked with their parent's memory shared and run nothing but their lists, so that no
// program has to be started only to build a sandbox, and no page copied:
//
//	launcher ─┬─ supervisor  builds namespaces or enters a domain; then guards: it outlives the command
//	          │   ├─ init    (Strong) process 1 of the pid namespace: the kernel ends all in it with it
//	          │   └─ anchor  (with a terminal) see below
//	          └─ child       enters the sandbox, then executes the command
//
// The child is the launcher's own, so its exit, its stops and its resource usage are told by the
// kernel, exactly and first hand. The supervisor waits in a read of the lifeline: a pipe that is
// never written to and only the launcher holds open. The read ends when the launcher closes it, and
// when the launcher dies, however it dies; then the supervisor takes the whole tree with it: at
// Strong with its init, at Base by its Landlock domain, which no process of the tree can leave.
//
// With a terminal the supervisor leads the session and the child is a job in it, as under a shell.
// Were the child the leader, its process group would be what POSIX calls orphaned, and Ctrl-Z would
// do nothing. What keeps a group from being orphaned is a member whose parent is in the session and
// in another group: the anchor is there for nothing else. It cannot be the init: a pid namespace
// does not end while its init is in the group of another process of it, and waits for itself for
// ever (Linux 6.18).
type setup struct {
	roles
	pipes
	// the supervisor enters a domain with a signal scope, which makes kill(-1) reach the tree and
	// nothing else
	scoped   bool
	launcher uintptr
	mask     sigset // the signals that were blocked before the fork

	code      uintptr // of begin
	stacks    uintptr // memory that the Go runtime does not know, for maxProcesses stacks
	memory    []byte  // that memory, until there is a process that lets go of it
	registers [registerCount]uintptr
	arena
}

// The roles are what each process of a setup does.
type roles struct {
	keeper     steps // of the one that keeps prepared namespaces, alone in its setup
	supervisor steps
	init       steps // nil at Base
	anchor     steps // nil without a terminal
	child      steps
	settle     steps // what the supervisor does before it waits
}

// The pipes of a setup, by their ends.
type pipes struct {
	lifeline int // the supervisor's end
	holding  int // the launcher's end
	report   int // where pids and failures are written
	reading  int // where the launcher reads them
	// where launcher and supervisor let the child continue; its end means that the supervisor is
	// gone
	going   int
	waiting int // where the child waits for it, and then the launcher
	ruling  int // where the launcher tells the child that its Landlock rules are all there
	ruled   int // where the child waits for that
}

// What a message on the report pipe is about: who, then a step number and an errno; or whose pid,
// and the pid.
const (
	ofSupervisor = iota + 1
	ofInit
	ofChild
	ofAnchor
	ofKeeper
	ofSettle
	childPid
	initPid
	keeperReady
)

// notConfined stands in a message for the step that was not taken.
const notConfined = ^uint32(0) - 1

// stackSize is what each process of a setup runs on. Their lists need a few hundred bytes: what
// they call may not grow a stack (go:nosplit), and the linker has added it up.
const stackSize = 8 << 10

// maxProcesses is how many stacks a setup has: one for each role that is a process.
const maxProcesses = ofKeeper

// start forks the first process of the setup and returns its pid. Signals stay blocked in
// everything forked until the child unblocks them, as they were in mask before: a handler of the Go
// runtime must not run where there is no Go runtime.
//
// It is called with syscall.ForkLock held: what is forked has copies of all descriptors until it
// closes them, and a program that another run has just written cannot be executed while one of them
// is open for writing.
//
// Nothing in here lets the scheduler in, so that it all happens on one thread.
//
//go:nosplit
//go:norace
func (f *setup) start(who, flags uintptr) (int, syscall.Errno) {
	all := sigset(^uint64(0))
	sigprocmask(&all, &f.mask)
	pid, errno := f.fork(who, flags)
	sigprocmask(&f.mask, nil)
	return int(pid), errno
}

// fork forks who, with the parent's memory, and an own stack in it.
//
//go:nosplit
//go:norace
func (f *setup) fork(who, flags uintptr) (uintptr, syscall.Errno) {
	pid, errno := spawn(flags|unix.CLONE_VM|uintptr(unix.SIGCHLD), f.stacks+who*stackSize, f.code,
		f, who)
	return pid, syscall.Errno(errno)
}

// mustFork is fork for a supervisor that cannot do without.
//
//go:nosplit
//go:norace
func (f *setup) mustFork(who, flags uintptr) uintptr {
	pid, errno := f.fork(who, flags)
	if errno != 0 {
		f.send(uint32(who), ^uint32(0), uint32(errno))
		exit()
	}
	return pid
}

// entry returns the address of begin's code, which a function value points to. By its name,
// assembly calls it through a few instructions of the compiler's own, and under the race detector
// these are for threads that Go knows.
func entry() uintptr {
	f := begin
	return **(**uintptr)(unsafe.Pointer(&f))
}

// begin is where a forked process begins. It does not come back.
//
//go:nosplit
//go:norace
func begin(f *setup, who uintptr) {
	switch who {
	case ofSupervisor:
		f.supervise()
	case ofInit:
		f.idle(who, f.init)
	case ofAnchor:
		f.idle(who, f.anchor)
	case ofChild:
		f.run(ofChild, f.child)
	case ofKeeper:
		f.run(ofKeeper, f.keeper)
		f.send(keeperReady, 0, 0)
		syscall.RawSyscall(unix.SYS_CLOSE, uintptr(f.report), 0, 0)
		awaitHangup(uintptr(f.lifeline))
	}
	exit() // fail safe: none of them gets here, the last step of a child least of all
}

// supervise is what the supervisor does. When the launcher has heard the end of the reports it may
// throw away what the setup was made from, so nothing after that uses any memory but the stack.
//
//go:nosplit
//go:norace
func (f *setup) supervise() {
	f.run(ofSupervisor, f.supervisor)
	confined := f.scoped && f.confined()
	if f.scoped && !confined {
		f.send(ofSupervisor, notConfined, 0)
		exit()
	}
	var init uintptr
	if f.init != nil {
		init = f.mustFork(ofInit, 0)
		f.send(initPid, uint32(init), 0)
	}
	child := f.mustFork(ofChild, unix.CLONE_PARENT)
	f.send(childPid, uint32(child), 0)
	if f.anchor != nil {
		f.joinGroup(f.mustFork(ofAnchor, 0), child)
	}
	f.run(ofSettle, f.settle)
	// the launcher may have killed the init before us, and its number be another's
	var handle uintptr
	if init != 0 {
		handle, _, _ = syscall.RawSyscall(unix.SYS_PIDFD_OPEN, init, 0, 0)
	}
	lifeline, launcher := uintptr(f.lifeline), f.launcher
	syscall.RawSyscall(unix.SYS_CLOSE, uintptr(f.report), 0, 0)
	awaitHangup(lifeline)
	switch {
	case init != 0:
		_, _, errno := syscall.RawSyscall6(unix.SYS_PIDFD_SEND_SIGNAL, handle,
			uintptr(unix.SIGKILL), 0, 0, 0, 0)
		// Where something around all of us refuses the signal there is no wait: the init ends with
		// its parent, so then that is the way.
		if errno == 0 || errno == unix.ESRCH {
			awaitEnd(handle, launcher)
		}
	case confined:
		syscall.RawSyscall(unix.SYS_KILL, ^uintptr(0), uintptr(unix.SIGKILL), 0)
	default:
		syscall.RawSyscall(unix.SYS_KILL, -child, uintptr(unix.SIGKILL), 0)
	}
	exit()
}

// awaitEnd returns when the init has ended, and with it all in its namespace, or the launcher has.
// The namespace does not end before the child is reaped, so without a launcher it depends on
// processes outside, and none waits to be told. The lifeline ends a while before the launcher does:
// its pid is still its own as long as it is our parent.
//
//go:nosplit
//go:norace
func awaitEnd(init, launcher uintptr) {
	handle, _, errno := syscall.RawSyscall(unix.SYS_PIDFD_OPEN, launcher, 0, 0)
	if parent, _,
		_ := syscall.RawSyscall(unix.SYS_GETPPID, 0, 0, 0); errno != 0 || parent != launcher {
		return
	}
	ends := [2]unix.PollFd{{Fd: int32(init), Events: unix.POLLIN},
		{Fd: int32(handle), Events: unix.POLLIN}}
	for {
		_, _, errno := syscall.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&ends)),
			uintptr(len(ends)), 0, 0, 0, 0)
		if errno != unix.EINTR {
			return
		}
	}
}

// joinGroup puts the anchor in the child's group, and then lets the child go on: a program that ran
// earlier could still find its group orphaned. The group is one of the first things that the child
// makes.
//
//go:nosplit
//go:norace
func (f *setup) joinGroup(anchor, child uintptr) {
	for range 1 << 20 {
		if _, _, errno := syscall.RawSyscall(unix.SYS_SETPGID, anchor, child, 0); errno == 0 {
			break
		}
		syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0)
	}
	var b uint64
	syscall.RawSyscall(unix.SYS_WRITE, uintptr(f.going), uintptr(unsafe.Pointer(&b)), 1)
}

// idle is what a process does that performs l and then is only there. It ends with the supervisor.
//
//go:nosplit
//go:norace
func (f *setup) idle(who uintptr, l steps) {
	f.run(uint32(who), l)
	syscall.RawSyscall(unix.SYS_CLOSE, uintptr(f.report), 0, 0)
	for {
		syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
}

// confined reports whether this process is in a domain that keeps its signals in. It is asked here,
// by code between the domain and its only use, and not by a step in a list that an edit could lose:
// without the domain, kill(-1) ends everything that the user runs, and as root the machine. The
// launcher is the right one to ask about, because without the domain a process may always signal
// one with its own credentials.
//
//go:nosplit
//go:norace
func (f *setup) confined() bool {
	_, _, errno := syscall.RawSyscall(unix.SYS_KILL, f.launcher, 0, 0)
	return errno == unix.EPERM
}

// run performs the steps of one role, or reports what failed and ends the process.
//
//go:nosplit
//go:norace
func (f *setup) run(who uint32, l steps) {
	if i, errno := l.perform(&f.registers); i != len(l) {
		f.send(who, uint32(i), uint32(errno))
		exit()
	}
}

// awaitHangup returns when the launcher's end of the lifeline is closed.
//
//go:nosplit
//go:norace
func awaitHangup(lifeline uintptr) {
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
func (f *setup) send(a, b, c uint32) {
	m := [3]uint32{a, b, c} // on the stack: other processes may be writing too
	syscall.RawSyscall(unix.SYS_WRITE, uintptr(f.report), uintptr(unsafe.Pointer(&m)),
		unsafe.Sizeof(m))
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
	syscall.RawSyscall6(unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(old)), 8, 0, 0)
}

// A sigaction is the kernel's, the same on both architectures.
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     sigset
}

// handled returns the signals that have a handler now, the first in the lowest bit. An ignored one
// (nohup) is not among them: it must stay ignored in the child.
func handled() (set sigset) {
	for sig := uintptr(1); sig <= 64; sig++ {
		var old sigaction
		_, _, errno := syscall.RawSyscall6(unix.SYS_RT_SIGACTION, sig, 0,
			uintptr(unsafe.Pointer(&old)), 8, 0, 0)
		if errno == 0 && old.handler > 1 { // 0 is SIG_DFL, 1 is SIG_IGN
			set |= 1 << (sig - 1)
		}
	}
	return set
}

// spawn forks a process that shares this one's memory and calls begin(f, who), whose code is at
// code, on the stack that ends at stack. It lets f escape, because a setup on a goroutine's stack
// would be moved while others use it.
func spawn(flags, stack, code uintptr, f *setup, who uintptr) (pid, errno uintptr)

// canEnd tries the calls by which a setup is ended, before there is one: a process that may not
// make them waits for ever, and the descriptor of the child is available only when its program
// runs, when it is too late to find it refused.
func canEnd() error {
	fd, err := unix.PidfdOpen(unix.Getpid(), 0)
	if err != nil {
		return &SetupError{"pidfd_open", err}
	}
	if err := unix.Close(fd); err != nil {
		return &SetupError{"close", err}
	}
	self := unix.Getpid() // no process is its own child
	if _, err := syscall.Wait4(self, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		return &SetupError{"wait4", err}
	}
	if err := unix.Waitid(unix.P_PID, self, nil, unix.WEXITED|unix.WNOHANG,
		nil); err != unix.ECHILD {
		return &SetupError{"waitid", err}
	}
	return nil
}

// readReport reads one message of a setup. It is 0 bytes long when there are no more.
func readReport(report int) (m [3]uint32, size int, err error) {
	for {
		size, err = unix.Read(report, unsafe.Slice((*byte)(unsafe.Pointer(&m)), unsafe.Sizeof(m)))
		if err != unix.EINTR {
			return m, size, err
		}
	}
}

// allocate makes the memory for the stacks.
func (f *setup) allocate() error {
	m, err := unix.Mmap(-1, 0, maxProcesses*stackSize, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return &SetupError{"mmap", err}
	}
	f.memory, f.stacks, f.code = m, uintptr(unsafe.Pointer(&m[0])), entry()
	return nil
}
