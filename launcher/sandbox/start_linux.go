//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Start builds the fence that p describes and starts c inside it. Nothing of c has run when an error is returned:
// ErrUnsupported when the level is out of reach, *CannotHideError when the level cannot express the profile,
// *SetupError when a step of the fence failed, *ExecError when the program could not be executed.
func Start(p Profile, c Command) (*Process, Receipt, error) {
	held, err := Begin(p, c)
	if err != nil {
		return nil, Receipt{}, err
	}
	return held.Go()
}

// A builder turns a profile and a command into a family. All its descriptors are closed when it is done.
type builder struct {
	profile  Profile
	command  Command
	landlock landlock
	level    Level
	failure  error // why Strong, tried before, is not to be had

	unanswered error // why the network that was asked for is not to be had

	once   once     // of the exec, with Profile.OneProgram
	giving once     // of the message by which the child hands the listener over, with Hosts
	hidden []string // resolved names
	kept   []string // resolved names of what is read-only in a writable tree

	nest     *Nest            // at Strong
	group    *group           // control groups of the run, or nil
	silent   bool             // answer no calls: there is another listener above us
	place    int              // at Strong with terminals: the number at which the steward holds the other side of the name of the command's own
	asking   []int            // the socket that the listener comes through: the launcher's end and the child's; then numbers that the child uses for what it sends
	servers  []netip.AddrPort // whom the child asks for names
	listener int              // to answer by, since it was handed over
	broker   *broker
	family   family
	stacks   []byte // of the family
	files    *ruleset
	scope    *ruleset
	closing  []int
	receipt  Receipt
	process  *Process // since the fork
	exeFd    int      // where the child has the program's file; -1 when it goes by name
	trial    bool     // exit instead of executing
	execAt   int      // index of the first step in the child's life that executes the program
}

// begin forks a family that builds the fence, and meanwhile fills the ruleset that the child will enter: the rules, one for each neighbour of what is
// hidden, take as long as all the family has to do before.
func (b *builder) begin() error {
	b.settle()
	err := b.prepare()
	if err != nil {
		b.group.remove()
	} else if err = b.launch(); err == nil {
		if err = b.rules(); err != nil {
			b.release(b.family.ruling) // the child waits for it, and where it has no group yet nobody else ends it
			b.cancel()
		} else {
			_, _ = unix.Write(b.family.ruling, []byte{0}) // a child that is gone has told why; one that does not hear it goes no further
		}
	}
	if err != nil {
		b.close()
	}
	return err
}

// settle makes sure that there is a nest for the run, and no other one.
func (b *builder) settle() {
	if b.level != Strong || b.nest != nil && (b.nest.network == Full) == (b.profile.Network == Full) {
		return
	}
	b.nest.Leave()
	b.nest = Ahead(b.profile.Network)
}

// start begins and lets go.
func (b *builder) start() (*Process, Receipt, error) {
	if err := b.begin(); err != nil {
		return nil, b.receipt, err
	}
	return b.letGo()
}

// prepare does all that can be done before the fork.
func (b *builder) prepare() error {
	for _, part := range []func() error{b.check, b.hideable, b.account, b.bounds, b.pipes, b.socket, b.rulesets, b.steward, b.child} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) close() {
	b.nest.Leave()
	if b.stacks != nil {
		unix.Munmap(b.stacks)
	}
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
	if b.profile.OneProgram {
		if b.once, err = newOnce(); err != nil {
			return err
		}
	}
	if b.profile.Network == Hosts {
		if b.giving, err = newOnce(); err != nil {
			return err
		}
	}
	if b.hidden, err = resolve(b.profile.Hide); err != nil {
		return err
	}
	if b.kept, err = resolve(b.profile.ReadOnly); err != nil {
		return err
	}
	return b.temporary()
}

// canEnd tries the calls by which a family is ended, before there is one: who may not make them waits for ever, and the descriptor of the child
// can be had only when its program runs, when it is too late to be refused one.
func canEnd() error {
	fd, err := unix.PidfdOpen(unix.Getpid(), 0)
	if err != nil {
		return &SetupError{"pidfd_open", err}
	}
	if err := unix.Close(fd); err != nil {
		return &SetupError{"close", err}
	}
	self := unix.Getpid() // nobody's own child
	if _, err := syscall.Wait4(self, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		return &SetupError{"wait4", err}
	}
	if err := unix.Waitid(unix.P_PID, self, nil, unix.WEXITED|unix.WNOHANG, nil); err != unix.ECHILD {
		return &SetupError{"waitid", err}
	}
	return nil
}

