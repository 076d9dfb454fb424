//go:build linux || darwin

package sandbox

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// A beltProcess is a command that was started in Seatbelt. It leads a session and a process group.
type beltProcess struct {
	process *os.Process
	over    atomic.Bool // its number may be that of another
}

// Pid returns its number.
func (p *beltProcess) Pid() int { return p.process.Pid }

// Wait returns how the command ended, and kills what is left of its session.
func (p *beltProcess) Wait() (Status, error) {
	state, err := p.process.Wait()
	if err != nil {
		return Status{}, err
	}
	p.Kill()
	p.over.Store(true)
	s := Status{UserTime: state.UserTime(), SystemTime: state.SystemTime()}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		s.MaxMemory = int64(usage.Maxrss) * rssUnit
	}
	if w := state.Sys().(syscall.WaitStatus); w.Signaled() {
		s.Signal, s.CoreDump = w.Signal(), w.CoreDump()
	} else {
		s.Exited, s.Code = true, w.ExitStatus()
	}
	return s, nil
}

// Next is Wait: stops are not reported.
func (p *beltProcess) Next() (Status, error) { return p.Wait() }

// Signal sends a signal to the command.
func (p *beltProcess) Signal(s syscall.Signal) error { return p.process.Signal(s) }

// SignalGroup sends a signal to its process group; none when the command is over.
func (p *beltProcess) SignalGroup(s syscall.Signal) error {
	if p.over.Load() {
		return os.ErrProcessDone
	}
	return unix.Kill(-p.Pid(), s)
}

// Kill kills its process group, and the other groups of its session. A process that has left the
// session goes on.
func (p *beltProcess) Kill() {
	_ = p.SignalGroup(syscall.SIGKILL)
	for _, pid := range sessionOf(p.Pid()) {
		_ = unix.Kill(pid, syscall.SIGKILL)
	}
}

// End has its process group tidy up, and kills it after grace.
func (p *beltProcess) End(_ Limit, grace time.Duration) {
	_ = p.SignalGroup(syscall.SIGTERM)
	time.AfterFunc(grace, p.Kill)
}

// Freeze stops its process group. Processes of other groups go on.
func (p *beltProcess) Freeze() { _ = p.SignalGroup(syscall.SIGSTOP) }

// Thaw continues it.
func (p *beltProcess) Thaw() { _ = p.SignalGroup(syscall.SIGCONT) }

// Hold reports false: what runs has to be ended.
func (*beltProcess) Hold() bool { return false }

// Release does nothing.
func (*beltProcess) Release() {}

// Stay does nothing: what is left is killed.
func (*beltProcess) Stay() {}

// Settle does nothing: nothing answers calls.
func (*beltProcess) Settle() {}

// Traffic returns nothing: no one sees its connections.
func (*beltProcess) Traffic() broker.Traffic { return broker.Traffic{} }

// TrafficSince returns nothing.
func (*beltProcess) TrafficSince(int) []broker.Connection { return nil }

// Noted returns nil, which is never ready.
func (*beltProcess) Noted() <-chan struct{} { return nil }
