//go:build amd64 || arm64

package broker

import (
	"slices"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/seccomp"
)

// scheduling is the customer for how processes are scheduled. A process that may set it for another
// one can stop that as well as by a signal: in the idle class it does not run while anything else
// does. Landlock's signal scope does not cover that. With process ids of the run's own, others have
// no number; without, every process of the same user has one, the launcher too. So each may set its
// own, which the filter sees, and for the number of another one of the run the broker has the
// kernel proceed. The numbers are in registers, so nothing can be swapped in between.
type scheduling struct {
	member func(pid int) bool
}

// A schedulingCall sets how processes are scheduled. The number is in argument who; if another
// argument, kind, says what the number means, one is its value for a process and group that for a
// process group.
type schedulingCall struct {
	nr         uint32
	who, kind  int // kind -1: it is always a process
	one, group uint32
}

var schedulingCalls = []schedulingCall{
	{nr: unix.SYS_SCHED_SETAFFINITY, kind: -1},
	{nr: unix.SYS_SCHED_SETSCHEDULER, kind: -1},
	{nr: unix.SYS_SCHED_SETPARAM, kind: -1},
	{nr: unix.SYS_SCHED_SETATTR, kind: -1},
	{nr: unix.SYS_SETPRIORITY, who: 1, one: unix.PRIO_PROCESS, group: unix.PRIO_PGRP},
	{nr: unix.SYS_IOPRIO_SET, who: 1, one: 1, group: 2}, // IOPRIO_WHO_PROCESS, IOPRIO_WHO_PGRP
}

// schedulingRules allow 0, which is the caller or its group, and ask about everything else, or
// refuse it where the broker cannot answer.
func schedulingRules(p *Profile, answered bool) (list []seccomp.Rule) {
	if !p.Shared {
		return nil
	}
	v := seccomp.Ask
	if !answered {
		v = seccomp.Errno(unix.EPERM)
	}
	for _, c := range schedulingCalls {
		own := seccomp.Arg(c.who, 0)
		if c.kind < 0 {
			list = append(list, seccomp.On(c.nr, seccomp.Allow, own))
		} else {
			list = append(list,
				seccomp.On(c.nr, seccomp.Allow, seccomp.Arg(c.kind, c.one), own),
				seccomp.On(c.nr, seccomp.Allow, seccomp.Arg(c.kind, c.group), own))
		}
		list = append(list, seccomp.On(c.nr, v))
	}
	return list
}

func schedulingNumbers(yield func(uint32) bool) {
	for i := range schedulingCalls {
		yield(schedulingCalls[i].nr)
	}
}

func openScheduling(_ *Profile, r *run) customer { return &scheduling{r.member} }

func (s *scheduling) answer(c *call) {
	i := slices.IndexFunc(schedulingCalls,
		func(what schedulingCall) bool { return what.nr == uint32(c.Nr) })
	what := schedulingCalls[i]
	one := what.kind < 0 || uint32(c.Args[what.kind]) == what.one
	if one && s.ofTheRun(int(c.PID), int(int32(c.Args[what.who]))) {
		c.proceed()
		return
	}
	c.reply(unix.EPERM)
}

func (s *scheduling) close() {}

// ofTheRun reports whether a thread is of the caller's process, or of another one of its run.
func (s *scheduling) ofTheRun(caller, thread int) bool {
	group := threadGroup(thread)
	return group != 0 && (group == threadGroup(caller) || s.member(group))
}
