//go:build amd64 || arm64

package sandbox

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// A command can have processes that are not its children but its siblings (CLONE_PARENT), and so
// children of the launcher, which has not made them. A filter cannot refuse that, because a sandbox
// inside a sandbox makes its child so. At Strong they are known by their pid namespace.

// sibling reports whether s is one, or an orphan at Base, for a count. A process that hides its
// namespace (PR_SET_DUMPABLE) counts if it is in any but the launcher's.
func (p *Process) sibling(s sample) bool {
	if s.parent != os.Getpid() || s.pid == p.pid || s.pid == p.guard {
		return false
	}
	if p.level == Base {
		return sandboxed(s.pid) && !p.another(s.pid)
	}
	if in := space(s.pid); in != "" {
		return in == p.space
	}
	return proc.IsBelow(s.pid)
}

// siblings are those of the command at Strong.
func (p *Process) siblings() (list []int) {
	for _, pid := range p.offspring() {
		if pid != p.pid && pid != p.guard && space(pid) == p.space && p.space != "" {
			list = append(list, pid)
		}
	}
	return list
}

// siblingsPause is how long the end of a namespace is waited for before it is asked whether
// siblings hold it up, in milliseconds.
const siblingsPause = 20

// awaitInit waits until the init has ended, and with it the namespace. The kernel does not end one
// while a dead process of it has a parent outside that has not asked for it: with siblings of the
// command, that is this process.
func (p *Process) awaitInit(namespace string) {
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(p.init), Events: unix.POLLIN}}, siblingsPause)
		if n > 0 || err != nil && err != unix.EINTR {
			return
		}
		if n < 0 || namespace == "" || deadChild() == 0 {
			continue
		}
		for _, pid := range children(os.Getpid()) {
			if pid != p.guard && space(pid) == namespace {
				_, _ = syscall.Wait4(pid, nil, syscall.WNOHANG, nil)
			}
		}
	}
}
