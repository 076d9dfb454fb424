package state

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// Self names this process for those that come after it: the boot, its id and when it started.
func (d *Directory) Self() string { return d.BootID + "/" + Process() }

// Lives reports whether the process of that name is still there.
func (d *Directory) Lives(name string) bool {
	boot, process, _ := strings.Cut(name, "/")
	var pid int
	_, err := fmt.Sscanf(process, "%d@", &pid)
	return err == nil && boot == d.BootID && ProcessOf(pid) == process
}

// Process names this process so that a later one can tell whether it is still alive: a pid
// alone is used again.
func Process() string { return ProcessOf(os.Getpid()) }

// ProcessOf is the name of another process: its id and when it started, in clock ticks since
// boot (proc_pid_stat(5), field 22).
func ProcessOf(pid int) string {
	fields := statOf(pid)
	if len(fields) < 20 {
		return strconv.Itoa(pid)
	}
	return strconv.Itoa(pid) + "@" + fields[19]
}

// isBelow reports whether another process is among those that started a process.
func isBelow(pid, other int) bool {
	for pid > 1 {
		fields := statOf(pid)
		if len(fields) < 2 {
			return false
		}
		pid, _ = strconv.Atoi(fields[1])
		if pid = proc.Number(pid); pid == other {
			return true
		}
	}
	return false
}

// statOf is what the kernel says of a process, from its state on.
func statOf(pid int) []string {
	stat, _ := proc.Read(proc.Dir(pid) + "stat")
	return strings.Fields(string(stat)[strings.LastIndexByte(string(stat), ')')+1:])
}
