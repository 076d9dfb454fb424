//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Start builds the fence that p describes and starts c inside it. Nothing of c has run when an error is returned:
// ErrUnsupported when the level is out of reach, *CannotHideError when the level cannot express the profile,
// *SetupError when a step of the fence failed, *ExecError when the program could not be executed.
func Start(p Profile, c Command) (*Process, Receipt, error) {
	ll, err := queryLandlock()
	if err != nil {
		return nil, Receipt{}, fmt.Errorf("%w: Landlock: %w", ErrUnsupported, err)
	}
	if p.Network != Off && p.Network != Full {
		return nil, Receipt{}, fmt.Errorf("%w: network mode %q", ErrUnsupported, p.Network)
	}
	if p.Most == Base && p.Require == Strong {
		return nil, Receipt{}, fmt.Errorf("%w: level strong is required and not to be tried", ErrUnsupported)
	}
	var lost []Loss
	if p.Most != Base {
		strong := &builder{profile: p, command: c, landlock: ll, level: Strong}
		process, receipt, err := strong.start()
		var setup *SetupError
		if !errors.As(err, &setup) {
			return process, receipt, err
		}
		if p.Require == Strong {
			return nil, receipt, fmt.Errorf("%w: level strong: %w", ErrUnsupported, err)
		}
		lost = append(lost, Loss{Namespaces, setup.Error()})
	}
	base := &builder{profile: p, command: c, landlock: ll, level: Base}
	base.receipt.Lost = lost
	return base.start()
}

// A builder turns a profile and a command into a family. All its descriptors are closed when it is done.
type builder struct {
	profile  Profile
	command  Command
	landlock landlock
	level    Level
	hidden   []string // resolved names
	kept     []string // resolved names of what is read-only in a writable tree

	family  family
	files   *ruleset
	scope   *ruleset
	closing []int
	receipt Receipt
	mask    sigset // the signals that were blocked before the fork
	exeFd   int    // where the child has the program's file; -1 when it goes by name
	trial   bool   // exit instead of executing
	execAt  int    // index of the first step in the child's life that executes the program
}

func (b *builder) start() (*Process, Receipt, error) {
	defer b.close()
	if err := b.prepare(); err != nil {
		return nil, b.receipt, err
	}
	return b.launch()
}

// prepare does all that can be done before the fork.
func (b *builder) prepare() error {
	for _, part := range []func() error{b.check, b.account, b.pipes, b.rulesets, b.steward, b.child} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) close() {
	for _, fd := range b.closing {
		unix.Close(fd)
	}
	runtime.KeepAlive(b.command)
	runtime.KeepAlive(b.profile)
}

// own takes charge of a descriptor. It is moved out of the range that the child's own descriptors take.
func (b *builder) own(fd int) (int, error) {
	if least := len(b.command.Files); fd < least {
		moved, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, least)
		unix.Close(fd)
		if err != nil {
			return -1, err
		}
		fd = moved
	}
	b.closing = append(b.closing, fd)
	return fd, nil
}

func (b *builder) check() error {
	c := b.command
	if c.Path == "" && c.Exe == nil {
		return &ExecError{Path: "", Err: unix.ENOENT}
	}
	if c.HasTTY && (c.TTY < 0 || c.TTY >= len(c.Files) || c.Files[c.TTY] == nil) {
		return fmt.Errorf("sandbox: terminal %d is not one of the %d files", c.TTY, len(c.Files))
	}
	var err error
	if b.hidden, err = resolve(b.profile.Hide); err != nil {
		return err
	}
	b.kept, err = resolve(b.profile.ReadOnly)
	return err
}

// pipes makes the pipes of the family.
func (b *builder) pipes() error {
	f := &b.family
	for _, ends := range [][2]*int{{&f.lifeline, &f.holding}, {&f.reading, &f.report}, {&f.waiting, &f.going}} {
		var p [2]int
		if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
			return &SetupError{"pipe", err}
		}
		for i, fd := range p {
			var err error
			if *ends[i], err = b.own(fd); err != nil {
				return &SetupError{"pipe", err}
			}
		}
	}
	return nil
}

// rulesets makes the two Landlock rulesets: the guard's, which is only a scope, and the child's.
func (b *builder) rulesets() error {
	all := b.landlock.handled()
	if b.level == Base && all.scoped&unix.LANDLOCK_SCOPE_SIGNAL != 0 {
		scope, err := b.newRuleset(abi{scoped: all.scoped})
		if err != nil {
			return err
		}
		b.scope, b.family.scoped = scope, true
	}
	if b.profile.Network != Off || b.level == Strong {
		all.net = 0 // handled and nothing granted would be "no TCP"
	}
	files, err := b.newRuleset(all)
	if err != nil {
		return err
	}
	b.files = files
	return b.rules()
}

