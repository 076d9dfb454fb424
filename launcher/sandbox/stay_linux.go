//go:build amd64 || arm64

package sandbox

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// stayTime is how long what goes on is given to end by itself before it counts as going on; stayLook is how often it is looked for from then on.
const (
	stayTime = 50 * time.Millisecond
	stayLook = 100 * time.Millisecond
)

// Stay lets what the command leaves behind go on. Next then returns the command's end with Status.Stays, and when it is called again the end of all
// the rest, with the same status. Call it before Next.
func (p *Process) Stay() {
	p.waiting.Lock()
	defer p.waiting.Unlock()
	p.stays = true
}

// stay keeps what is known of a command that is dead and not yet asked for: as long as it is not, its number is nobody else's, and with it those of its process group
// and its session.
func (p *Process) stay(info *unix.Siginfo, usage *unix.Rusage, left []string) (Status, error) {
	s := newStatus(waitStatus(info), syscall.Rusage{Utime: syscall.Timeval(usage.Utime), Stime: syscall.Timeval(usage.Stime), Maxrss: usage.Maxrss})
	s.Left = left
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dead, p.last = true, s
	s.Stays = true
	return s, nil
}

// outlast waits until nothing of the tree is left, or it was told to end.
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

// sureLooks is how many looks in a row must find nothing: one that comes while a process forks and its parent ends can miss both (proc_pid_task_children(5)).
const sureLooks = 5

// remains is left, and where what is left goes on, surely: a look that misses it would end it.
func (p *Process) remains() (names []string) {
	for look := 1; ; look++ {
		if names = p.left(); len(names) > 0 || !p.stays || look == sureLooks {
			return names
		}
		time.Sleep(lingerLook)
	}
}

// siginfo is what waitid(2) tells of a child, on amd64 and arm64.
type siginfo struct {
	signo, errno, code, _ int32
	pid, uid, status      int32
}

// Why a child changed (sigaction(2), si_code).
const (
	childExited = 1
	childKilled = 2
	childDumped = 3
)

// over reports whether the change is the end.
func over(info *unix.Siginfo) bool {
	return info.Code == childExited || info.Code == childKilled || info.Code == childDumped
}

// waitStatus is what wait4(2) would have told.
func waitStatus(info *unix.Siginfo) syscall.WaitStatus {
	i := (*siginfo)(unsafe.Pointer(info))
	switch i.code {
	case childExited:
		return syscall.WaitStatus(i.status&0xff) << 8
	case childDumped:
		return syscall.WaitStatus(i.status | 0x80)
	}
	return syscall.WaitStatus(i.status)
}
