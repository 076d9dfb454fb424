package caller

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// ancestorOf reads what /proc has about a process.
func ancestorOf(pid int) (a ancestor, ok bool) {
	text, err := proc.Read(proc.Dir(pid) + "stat")
	end := strings.LastIndexByte(string(text), ')')
	start := strings.IndexByte(string(text), '(')
	if err != nil || start < 0 || end < start {
		return a, false
	}
	// state ppid ... starttime is the 22nd of all
	fields := strings.Fields(string(text[end+1:]))
	if len(fields) < 20 {
		return a, false
	}
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return a, false
	}
	info, err := os.Stat(proc.Dir(pid))
	if err != nil {
		return a, false
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return a, false
	}
	return ancestor{name: string(text[start+1 : end]), started: fields[19],
		parent: proc.Number(parent), uid: int(owner.Uid)}, true
}

// sameProgram reports whether a process runs the program of this one.
func sameProgram(pid int) bool {
	its, err := os.Readlink(proc.Dir(pid) + "exe")
	own, _ := os.Readlink("/proc/self/exe")
	return err == nil && its == own
}