func (b *builder) newRuleset(a abi) (*ruleset, error) {
	r, err := newRuleset(a)
	if err != nil {
		return nil, err
	}
	r.fd, err = b.own(r.fd)
	return r, err
}

// rules fills the child's ruleset.
func (b *builder) rules() error {
	p := b.profile
	for _, w := range p.Write {
		for _, h := range b.hidden {
			if b.level < Strong && within(h, w.Name) {
				return &CannotHideError{Path: h, Root: w.Name, Level: b.level}
			}
		}
		if err := b.files.allowPath(w, fsRead|fsExec|fsWrite); err != nil {
			return err
		}
	}
	for _, r := range p.Read {
		hidden := b.hidden
		if b.level == Strong {
			if within(r.Name, "/proc") {
				continue // allowed later, on the private one
			}
			hidden = b.openly()
		}
		if err := b.files.allowAround(r, fsRead|fsExec, hidden); err != nil {
			return err
		}
	}
	for _, n := range p.List {
		if err := b.files.allowPath(n, fsList); err != nil {
			return err
		}
	}
	for _, d := range p.Devices {
		if err := b.files.allowPath(d, fsDevice); err != nil {
			return err
		}
	}
	if b.command.HasTTY {
		tty := b.command.Files[b.command.TTY]
		return b.files.allowPath(Path{Name: tty.Name(), File: tty}, fsDevice)
	}
	return nil
}

// openly returns the hidden names that no mount can cover, because something in them is allowed.
func (b *builder) openly() []string {
	var names []string
	for _, name := range b.hidden {
		if b.leadsTo(name) {
			names = append(names, name)
		}
	}
	return names
}

// steward lists what the steward does, and those who are only there.
func (b *builder) steward() error {
	f := &b.family
	f.launcher = uintptr(os.Getpid())
	f.settle.add("close files", unix.SYS_CLOSE_RANGE, 0, uintptr(f.lifeline-1))
	f.settle.add("close files", unix.SYS_CLOSE_RANGE, uintptr(f.lifeline+1), ^uintptr(0)>>32)
	ignore := *f.settle.add("ignore dead children", unix.SYS_RT_SIGACTION, uintptr(unix.SIGCHLD), hold(&f.arena, &sigaction{handler: 1}), 0, 8)
	// Out of the launcher's session: what is sent to its group or typed on its terminal is not for the steward.
	f.steward.add("setsid", unix.SYS_SETSID)
	if b.command.HasTTY {
		var tty int
		if err := control(b.command.Files[b.command.TTY], func(fd int) error { tty = fd; return nil }); err != nil {
			return err
		}
		f.steward.add("set controlling terminal", unix.SYS_IOCTL, uintptr(tty), unix.TIOCSCTTY, 0)
		f.anchor = companion()
	}
	if b.level == Strong {
		f.flags = stewardFlags
		if b.profile.Network == Off {
			f.flags |= unix.CLONE_NEWNET
		}
		f.init = companion()
		// With its children's deaths ignored, the kernel reaps every orphan by itself, and the init has nothing to do but to be there.
		f.init = append(f.init, ignore)
		return b.namespaces(&f.steward)
	}
	if f.scoped {
		f.steward.add("no new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
		f.steward.add("landlock_restrict_self", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(b.scope.fd))
	}
	return nil
}

// companion lists what a process does that is only there: it lets go of everything, and ends with its parent.
func companion() life {
	var l life
	l.add("end with the steward", unix.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL))
	l.add("close files", unix.SYS_CLOSE_RANGE, 0, ^uintptr(0)>>32)
	return l
}

// child lists what the child does. The order is the argument: each step is where it is because
// something before it is still needed, or something after it would be refused.
func (b *builder) child() error {
	l := &b.family.child
	if b.command.HasTTY {
		l.add("new process group", unix.SYS_SETPGID, 0, 0)
		l.add("wait for the anchor", unix.SYS_CLOSE, uintptr(b.family.going))
		l.add("wait for the anchor", unix.SYS_READ, uintptr(b.family.waiting), hold(&b.family.arena, new([8]byte)), 1).must(1)
	} else {
		l.add("setsid", unix.SYS_SETSID)
	}
	if err := b.childFiles(l); err != nil {
		return err
	}
	b.childLimits(l)
	b.childSignals(l)
	dropCapabilities(l, &b.family.arena)
	l.add("no new privileges", unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1)
	l.add("landlock_restrict_self", unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(b.files.fd))
	// The filter comes after all that it would refuse.
	program := filter(b.inet(), b.profile.Debug)
	prog := &unix.SockFprog{Len: uint16(len(program)), Filter: (*unix.SockFilter)(unsafe.Pointer(&program[0]))}
	l.add("seccomp", unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, hold(&b.family.arena, prog))
	b.canaries(l)
	return b.childExec(l)
}

