package session

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// A process is what job control needs to know of one.
type process struct {
	pid, parent, group, session int
	terminal                    uint32
	stopped                     bool
}

// readProcess reads /proc/PID/stat. The name in it may hold spaces and parentheses, so
// fields are counted after the last one.
func readProcess(proc string, pid int) (process, bool) {
	text, err := os.ReadFile(fmt.Sprintf("%s/%d/stat", proc, pid))
	if err != nil {
		return process{}, false
	}
	return parseProcess(string(text))
}

func parseProcess(stat string) (process, bool) {
	open, end := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
	if open < 1 || end < open {
		return process{}, false
	}
	fields := strings.Fields(stat[end+1:]) // state ppid pgrp session tty_nr ...
	if len(fields) < 5 {
		return process{}, false
	}
	var n [5]int
	for i, text := range append([]string{strings.TrimSpace(stat[:open])}, fields[1:5]...) {
		v, err := strconv.Atoi(text)
		if err != nil {
			return process{}, false
		}
		n[i] = v
	}
	return process{pid: n[0], parent: n[1], group: n[2], session: n[3], terminal: uint32(n[4]),
		stopped: fields[0] == "T"}, true
}

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
	shown := proc.Shown(group)
	for _, p := range processes("/proc") {
		if p.group == shown && p.stopped {
			return true
		}
	}
	return false
}

func processes(proc string) map[int]process {
	all := map[int]process{}
	names, err := os.ReadDir(proc)
	if err != nil {
		return all
	}
	for _, entry := range names {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if p, ok := readProcess(proc, pid); ok {
				all[pid] = p
			}
		}
	}
	return all
}

// stopGroup stops our whole job by sig, as the terminal would have, and returns after a SIGCONT. It
// returns at once if no process could continue us.
func stopGroup(sig syscall.Signal, continued <-chan os.Signal) error {
	if orphaned(processes("/proc"), proc.Shown(unix.Getpgrp())) {
		return nil
	}
	if sig != syscall.SIGSTOP {
		undo, err := defaultAction(sig)
		if err != nil {
			return err
		}
		defer undo()
	}
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
