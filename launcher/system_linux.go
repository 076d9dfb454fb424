package launcher

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/launcher/sandbox"

	"github.com/tada-run/tada-run/approval"
)

// supported is nil here: what this kernel gives is found out by trying.
func supported() error { return nil }

// bootID tells this boot of the machine from every other one; "" where it is not told.
func bootID() string {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// clock reads both clocks.
func (l *Launcher) clock() approval.Clock {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
	return approval.Clock{Now: l.now(), Boot: time.Duration(ts.Nano()), BootID: l.bootID}
}

// umask can only be asked by changing it, and it belongs to all threads. The mask for the
// instant between is the strictest that anything here uses, and a reader of /proc/self/status
// would pay for the whole page.
func umask() int {
	mask := unix.Umask(0o077)
	unix.Umask(mask)
	return mask
}

// random is getrandom(2). The standard library's reader starts a timer for its warning.
type random struct{}

// Read fills p.
func (random) Read(p []byte) (int, error) {
	for n := 0; n < len(p); {
		m, err := unix.Getrandom(p[n:], 0)
		if err != nil && err != unix.EINTR {
			return n, fmt.Errorf("getrandom: %w", err)
		}
		n += max(m, 0)
	}
	return len(p), nil
}

func memfd(name string) (int, error) {
	return unix.MemfdCreate(name, unix.MFD_CLOEXEC|unix.MFD_NOEXEC_SEAL)
}

// kindOf says what kind of file standard input is. Its content is not known before the run,
// and so cannot be approved; what it is can.
func kindOf(f *os.File) string {
	if f == nil {
		return "closed"
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return "closed"
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return "pipe"
	case unix.S_IFREG:
		return "file"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFCHR:
		if st.Rdev == unix.Mkdev(1, 3) {
			return "null"
		}
		if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err == nil {
			return "terminal"
		}
	}
	return "other"
}

// runner names this process so that a later one can tell whether it is still alive: a pid
// alone is used again.
func runner() string { return runnerOf(os.Getpid()) }

// runnerOf is the name of another process: its id and when it started, in clock ticks since
// boot (proc_pid_stat(5), field 22).
func runnerOf(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return strconv.Itoa(pid)
	}
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 20 {
		return strconv.Itoa(pid)
	}
	return strconv.Itoa(pid) + "@" + fields[19]
}

// memoryOfMachine returns how many bytes of memory there are, or that a container leaves us; 0
// where that is not told.
func memoryOfMachine() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return int64(lower(uint64(info.Totalram)*uint64(info.Unit), sandbox.MemoryBound()))
}

// lower returns the memory that there is, or a bound of it where that is less; 0 is none.
func lower(memory, bound uint64) uint64 {
	if bound == 0 {
		return memory
	}
	return min(memory, bound)
}

// inotifyOfAccount returns how many inotify instances and watches this account may have; 0 where
// that is not told.
func inotifyOfAccount() (instances, watches int64) {
	for file, value := range map[string]*int64{"instances": &instances, "watches": &watches} {
		text, err := os.ReadFile("/proc/sys/fs/inotify/max_user_" + file)
		if err == nil {
			*value, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		}
	}
	return instances, watches
}
