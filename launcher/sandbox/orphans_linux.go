//go:build amd64 || arm64

package sandbox

import (
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// At Base a process whose parents have ended would become a child of the machine's init, and
// nothing would tell it from the person's own. So a launcher that lives for its run adopts what
// that leaves behind ([AdoptOrphans]): its children that have more filters than itself are the
// run's, for a filter is inherited and never taken off.

// relations are the runs of this process: a child of it that is none of their commands, and is in a
// sandbox of Base, is an orphan.
var relations struct {
	sync.Mutex
	runs   map[*Process]bool
	adopts bool // see AdoptOrphans
}

// AdoptOrphans makes this process the parent of what its runs at Base leave behind, or no longer.
// It is for a program that starts nothing but runs: a parent that does not ask for the dead leaves
// them to the process that waits for their end, and these would wait for ever.
func AdoptOrphans(on bool) {
	relations.Lock()
	defer relations.Unlock()
	relations.adopts = on
	if !on {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}
}

// adopts reports whether this process is the parent of what its runs leave behind.
func adopts() bool {
	relations.Lock()
	defer relations.Unlock()
	return relations.adopts
}

// register notes a run before its processes are forked. At Strong an init of its own has the
// orphans.
func register(p *Process) {
	relations.Lock()
	defer relations.Unlock()
	if relations.runs == nil {
		relations.runs = map[*Process]bool{}
	}
	relations.runs[p] = true
	if relations.adopts && p.level == Base {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
	}
}

// named tells which process the command is.
func (p *Process) named(pid int) {
	relations.Lock()
	defer relations.Unlock()
	p.pid = pid
}

// another reports whether pid is the command of another run.
func (p *Process) another(pid int) bool {
	relations.Lock()
	defer relations.Unlock()
	for other := range relations.runs {
		if other != p && other.pid == pid {
			return true
		}
	}
	return false
}

// sandboxed reports whether a child of this process is in a sandbox of Base.
func sandboxed(pid int) bool {
	in := space(pid)
	return filters(pid) > filters(os.Getpid()) && (in == "" || in == space(os.Getpid()))
}

// deadChild returns a child of this process that has ended and was not asked for; 0 if none has.
func deadChild() int {
	var info unix.Siginfo
	err := unix.Waitid(unix.P_ALL, 0, &info, unix.WEXITED|unix.WNOHANG|unix.WNOWAIT, nil)
	if err != nil || info.Signo == 0 {
		return 0
	}
	return int((*siginfo)(unsafe.Pointer(&info)).child)
}

// reapOrphans reaps the run's orphans that are dead: no other process asks for them. Beside other
// runs it leaves that to the last of them, whose command may be one of the dead. The list of the
// children is read only if it may name one: not for the command in the moment before [Process.Wait]
// asks for it.
func (p *Process) reapOrphans(last bool) {
	p.mu.Lock()
	kept := p.dead
	p.mu.Unlock()
	relations.Lock()
	defer relations.Unlock()
	if last {
		defer delete(relations.runs, p)
	}
	if p.level != Base || len(relations.runs) > 1 {
		return
	}
	if dead := deadChild(); dead == 0 || dead == p.pid && !last && !kept {
		return
	}
	for _, pid := range p.offspring() {
		if (last || pid != p.pid) && pid != p.guard && sandboxed(pid) {
			_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
		}
	}
}
