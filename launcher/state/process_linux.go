package state

import (
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// processOf is when a process started, in clock ticks since boot (proc_pid_stat(5), field 22), and
// by which one.
func processOf(pid int) (started string, parent int, ok bool) {
	stat, _ := proc.Read(proc.Dir(pid) + "stat")
	fields := strings.Fields(string(stat)[strings.LastIndexByte(string(stat), ')')+1:])
	if len(fields) < 20 {
		return "", 0, false
	}
	parent, _ = strconv.Atoi(fields[1])
	return fields[19], proc.Number(parent), true
}
