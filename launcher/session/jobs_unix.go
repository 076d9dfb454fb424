//go:build linux || darwin

package session

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// orphaned reports whether no process could continue the group after a stop: no member has a parent
// in another group of the same session (POSIX 3.264). The kernel then ignores the stop signals of
// the terminal, and so must we, or the run would hang for ever. A process table that cannot be read
// counts as orphaned, for the same reason.
func orphaned(all map[int]process, group int) bool {
	for _, p := range all {
		if p.group != group {
			continue
		}
		parent, ok := all[p.parent]
		if ok && parent.session == p.session && parent.group != group {
			return false
		}
	}
	return true
}

// Stopped reports whether a process of the group is stopped. Only then does a SIGCONT that came to
// the launcher have to be passed on: to a running program it is an event. vim takes the second of
// two as the end of a stop that it did not ask for, and loses the alternate screen.
func Stopped(group int) bool {
	shown := shownGroup(group)
	for _, p := range jobProcesses() {
		if p.group == shown && p.stopped {
			return true
		}
	}
	return false
}

// stopGroup stops our whole job by sig, as the terminal would have, and returns after a SIGCONT. It
// returns at once if no process could continue us.
func stopGroup(sig syscall.Signal, continued <-chan os.Signal) error {
	if orphaned(jobProcesses(), shownGroup(unix.Getpgrp())) {
		return nil
	}
	sig, undo, err := stopAction(sig)
	if err != nil {
		return err
	}
	defer undo()
	for len(continued) > 0 { // of an earlier stop
		<-continued
	}
	if err := unix.Kill(0, sig); err != nil {
		return fmt.Errorf("stop with %v: %w", sig, err)
	}
	// Not kill's return: another thread may be the one that takes the signal, and this one
	// would run on for an instant and touch the terminal again.
	<-continued
	return nil
}
