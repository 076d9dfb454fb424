//go:build amd64 || arm64

package sandbox

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// Who may set how another process is scheduled can stop it as well as by a signal: in the idle class it does not run while anything else does. Landlock's signal scope does not
// cover that. At Strong others have no number; at Base every process of the same user has one, the launcher too. So each may set its own, which the filter sees, and for another
// one's number the launcher is asked, who lets the kernel go on if that is of the run. The numbers are in registers, so nothing can be swapped in between.

// A schedulingCall sets how processes are scheduled. The number is in argument who; where another argument, kind, tells what the number means, one is that
// for a process and group that for a process group.
type schedulingCall struct {
	nr         uint32
	who, kind  int // kind -1: it is always a process
	one, group uint32
}

var schedulingCalls = []schedulingCall{
	{nr: unix.SYS_SCHED_SETAFFINITY, kind: -1}, {nr: unix.SYS_SCHED_SETSCHEDULER, kind: -1},
	{nr: unix.SYS_SCHED_SETPARAM, kind: -1}, {nr: unix.SYS_SCHED_SETATTR, kind: -1},
	{nr: unix.SYS_SETPRIORITY, who: 1, one: unix.PRIO_PROCESS, group: unix.PRIO_PGRP},
	{nr: unix.SYS_IOPRIO_SET, who: 1, one: 1 /* IOPRIO_WHO_PROCESS */, group: 2 /* IOPRIO_WHO_PGRP */},
}

// schedulingRules allow 0, which is the caller or its group, and ask about everything else, or refuse it where nobody answers.
func (b *builder) schedulingRules() []seccomp.Rule {
	if b.level != Base {
		return nil
	}
	v := seccomp.Errno(unix.EPERM)
	if b.asks() {
		v = seccomp.Ask
	}
	var list []seccomp.Rule
	for _, c := range schedulingCalls {
		own := seccomp.Arg(c.who, 0)
		if c.kind < 0 {
			list = append(list, seccomp.On(c.nr, seccomp.Allow, own))
		} else {
			list = append(list, seccomp.On(c.nr, seccomp.Allow, seccomp.Arg(c.kind, c.one), own), seccomp.On(c.nr, seccomp.Allow, seccomp.Arg(c.kind, c.group), own))
		}
		list = append(list, seccomp.On(c.nr, v))
	}
	return list
}

// schedules answers a call if it is one of these.
func (s *supervisor) schedules(n *notification) bool {
	for _, c := range schedulingCalls {
		if int32(c.nr) != n.nr {
			continue
		}
		a := answer{id: n.id, flags: notifyContinue}
		if c.kind >= 0 && uint32(n.args[c.kind]) != c.one || !s.ofTheRun(int(n.pid), int(int32(n.args[c.who]))) {
			a.flags, a.error = 0, -int32(unix.EPERM)
		}
		_ = ioctl(s.listener, notifySend, unsafe.Pointer(&a))
		return true
	}
	return false
}

// ofTheRun reports whether the thread who is the caller's process, or a process of its run.
func (s *supervisor) ofTheRun(caller, who int) bool {
	group := threadGroup(who)
	if group == 0 {
		return false
	}
	if group == threadGroup(caller) {
		return true
	}
	var t treeWatch
	for _, m := range t.members(s.child, s.guard, samples()) {
		if m.pid == group {
			return true
		}
	}
	return false
}
