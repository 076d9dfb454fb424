package sandbox

import (
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Process is a started command.
type Process struct {
	process *os.Process
	over    atomic.Bool // its number may be that of another
}

// Pid returns its number.
func (p *Process) Pid() int { return p.process.Pid }

// Wait returns how the command ended, and kills what is left of its process group.
func (p *Process) Wait() (Status, error) {
	state, err := p.process.Wait()
	if err != nil {
		return Status{}, err
	}
	p.Kill()
	p.over.Store(true)
	s := Status{UserTime: state.UserTime(), SystemTime: state.SystemTime()}
	if usage, ok := state.SysUsage().(*syscall.Rusage); ok {
		s.MaxMemory = usage.Maxrss
	}
	if w := state.Sys().(syscall.WaitStatus); w.Signaled() {
		s.Signal, s.CoreDump = w.Signal(), w.CoreDump()
	} else {
		s.Exited, s.Code = true, w.ExitStatus()
	}
	return s, nil
}

// Next is Wait: stops are not reported.
func (p *Process) Next() (Status, error) { return p.Wait() }

// Signal sends a signal to the command.
func (p *Process) Signal(s syscall.Signal) error { return p.process.Signal(s) }

// SignalGroup sends a signal to its process group; none when the command is over.
func (p *Process) SignalGroup(s syscall.Signal) error {
	if p.over.Load() {
		return os.ErrProcessDone
	}
	return unix.Kill(-p.Pid(), s)
}

// Kill kills its process group.
func (p *Process) Kill() { _ = p.SignalGroup(syscall.SIGKILL) }

// End has its process group tidy up, and kills it after grace.
func (p *Process) End(_ Limit, grace time.Duration) {
	_ = p.SignalGroup(syscall.SIGTERM)
	time.AfterFunc(grace, p.Kill)
}
