//go:build amd64 || arm64

package sandbox

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Process is a started command and everything it has started. It lives no longer than the program that called Start:
// when that ends, however it ends, so does the whole tree.
type Process struct {
	level Level
	pid   int
	guard int // the steward
	pidfd int

	initPid int    // at Strong
	init    int    // a pidfd: at Strong the end of this process is that of the tree; -1 without one
	gone    int    // a pipe that ends when the steward does
	space   string // at Strong the command's pid namespace; "" when that may not be seen
	stacks  []byte // what the steward and its like run on; not Go's, because they run when nobody knows of p any more

	mu       sync.Mutex
	lifeline int // -1 when the tree has been ended
	ended    bool
	dead     bool // the command has ended, and what it left behind goes on
	last     Status
	lastErr  error
	waiting  sync.Mutex // one Next at a time
	stays    bool       // what the command leaves behind goes on; of waiting
	group    *group
	broker   *broker // of its network; nil without Hosts
	exceeded Limit
	reached  Limit
	memory   []string      // directories of the run that are in memory
	done     chan struct{} // closed when the tree has ended
}

// Pid returns the process id of the command, as the caller sees it. It is also its process group, and its session when it has no terminal.
func (p *Process) Pid() int { return p.pid }

// Wait waits for the command to end, then ends what it left behind, and returns how it ended. Stops and continues pass by unseen.
func (p *Process) Wait() (Status, error) {
	for {
		s, err := p.Next()
		if err != nil || s.Ended() && !s.Stays {
			return s, err
		}
	}
}

// Next waits for the next change of the command: it was stopped, it was continued, or it ended. Once it has ended, what it
// left behind has ended too when Next returns, and every further call returns the same; but see Stay.
func (p *Process) Next() (Status, error) {
	p.waiting.Lock()
	defer p.waiting.Unlock()
	p.mu.Lock()
	ended, dead, last, err := p.ended, p.dead, p.last, p.lastErr
	p.mu.Unlock()
	switch {
	case ended:
		return last, err
	case dead:
		return p.outlast()
	}
	// First only look, so that the pid stays ours until Signal can be told that it no longer is.
	var info unix.Siginfo
	var spent unix.Rusage
	for {
		err := unix.Waitid(unix.P_PID, p.pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WCONTINUED|unix.WNOWAIT, &spent)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return p.finish(Status{}, "", os.NewSyscallError("waitid", err))
		}
	}
	if p.stays && over(&info) {
		if left := p.linger(stayTime); len(left) > 0 {
			return p.stay(&info, &spent, left)
		}
	}
	namespace := "" // of the dead, who can hide it no more
	if p.init >= 0 {
		namespace = space(p.pid)
	}
	p.mu.Lock()
	var ws syscall.WaitStatus
	var usage syscall.Rusage
	_, err = syscall.Wait4(p.pid, &ws, syscall.WUNTRACED|syscall.WCONTINUED, &usage)
	s := newStatus(ws, usage)
	p.ended = err != nil || s.Ended()
	p.mu.Unlock()
	if err != nil {
		return p.finish(Status{}, namespace, os.NewSyscallError("wait4", err))
	}
	if !s.Ended() {
		return s, nil
	}
	s.Left = p.linger(lingerTime)
	return p.finish(s, namespace, nil)
}

// finish ends the rest of the tree, which is in namespace at Strong, and keeps the final answer.
func (p *Process) finish(s Status, namespace string, err error) (Status, error) {
	p.Kill()
	if err != nil || p.dead {
		reap(p.pid) // a dying pid namespace waits for it
	}
	p.relieve(namespace)
	p.bury(true)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pidfd >= 0 {
		unix.Close(p.pidfd)
	}
	close(p.done)
	p.dissolve(&s)
	p.ended, p.last, p.lastErr, p.pidfd = true, s, err, -1
	return s, err
}

// abandon cleans up after a start that failed. The command goes first: a dying pid namespace waits until all in it are reaped.
func (p *Process) abandon() {
	p.Kill()
	reap(p.pid)
	p.relieve("")
	p.bury(true)
	p.dissolve(new(Status))
}

// relieve waits until the tree has ended. What is left then is the end of the steward, mostly the kernel's work to take its namespaces
// apart, and nobody waits for that.
func (p *Process) relieve(namespace string) {
	if p.init >= 0 {
		p.awaitInit(namespace)
		unix.Close(p.init)
	} else if p.gone >= 0 {
		for {
			n, err := unix.Read(p.gone, make([]byte, 8)) // a command that never ran has left its bytes in there
			if n <= 0 && err != unix.EINTR {
				break
			}
		}
	}
	if p.gone >= 0 {
		unix.Close(p.gone)
	}
	p.gone, p.init = -1, -1
	go func(guard int, stacks []byte) {
		reap(guard)
		if stacks != nil {
			unix.Munmap(stacks)
		}
	}(p.guard, p.stacks)
}

func reap(pid int) {
	if pid <= 0 {
		return
	}
	for {
		_, err := syscall.Wait4(pid, nil, 0, nil)
		if err != syscall.EINTR {
			return
		}
	}
}

// Signal sends sig to the command. It returns os.ErrProcessDone when it has ended.
func (p *Process) Signal(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone
	}
	return os.NewSyscallError("pidfd_send_signal", unix.PidfdSendSignal(p.pidfd, sig, nil, 0))
}

// SignalGroup sends sig to the command's process group. It returns os.ErrProcessDone when the command has ended.
func (p *Process) SignalGroup(sig syscall.Signal) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended {
		return os.ErrProcessDone
	}
	return os.NewSyscallError("kill", syscall.Kill(-p.pid, sig))
}

// Kill ends the command and everything that it has started, stopped or ignoring signals or in another session. Wait still has to be called.
func (p *Process) Kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lifeline >= 0 {
		if p.init >= 0 { // the steward would do it, and takes the time to wake up
			_ = unix.PidfdSendSignal(p.init, unix.SIGKILL, nil, 0)
		}
		unix.Close(p.lifeline)
		p.lifeline = -1
	}
}

// Traffic returns what the run did with the network, once it has ended; without Hosts that is nothing. It waits a moment for the kernel's last words.
func (p *Process) Traffic() Traffic {
	if p.broker == nil {
		return Traffic{}
	}
	return p.broker.book.close()
}

// Noted returns a channel on which something arrives when TrafficSince has more than before; nil, which never has anything, without Hosts.
func (p *Process) Noted() <-chan struct{} {
	if p.broker == nil {
		return nil
	}
	return p.broker.book.noted
}

// TrafficSince returns what the run has done with the network so far, after its first n connections. What comes of them only Traffic tells.
func (p *Process) TrafficSince(n int) []Connection {
	if p.broker == nil {
		return nil
	}
	return p.broker.book.since(n)
}

// newStatus reads the kernel's answer.
func newStatus(ws syscall.WaitStatus, usage syscall.Rusage) Status {
	s := Status{
		Exited: ws.Exited(), Continued: ws.Continued(), CoreDump: ws.CoreDump(),
		UserTime: time.Duration(usage.Utime.Nano()), SystemTime: time.Duration(usage.Stime.Nano()),
		MaxMemory: usage.Maxrss << 10,
	}
	switch {
	case ws.Exited():
		s.Code = ws.ExitStatus()
	case ws.Signaled():
		s.Signal = ws.Signal()
	case ws.Stopped():
		s.Stopped = ws.StopSignal()
	}
	return s
}
