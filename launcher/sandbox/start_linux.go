//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// begin forks the processes that build the sandbox, and at the same time fills the ruleset that the
// child will enter: the rules, one for each neighbour of a hidden name, take as long as everything
// that those processes have to do before.
func (b *builder) begin() error {
	b.prepareNamespaces()
	err := b.prepare()
	if err != nil {
		b.group.remove()
	} else if err = b.launch(); err == nil {
		if err = b.rules(); err != nil {
			// the child waits for it, and where it has no group yet nothing else ends it
			b.release(b.setup.ruling)
			b.cancel()
		} else {
			// a child that is gone has reported why; without this byte it goes no further
			_, _ = unix.Write(b.setup.ruling, []byte{0})
		}
	}
	if err != nil {
		b.close()
	}
	return err
}

// prepareNamespaces makes sure that there are namespaces for the run, and no other one.
func (b *builder) prepareNamespaces() {
	if b.level != Strong || b.prepared != nil &&
		(b.prepared.network == Full) == (b.profile.Network == Full) {
		return
	}
	b.prepared.Release()
	b.prepared = Prepare(b.profile.Network)
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
	for _, part := range []func() error{b.check, b.hideable, b.account, b.bounds, b.pipes,
		b.socket, b.rulesets, b.supervisor, b.child} {
		if err := part(); err != nil {
			return err
		}
	}
	return nil
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
		b.starting = b.once
	}
	if b.profile.Network == Hosts {
		if b.giving, err = newOnce(); err != nil {
			return err
		}
		if b.profile.Reach.ByProgram() && !b.profile.OneProgram {
			if b.starting, err = newOnce(); err != nil {
				return err
			}
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

// pipes makes the pipes of the setup.
func (b *builder) pipes() error {
	f := &b.setup
	if err := canEnd(); err != nil {
		return err
	}
	for _, ends := range [][2]*int{{&f.lifeline, &f.holding}, {&f.reading, &f.report},
		{&f.waiting, &f.going}, {&f.ruled, &f.ruling}} {
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

// launch forks the setup. It builds the sandbox by itself, and then waits to be let go.
func (b *builder) launch() error {
	f := &b.setup
	p := &Process{
		level: b.level, group: b.group, memory: b.memoryDirs(), done: make(chan struct{}),
		ids:   ids{pidfd: -1, init: -1, gone: f.waiting, stacks: f.memory},
		state: state{lifeline: f.holding},
	}
	register(p)
	syscall.ForkLock.Lock() // see start
	guard, errno := f.start(ofSupervisor, 0)
	p.forker = unix.Gettid() // unless the goroutine has moved to another thread
	syscall.ForkLock.Unlock()
	if errno != 0 {
		p.reapOrphans(true)
		return &SetupError{"clone", errno}
	}
	// Only those processes may hold these from now on, or their end would never be seen.
	b.release(f.report)
	b.release(f.lifeline)
	p.guard, b.process = guard, p
	b.setup.memory = nil
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
		_, err = unix.Write(b.setup.going, []byte{0})
	}
	if err != nil {
		p.Kill() // the child waits to be let go for as long as the supervisor is there
		b.release(b.setup.going)
		// a child that failed has sent nothing: that is no second reason
		if cause := b.follow(p); cause != nil {
			err = cause
		}
		p.abandon()
		return nil, b.receipt, err
	}
	b.release(b.setup.going)
	if err = b.follow(p); err != nil {
		p.abandon()
		return nil, b.receipt, err
	}
	p.pidfd, err = unix.PidfdOpen(p.pid, 0)
	if err != nil {
		p.abandon()
		return nil, b.receipt, &SetupError{"pidfd_open", err}
	}
	if err := b.answers(); err != nil {
		p.abandon()
		return nil, b.receipt, err
	}
	if p.init >= 0 {
		p.space = space(p.pid)
	}
	b.joined(p)
	b.lowered()
	endFirst(p.pid)
	p.group = b.group
	p.watch(b.profile.Limits)
	return p, b.receipt, nil
}

// endFirst makes a kernel that runs out of memory prefer pid, and what it starts from now on, to
// the launcher, with whom the supervisor ends: they share their memory, and at Base the tree would
// go on without its guard. It comes after the exec, because before it the value is that of all who
// share the memory. A tenth of the machine's memory is added to what pid counts as; the launcher
// has a few megabytes. A program that its user may not read keeps what it has.
func endFirst(pid int) {
	fd, err := unix.Open(proc.Dir(pid)+"oom_score_adj", unix.O_RDWR|unix.O_CLOEXEC, 0)
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

// cancel ends a setup that has not been let go.
func (b *builder) cancel() {
	b.process.Kill()
	b.release(b.setup.going)
	_ = b.follow(b.process) // which tells who there is to reap
	b.process.abandon()
}

// follow reads the report pipe to its end, which is the moment of the exec.
func (b *builder) follow(p *Process) error {
	var failure error
	for {
		m, n, err := readReport(b.setup.reading)
		switch {
		case err != nil:
			return &SetupError{"read report", err}
		case n == 0 && failure == nil && p.pid == 0:
			return &SetupError{"clone", errors.New("the child was killed before it could start")}
		case n == 0:
			return failure
		default:
			failure = errors.Join(failure, b.takeReport(p, m))
		}
	}
}

// heard takes one message in.
func (b *builder) takeReport(p *Process, m [3]uint32) error {
	errno := syscall.Errno(m[2])
	roles := map[uint32]steps{ofSupervisor: b.setup.supervisor, ofInit: b.setup.init,
		ofChild: b.setup.child, ofAnchor: b.setup.anchor, ofSettle: b.setup.settle}
	switch m[0] {
	case childPid:
		p.named(int(m[1]))
		return nil
	case initPid:
		p.initPid = int(m[1])
		p.init, _ = unix.PidfdOpen(p.initPid, 0) // or the supervisor ends it alone
		return nil
	}
	l := roles[m[0]]
	if m[1] == notConfined {
		return &SetupError{"signal scope", errors.New("a signal to the launcher was not refused")}
	}
	if m[1] >= uint32(len(l)) {
		return &SetupError{"clone", errno}
	}
	if m[0] == ofChild && int(m[1]) >= b.exec {
		return &ExecError{Path: b.command.Path, Err: errno}
	}
	if errno == 0 {
		return &SetupError{l[m[1]].what, errors.New("it was not refused")}
	}
	return &SetupError{l[m[1]].what, errno}
}
