//go:build amd64 || arm64

package broker

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// What /proc says about a caller. Its number is a thread's, and valid as long as the call waits.

// process is the caller's directory in /proc, with a slash.
func (c *call) process() string { return proc.Dir(int(c.PID)) }

// caller is the process that made the call, for the record.
func (c *call) caller() Caller {
	program, _ := os.Readlink(c.process() + "exe")
	return Caller{PID: int(c.PID), Program: program}
}

// pidfdThread makes a pidfd of a thread (Linux 6.9).
const pidfdThread = unix.O_EXCL

// pidfd opens the caller.
func (c *call) pidfd() (int, error) {
	fd, err := unix.PidfdOpen(int(c.PID), pidfdThread)
	if err == unix.EINVAL { // too old a kernel
		if fd, err = unix.PidfdOpen(int(c.PID), 0); err != nil { // not the first thread
			fd, err = unix.PidfdOpen(threadGroup(int(c.PID)), 0)
		}
	}
	return fd, err
}

// handle opens, only as a handle, what one of the caller's links in /proc leads to.
func handle(link string) (int, error) {
	fd, err := unix.Open(link, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == unix.ENOENT {
		err = unix.EBADF
	}
	return fd, err
}

// signalled reports whether a signal that is not blocked waits for the caller. While the broker
// answers, only a deadly one interrupts it.
func (c *call) signalled() bool {
	text, err := os.ReadFile(c.process() + "status")
	if err != nil {
		return false
	}
	mask := func(name string) uint64 {
		v, _ := strconv.ParseUint(statusField(string(text), name), 16, 64)
		return v
	}
	return (mask("SigPnd:")|mask("ShdPnd:"))&^mask("SigBlk:")&^mask("SigIgn:") != 0
}

// threadGroup returns the process that a thread is of, or 0.
func threadGroup(tid int) int {
	text, err := os.ReadFile(proc.Dir(tid) + "status")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(statusField(string(text), "Tgid:"))
	return proc.Number(n)
}

// statusField returns a field of a status file in /proc.
func statusField(text, name string) string {
	_, rest, ok := strings.Cut(text, "\n"+name)
	if !ok {
		return ""
	}
	value, _, _ := strings.Cut(rest, "\n")
	return strings.TrimSpace(value)
}

// maxLead bounds the processes between a caller and the first one of its run.
const maxLead = 64

// parentOf returns the parent of a process, or 0.
func parentOf(pid int) int {
	text, err := os.ReadFile(proc.Dir(pid) + "status")
	if err != nil {
		return 0
	}
	n, _ := strconv.Atoi(statusField(string(text), "PPid:"))
	return proc.Number(n)
}
