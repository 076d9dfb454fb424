package session

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/pathguard/proc"
)

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

// jobProcesses are the processes of the machine.
func jobProcesses() map[int]process { return processes("/proc") }

// shownGroup is the number that jobProcesses has for a group.
func shownGroup(group int) int { return proc.Shown(group) }

// stopAction is the signal that stops this process as sig would one that takes no signals. It has
// that effect until undo.
func stopAction(sig syscall.Signal) (_ syscall.Signal, undo func(), err error) {
	if sig == syscall.SIGSTOP {
		return sig, func() {}, nil
	}
	undo, err = defaultAction(sig)
	return sig, undo, err
}
