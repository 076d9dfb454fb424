package session

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// stoppedState is SSTOP of sys/proc.h.
const stoppedState = 4

// jobProcesses are the processes of the machine; nil if the kernel does not tell.
func jobProcesses() map[int]process {
	list, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil
	}
	all := make(map[int]process, len(list))
	for _, k := range list {
		p := process{pid: int(k.Proc.P_pid), parent: int(k.Eproc.Ppid), group: int(k.Eproc.Pgid),
			terminal: uint32(k.Eproc.Tdev), stopped: k.Proc.P_stat == stoppedState}
		p.session, _ = unix.Getsid(p.pid)
		all[p.pid] = p
	}
	return all
}

// shownGroup is the number that jobProcesses has for a group.
func shownGroup(group int) int { return group }

// stopAction is the signal that stops this process: the one that no handler changes, because the
// Go runtime has no way to give another one its default action and take it back.
func stopAction(syscall.Signal) (_ syscall.Signal, undo func(), err error) {
	return syscall.SIGSTOP, func() {}, nil
}
