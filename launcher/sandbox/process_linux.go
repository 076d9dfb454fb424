//go:build amd64 || arm64

package sandbox

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/broker"
)

// A Process is a started command and everything it has started. It lives no longer than the program
// that called Start: when that ends, however it ends, so does the whole tree.
type Process struct {
	level  Level
	ids    // since the start
	group  *group
	broker *broker.Broker // nil when no calls are handed over
	memory []string       // directories of the run that are in memory
	done   chan struct{}  // closed when the tree has ended

	waiting sync.Mutex // one Next at a time
	stays   bool       // what the command leaves behind goes on; of waiting

	mu sync.Mutex
	state
}

// The ids are how the processes of a run are known.
type ids struct {
	pid   int
	guard int // the supervisor
	// the thread of this process that forked it
	forker int
	pidfd  int

	initPid int    // at Strong
	init    int    // a pidfd: at Strong the end of this process is that of the tree; -1 without one
	gone    int    // a pipe that ends when the supervisor does
	space   string // at Strong the command's pid namespace; "" when that may not be seen
	// what the supervisor and its like run on; not Go's, because they run after p is gone
	stacks []byte
}

// A state is what has become of a run so far; of mu.
type state struct {
	lifeline int // -1 when the tree has been ended
	ended    bool
	dead     bool // the command has ended, and its remaining processes continue
	last     Status
	lastErr  error
	exceeded Limit
	reached  Limit
	frozen   bool // by Freeze
	held     bool // by Hold
}

// Pid returns the process id of the command, as the caller sees it. It is also its process group,
// and its session when it has no terminal.
func (p *Process) Pid() int { return p.pid }

// Signal sends sig to the command. It returns os.ErrProcessDone when it has ended.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone
	}
	if p.held && sig == syscall.SIGCONT {
		return nil
	}
	return os.NewSyscallError("pidfd_send_signal", unix.PidfdSendSignal(p.pidfd, sig, nil, 0))
}

// SignalGroup sends sig to the command's process group. It returns os.ErrProcessDone when the
// command has ended.
func (p *Process) SignalGroup(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone
	}
	if p.held && sig == syscall.SIGCONT {
		return nil
	}
	return os.NewSyscallError("kill", syscall.Kill(-p.pid, sig))
}

// Kill ends the command and everything that it has started, stopped or ignoring signals or in
// another session. Wait still has to be called.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lifeline >= 0 {
		if p.init >= 0 { // the supervisor would do it, and takes the time to wake up
			_ = unix.PidfdSendSignal(p.init, unix.SIGKILL, nil, 0)
		}
		unix.Close(p.lifeline)
		p.lifeline = -1
	}
}

// Traffic returns what the run did with the network, once it has ended; without Hosts that is
// nothing. It waits a moment for the kernel's last reports.
func (p *Process) Traffic() broker.Traffic { return p.broker.Traffic() }

// Settle waits a moment until what was made for the run in the folders where it may write is gone.
// While a process of the run is left it does nothing.
func (p *Process) Settle() { p.broker.Settle() }

// Noted returns a channel on which something arrives when TrafficSince has more than before; nil,
// which never has anything, without Hosts.
func (p *Process) Noted() <-chan struct{} { return p.broker.Changed() }

// TrafficSince returns what the run has done with the network so far, after its first n
// connections. Only Traffic tells the amounts.
func (p *Process) TrafficSince(n int) []broker.Connection { return p.broker.Since(n) }

// End ends the run because it ran into limit: SIGTERM to the command's group, and SIGKILL to
// everything when grace is over, or at once when that is not more than 0. It does not wait.
// Status.Exceeded then says limit; the first End counts.
func (p *Process) End(limit Limit, grace time.Duration) {
	p.mu.Lock()
	if p.exceeded == "" && !p.ended {
		p.exceeded = limit
	}
	p.mu.Unlock()
	if grace <= 0 {
		p.Kill()
		return
	}
	_ = p.SignalGroup(unix.SIGTERM)
	_ = p.SignalGroup(unix.SIGCONT) // a stopped process does not take the other
	timer := time.AfterFunc(grace, p.Kill)
	go func() { <-p.done; timer.Stop() }()
}

// note remembers that the kernel refused more than a limit allows.
func (p *Process) note(limit Limit) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.reached == "" {
		p.reached = limit
	}
}

// ending reports whether the tree has been asked to end.
func (p *Process) ending() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lifeline < 0 || p.exceeded != ""
}
