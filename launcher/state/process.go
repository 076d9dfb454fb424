package state

import (
	"fmt"
	"os"
	"strconv"
	"strings"
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

// ProcessOf is the name of another process: its id and when it started, by the kernel's clock.
func ProcessOf(pid int) string {
	started, _, ok := processOf(pid)
	if !ok {
		return strconv.Itoa(pid)
	}
	return strconv.Itoa(pid) + "@" + started
}

// isBelow reports whether another process is among those that started a process.
func isBelow(pid, other int) bool {
	for pid > 1 {
		_, parent, ok := processOf(pid)
		if !ok {
			return false
		}
		if pid = parent; pid == other {
			return true
		}
	}
	return false
}
