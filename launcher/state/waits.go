package state

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval/flock"
	"github.com/tada-run/tada-run/launcher/notice"
	"github.com/tada-run/tada-run/pathguard/proc"
)

// WaitsFor reports which process this one waits for, once for each: a run that is stopped while it
// writes the log or the approvals blocks all others. A process that is not stopped is reported only
// after some seconds: the disk may be slow.
func (d *Directory) WaitsFor(lock *os.File, waited time.Duration) {
	info, err := lock.Stat()
	if err != nil {
		return
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	pid := 0
	for range 20 { // between two holders there is none
		text, _ := os.ReadFile("/proc/locks")
		if pid = blocker(parseLocks(string(text)), st.Ino, os.Getpid(), isStopped); pid != 0 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if waited < flock.Patience[len(flock.Patience)-1] && (pid == 0 || !isStopped(pid)) {
		return
	}
	if _, again := d.waited.LoadOrStore(pid, true); again {
		return
	}
	fmt.Fprintln(os.Stderr, waitNotice(pid, lock.Name(), st.Ino))
}

func waitNotice(pid int, lock string, ino uint64) string {
	if pid == 0 {
		return fmt.Sprintf("tada-run: waiting for a process that has locked %q and cannot be seen "+
			"from here; as root, outside: grep :%d /proc/locks", filepath.Base(lock), ino)
	}
	words, _ := os.ReadFile(proc.Dir(pid) + "cmdline")
	command := notice.Clip(notice.Visible(strings.ReplaceAll(strings.TrimRight(string(words),
		"\x00"), "\x00", " ")))
	if isStopped(pid) {
		return fmt.Sprintf("tada-run: waiting for process %d, which is stopped (%s); to continue "+
			"it: kill -CONT %d", pid, command, pid)
	}
	return fmt.Sprintf("tada-run: waiting for process %d (%s), which has locked %q; if it hangs, "+
		"end it: kill %d", pid, command, filepath.Base(lock), pid)
}

// isStopped reports whether a process is stopped, by a signal or a debugger (proc_pid_stat(5)).
func isStopped(pid int) bool {
	stat, err := os.ReadFile(proc.Dir(pid) + "stat")
	end := strings.LastIndexByte(string(stat), ')')
	return err == nil && end >= 0 && len(stat) > end+2 && (stat[end+2] == 'T' || stat[end+2] == 't')
}

// A fileLock is a line of /proc/locks: a process that has a lock by flock(2), or waits for it.
type fileLock struct {
	number  string // the same for a lock and those that wait for it
	waiting bool
	pid     int
	ino     uint64
}

// parseLocks reads /proc/locks (proc_locks(5)).
func parseLocks(text string) []fileLock {
	var list []fileLock
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		waiting := len(f) > 1 && f[1] == "->"
		if waiting {
			f = slices.Delete(f, 1, 2)
		}
		if len(f) < 6 || f[1] != "FLOCK" {
			continue
		}
		pid, err1 := strconv.Atoi(f[4])
		ino, err2 := strconv.ParseUint(f[5][strings.LastIndexByte(f[5], ':')+1:], 10, 64)
		if err1 == nil && err2 == nil {
			list = append(list, fileLock{f[0], waiting, proc.Number(pid), ino})
		}
	}
	return list
}

// blocker is the process that holds the lock of a file, or, where that one waits for a lock itself,
// the one that it waits for; 0 where it is not known. Of several that share a lock, one that is
// stopped is meant.
func blocker(locks []fileLock, ino uint64, self int, stopped func(pid int) bool) int {
	var holders []int
	for _, k := range locks {
		if !k.waiting && k.ino == ino && k.pid != self && k.pid > 0 {
			holders = append(holders, k.pid)
		}
	}
	for range locks { // each step goes to another lock, and none twice
		for _, pid := range holders {
			if stopped(pid) {
				return pid
			}
		}
		next := waitedFor(locks, holders)
		if len(next) == 0 {
			break
		}
		holders = next
	}
	if len(holders) == 0 {
		return 0
	}
	return holders[0]
}

// waitedFor are the holders of the locks that the processes wait for.
func waitedFor(locks []fileLock, pids []int) (holders []int) {
	for _, w := range locks {
		if !w.waiting || !slices.Contains(pids, w.pid) {
			continue
		}
		for _, k := range locks {
			if !k.waiting && k.number == w.number && k.pid > 0 {
				holders = append(holders, k.pid)
			}
		}
	}
	return holders
}