// inet reports whether the child may make internet sockets.
func (b *builder) inet() bool { return b.profile.Network == Full || b.level == Strong }

// childFiles gives the child its descriptors and working directory, and marks everything else to be closed by the exec.
func (b *builder) childFiles(l *life) error {
	c := b.command
	sources := make([]*os.File, 0, len(c.Files)+2)
	sources = append(append(sources, c.Files...), c.Dir, c.Exe)
	numbers := make([]int, len(sources))
	high := len(sources)
	for _, fd := range b.closing {
		high = max(high, fd+1)
	}
	for i, file := range sources {
		numbers[i] = -1
		if file == nil {
			continue
		}
		// Fd and not control: it also puts the file in blocking mode, which programs expect of what they inherit.
		if numbers[i] = int(file.Fd()); numbers[i] < 0 {
			return fmt.Errorf("sandbox: descriptor %d (%q): %w", i, file.Name(), os.ErrClosed)
		}
		high = max(high, numbers[i]+1)
	}
	// First out of the way, then into place: a source may have the number of another's place.
	for i, fd := range numbers {
		if fd >= 0 {
			l.add("place descriptors", unix.SYS_DUP3, uintptr(fd), uintptr(high+i), unix.O_CLOEXEC)
		}
	}
	for i := range c.Files {
		if numbers[i] >= 0 {
			l.add("place descriptors", unix.SYS_DUP3, uintptr(high+i), uintptr(i), 0)
		} else {
			l.add("place descriptors", unix.SYS_CLOSE, uintptr(i)).or(unix.EBADF)
		}
	}
	l.add("close other descriptors", unix.SYS_CLOSE_RANGE, uintptr(len(c.Files)), ^uintptr(0)>>32, unix.CLOSE_RANGE_CLOEXEC)
	if c.HasTTY {
		// All signals are blocked, SIGTTOU too, so a group in the background may do this.
		l.add("move to the foreground", unix.SYS_GETPGID, 0).kept(registerCount - 1)
		l.add("move to the foreground", unix.SYS_IOCTL, uintptr(c.TTY), unix.TIOCSPGRP, uintptr(unsafe.Pointer(&b.family.registers[registerCount-1])))
	}
	if b.level == Strong {
		b.privateProc(l, high+len(sources))
		if err := b.enterDir(l); err != nil {
			return err
		}
	} else if c.Dir != nil {
		l.add("change directory", unix.SYS_FCHDIR, uintptr(high+len(c.Files)))
	}
	b.exeFd = -1
	if c.Exe != nil {
		b.exeFd = high + len(c.Files) + 1
	}
	return nil
}

// childLimits sets the resource limits. The Go runtime raises the soft limit of open files for itself when it
// starts; the child gets back what our parent has, which is what we were started with.
func (b *builder) childLimits(l *life) {
	set := func(what string, resource uintptr, value uint64) {
		if value != 0 {
			l.add("limit "+what, unix.SYS_PRLIMIT64, 0, resource, hold(&b.family.arena, &unix.Rlimit{Cur: value, Max: value}))
		}
	}
	limits := b.profile.Limits
	set("processor time", unix.RLIMIT_CPU, limits.CPU)
	set("memory", unix.RLIMIT_AS, limits.Memory)
	set("file size", unix.RLIMIT_FSIZE, limits.FileSize)
	set("processes", unix.RLIMIT_NPROC, limits.Processes)
	set("open files", unix.RLIMIT_NOFILE, limits.Files)
	if limits.Files == 0 {
		var ours, parents unix.Rlimit
		if unix.Prlimit(0, unix.RLIMIT_NOFILE, nil, &ours) != nil {
			return
		}
		if unix.Prlimit(os.Getppid(), unix.RLIMIT_NOFILE, nil, &parents) != nil {
			parents.Cur = 1024 // what Linux has always started with
		}
		ours.Cur = min(parents.Cur, ours.Max)
		l.add("limit open files", unix.SYS_PRLIMIT64, 0, unix.RLIMIT_NOFILE, hold(&b.family.arena, &ours))
	}
}

// childSignals puts every handler back to its default, and then lets signals through again.
func (b *builder) childSignals(l *life) {
	dfl := hold(&b.family.arena, &sigaction{})
	for _, sig := range handled() {
		l.add("reset signals", unix.SYS_RT_SIGACTION, sig, dfl, 0, 8)
	}
	l.add("reset signals", unix.SYS_RT_SIGPROCMASK, unix.SIG_SETMASK, hold(&b.family.arena, &b.mask), 0, 8)
}

