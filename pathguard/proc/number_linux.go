package proc

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"
)

// System calls take and return the numbers of this process's PID namespace, and /proc shows those
// of the one that it was mounted in. A sandbox that makes a namespace and leaves the /proc of the
// one around it (Claude Code's does) makes them differ: what /proc has at the number of a process
// is then another process.

// Dir returns the directory that /proc has for a process or thread, with a slash at its end. There
// is none of that name if /proc does not show the process.
func Dir(pid int) string { return "/proc/" + strconv.Itoa(Shown(pid)) + "/" }

// Shown returns the number of a process or thread in /proc; 0 if /proc does not show it.
func Shown(pid int) int {
	if !elsewhere() {
		return pid
	}
	const thread = unix.O_EXCL // PIDFD_THREAD
	fd, err := unix.PidfdOpen(pid, thread)
	if err == unix.EINVAL { // before Linux 6.9; only processes are found
		fd, err = unix.PidfdOpen(pid, 0)
	}
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	if n := numbers("/proc/self/fdinfo/"+strconv.Itoa(fd), "Pid:"); len(n) == 1 {
		return max(n[0], 0)
	}
	return 0
}

// Number returns the number of the process or thread that /proc shows as shown; 0 if it is in no
// namespace of this process.
func Number(shown int) int {
	if !elsewhere() || shown <= 0 {
		return shown
	}
	own := numbers("/proc/self/status", "NSpid:")
	its := numbers("/proc/"+strconv.Itoa(shown)+"/status", "NSpid:")
	if len(own) == 0 || len(its) < len(own) {
		return 0
	}
	pid := its[len(own)-1]
	if Shown(pid) != shown { // it is as deep in another namespace
		return 0
	}
	return pid
}

// IsBelow reports whether a process is in a PID namespace below that of this process.
func IsBelow(pid int) bool {
	return len(numbers(Dir(pid)+"status", "NSpid:")) > len(numbers("/proc/self/status", "NSpid:"))
}

// Processes returns the processes that /proc shows, the lowest number first.
func Processes() (list []int) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		if shown, err := strconv.Atoi(name); err == nil {
			if pid := Number(shown); pid > 0 {
				list = append(list, pid)
			}
		}
	}
	slices.Sort(list)
	return list
}

// elsewhere reports whether /proc is that of another PID namespace.
var elsewhere = sync.OnceValue(func() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self != strconv.Itoa(os.Getpid())
})

// numbers are those of a line of a file in /proc.
func numbers(file, name string) (list []int) {
	text, _ := Read(file)
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(line, []byte(name))
		for field := range bytes.FieldsSeq(rest) {
			n, err := strconv.Atoi(string(field))
			if !ok || err != nil {
				break
			}
			list = append(list, n)
		}
	}
	return list
}
