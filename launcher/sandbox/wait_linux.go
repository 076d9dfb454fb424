//go:build amd64 || arm64

package sandbox

import (
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Wait waits for the command to end, then ends what it left behind, and returns how it ended. Stops
// and continues pass by unseen.
func (p *Process) Wait() (Status, error) {
	for {
		s, err := p.Next()
		if err != nil || s.Ended() && !s.Stays {
			return s, err
		}
	}
}

// Next waits for the next change of the command: it was stopped, it was continued, or it ended.
// Once it has ended, what it left behind has ended too when Next returns, and every further call
// returns the same; but see Stay.
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
		err := unix.Waitid(unix.P_PID, p.pid, &info,
			unix.WEXITED|unix.WSTOPPED|unix.WCONTINUED|unix.WNOWAIT, &spent)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return p.finish(Status{}, "", os.NewSyscallError("waitid", err))
		}
	}
	if p.stays && over(&info) {
		if left := p.linger(stayTime, stayTime); len(left) > 0 {
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
	s.Left = p.linger(lingerTime, lingerBusy)
	return p.finish(s, namespace, nil)
}

// finish ends the rest of the tree, which is in namespace at Strong, and keeps the final answer.
func (p *Process) finish(s Status, namespace string, err error) (Status, error) {
	p.Kill()
	if err != nil || p.dead {
		reap(p.pid) // a dying pid namespace waits for it
	}
	p.relieve(namespace)
	p.reapOrphans(true)
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

// abandon cleans up after a start that failed. The command goes first: a dying pid namespace waits
// until all in it are reaped.
func (p *Process) abandon() {
	p.Kill()
	reap(p.pid)
	p.relieve("")
	p.reapOrphans(true)
	if p.broker != nil {
		p.broker.Close() // it does not serve yet
	}
	p.dissolve(new(Status))
}

// relieve waits until the tree has ended. What is left then is the end of the supervisor, at Strong
// mostly the kernel's work to take its namespaces apart, which is not waited for.
func (p *Process) relieve(namespace string) {
	if p.init >= 0 {
		p.awaitInit(namespace)
		unix.Close(p.init)
	} else if p.gone >= 0 {
		for {
			// a command that never ran has left its bytes in there
			n, err := unix.Read(p.gone, make([]byte, 8))
			if n <= 0 && err != unix.EINTR {
				break
			}
		}
	}
	if p.gone >= 0 {
		unix.Close(p.gone)
	}
	p.gone, p.init = -1, -1
	bury := func() {
		reap(p.guard)
		if p.stacks != nil {
			unix.Munmap(p.stacks)
		}
	}
	if p.level == Strong {
		go bury()
		return
	}
	bury()
}

// stay keeps what is known of a command that is dead and not yet asked for: as long as it is not,
// its number is no other process's, and with it those of its process group and its session.
func (p *Process) stay(info *unix.Siginfo, usage *unix.Rusage, left []string) (Status, error) {
	s := newStatus(waitStatus(info),
		syscall.Rusage{Utime: syscall.Timeval(usage.Utime), Stime: syscall.Timeval(usage.Stime),
			Maxrss: usage.Maxrss})
	s.Left = left
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead, p.last = true, s
	s.Stays = true
	return s, nil
}

// outlast waits until nothing of the tree is left, or it was asked to end.
func (p *Process) outlast() (Status, error) {
	for !p.ending() && len(p.remains()) > 0 {
		time.Sleep(stayLook)
	}
	namespace := ""
	if p.init >= 0 {
		namespace = space(p.pid)
	}
	p.mu.Lock()
	p.ended = true
	s := p.last
	p.mu.Unlock()
	s.Left = nil
	return p.finish(s, namespace, nil)
}

// dissolve removes the run's control groups and says in s which limit it ran into. SIGKILL has been
// sent to all that is in them, so that only the end of dying is waited for; what takes longer is
// left to the next launcher to remove.
func (p *Process) dissolve(s *Status) {
	if p.group != nil {
		switch limit, deadly := p.group.exceeded(Limits{}); {
		case limit == "" || p.exceeded != "":
		case deadly:
			p.exceeded = limit
		default:
			p.reached = limit
		}
		for range 50 {
			if p.group.kill(); p.group.remove() {
				break
			}
			time.Sleep(time.Millisecond)
		}
	}
	s.Exceeded, s.Reached = p.exceeded, p.reached
}