// dropCapabilities takes every capability away for good. Root without capabilities is still the owner of root's files, and Landlock's business;
// root with CAP_PERFMON or CAP_SYS_ADMIN could read the environment of processes outside in spite of Landlock.
func dropCapabilities(l *life, a *arena) {
	for c := uintptr(0); c <= unix.CAP_LAST_CAP+8; c++ { // a newer kernel may have a few more
		l.add("drop bounding set", unix.SYS_PRCTL, unix.PR_CAPBSET_DROP, c).anyway() // without CAP_SETPCAP there is nothing to drop
	}
	l.add("clear ambient set", unix.SYS_PRCTL, unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL)
	header := &unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	l.add("drop capabilities", unix.SYS_CAPSET, hold(a, header), hold(a, &[2]unix.CapUserData{}))
}

// childExec ends the child's life by becoming the program.
func (b *builder) childExec(l *life) error {
	c, a := b.command, &b.family.arena
	b.execAt = len(*l)
	if b.trial {
		l.add("exit", unix.SYS_EXIT_GROUP, 0)
		return nil
	}
	argv, err := a.pointers(c.Argv)
	if err != nil {
		return fmt.Errorf("sandbox: argument list: %w", err)
	}
	envp, err := a.pointers(c.Env)
	if err != nil {
		return fmt.Errorf("sandbox: environment: %w", err)
	}
	path, err := syscall.BytePtrFromString(c.Path)
	if err != nil {
		return fmt.Errorf("sandbox: program %q: %w", c.Path, err)
	}
	if b.exeFd >= 0 {
		// ENOENT is how the kernel says that a script cannot be opened by a descriptor that the exec closes.
		s := l.add("execute", unix.SYS_EXECVEAT, uintptr(b.exeFd), a.text(""), argv, envp, unix.AT_EMPTY_PATH)
		if c.Path == "" {
			return nil
		}
		s.or(unix.ENOENT)
	}
	l.add("execute", unix.SYS_EXECVE, hold(a, path), argv, envp)
	return nil
}

// launch forks the family, follows its reports, and returns when the program runs.
func (b *builder) launch() (*Process, Receipt, error) {
	f := &b.family
	guard, errno := f.start(&b.mask)
	if errno != 0 {
		return nil, b.receipt, &SetupError{"clone", errno}
	}
	// Only the family may hold these from now on, or their end would never be seen.
	b.release(f.report)
	b.release(f.lifeline)
	p := &Process{guard: guard, pidfd: -1, lifeline: f.holding}
	b.keep(f.holding)
	if b.level == Strong {
		if err := mapIDs(guard); err != nil {
			p.abandon()
			return nil, b.receipt, &SetupError{"map ids", err}
		}
		unix.Write(f.holding, []byte{0})
	}
	err := b.follow(p)
	if err != nil {
		p.abandon()
		return nil, b.receipt, err
	}
	p.pidfd, err = unix.PidfdOpen(p.pid, 0)
	if err != nil {
		p.abandon()
		return nil, b.receipt, &SetupError{"pidfd_open", err}
	}
	return p, b.receipt, nil
}

// follow reads the report pipe to its end, which is the moment of the exec.
func (b *builder) follow(p *Process) error {
	var failure error
	for {
		var m [3]uint32
		n, err := unix.Read(b.family.reading, unsafe.Slice((*byte)(unsafe.Pointer(&m)), unsafe.Sizeof(m)))
		switch {
		case err == unix.EINTR:
		case err != nil:
			return &SetupError{"read report", err}
		case n == 0 && failure == nil && p.pid == 0:
			return &SetupError{"clone", errors.New("the child was killed before it could start")}
		case n == 0:
			return failure
		default:
			failure = errors.Join(failure, b.heard(p, m))
		}
	}
}

// heard takes one message in.
func (b *builder) heard(p *Process, m [3]uint32) error {
	errno := syscall.Errno(m[2])
	lives := map[uint32]life{aboutSteward: b.family.steward, aboutInit: b.family.init, aboutChild: b.family.child, aboutAnchor: b.family.anchor, aboutSettle: b.family.settle}
	if m[0] == childPid {
		p.pid = int(m[1])
		return nil
	}
	l := lives[m[0]]
	if m[1] == notConfined {
		return &SetupError{"signal scope", errors.New("a signal to the launcher was not refused")}
	}
	if m[1] >= uint32(len(l)) {
		return &SetupError{"clone", errno}
	}
	if m[0] == aboutChild && int(m[1]) >= b.execAt {
		return &ExecError{Path: b.command.Path, Err: errno}
	}
	if errno == 0 {
		return &SetupError{l[m[1]].what, errors.New("it was not refused")}
	}
	return &SetupError{l[m[1]].what, errno}
}

func (b *builder) keep(fd int) {
	for i, c := range b.closing {
		if c == fd {
			b.closing = append(b.closing[:i], b.closing[i+1:]...)
			return
		}
	}
}

func (b *builder) release(fd int) {
	b.keep(fd)
	unix.Close(fd)
}