// pipes makes the pipes of the family.
func (b *builder) pipes() error {
	f := &b.family
	if err := canEnd(); err != nil {
		return err
	}
	for _, ends := range [][2]*int{{&f.lifeline, &f.holding}, {&f.reading, &f.report}, {&f.waiting, &f.going}, {&f.ruled, &f.ruling}} {
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

// launch forks the family. It builds the fence by itself, and then waits to be let go.
func (b *builder) launch() error {
	f := &b.family
	p := &Process{level: b.level, stacks: b.stacks, pidfd: -1, init: -1, lifeline: f.holding, gone: f.waiting, group: b.group, memory: b.memoryDirs(), done: make(chan struct{})}
	register(p)
	guard, errno := f.start(aboutSteward, 0)
	if errno != 0 {
		p.bury(true)
		return &SetupError{"clone", errno}
	}
	// Only the family may hold these from now on, or their end would never be seen.
	b.release(f.report)
	b.release(f.lifeline)
	p.guard, b.process = guard, p
	b.stacks = nil
	b.keep(f.holding)
	b.keep(f.waiting)
	return nil
}

// letGo lets the child execute its program, and returns when that runs.
func (b *builder) letGo() (*Process, Receipt, error) {
	defer b.close()
	p := b.process
	err := b.listen()
	if err == nil {
		_, err = unix.Write(b.family.going, []byte{0})
	}
	if err != nil {
		p.Kill() // the child waits to be let go for as long as the steward is there
		b.release(b.family.going)
		if cause := b.follow(p); cause != nil { // a child that failed has sent nothing: that is no second reason
			err = cause
		}
		p.abandon()
		return nil, b.receipt, err
	}
	b.release(b.family.going)
	if err = b.follow(p); err != nil {
		p.abandon()
		return nil, b.receipt, err
	}
	p.pidfd, err = unix.PidfdOpen(p.pid, 0)
	if err != nil {
		p.abandon()
		return nil, b.receipt, &SetupError{"pidfd_open", err}
	}
	if err := b.answers(p); err != nil {
		p.abandon()
		return nil, b.receipt, err
	}
	if p.init >= 0 {
		p.space = space(p.pid)
	}
	b.joined(p)
	b.lowered()
	sooner(p.pid)
	p.group = b.group
	p.watch(b.profile.Limits)
	return p, b.receipt, nil
}

// sooner makes a kernel that runs out of memory prefer pid, and what it starts from now on, to the launcher, with whom the steward ends: they share their memory, and at
// Base the tree would go on without its guard. It comes after the exec, because before it the value is that of all who share the memory. A tenth of
// the machine's memory is added to what pid counts as; the launcher has a few megabytes. A program that its user may not read keeps what it has.
func sooner(pid int) {
	fd, err := unix.Open("/proc/"+itoa(pid)+"/oom_score_adj", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(fd)
	var text [16]byte
	n, err := unix.Pread(fd, text[:], 0)
	if err != nil {
		return
	}
	if score, err := strconv.Atoi(strings.TrimSpace(string(text[:n]))); err == nil {
		_, _ = unix.Write(fd, []byte(itoa(min(score+100, 1000))))
	}
}

// cancel ends a family that has not been let go.
func (b *builder) cancel() {
	b.process.Kill()
	b.release(b.family.going)
	_ = b.follow(b.process) // which tells who there is to reap
	b.process.abandon()
}

// follow reads the report pipe to its end, which is the moment of the exec.
func (b *builder) follow(p *Process) error {
	var failure error
	for {
		m, n, err := hear(b.family.reading)
		switch {
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

// hear reads one message of a family. It is 0 bytes long when there are no more.
func hear(report int) (m [3]uint32, size int, err error) {
	for {
		size, err = unix.Read(report, unsafe.Slice((*byte)(unsafe.Pointer(&m)), unsafe.Sizeof(m)))
		if err != unix.EINTR {
			return m, size, err
		}
	}
}

// heard takes one message in.
func (b *builder) heard(p *Process, m [3]uint32) error {
	errno := syscall.Errno(m[2])
	lives := map[uint32]life{aboutSteward: b.family.steward, aboutInit: b.family.init, aboutChild: b.family.child, aboutAnchor: b.family.anchor, aboutSettle: b.family.settle}
	switch m[0] {
	case childPid:
		p.named(int(m[1]))
		return nil
	case initPid:
		p.initPid = int(m[1])
		p.init, _ = unix.PidfdOpen(p.initPid, 0) // or the steward ends it alone
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
