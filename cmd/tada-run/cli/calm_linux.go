package cli

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// calm lets the watchdog of Go's scheduler sleep longer than it asks for. It wants to look every 20
// us as long as anything runs, so a run of a few milliseconds has a hundred more wake-ups, a tenth
// of its processor time. What it looks for, a goroutine that waits in a system call while another
// could run, is found soon enough with this pause. Its thread is started before all others, and so
// comes right after our own. Only root may set this for another thread (CAP_SYS_NICE,
// proc_pid_timerslack_ns(5)), so other users do not try. Later threads, and so commands, have the
// slack of the first.
func calm() {
	const pause = "500000" // ns
	if unix.Geteuid() != 0 {
		return
	}
	self := strconv.Itoa(unix.Getpid())
	dir, err := unix.Open("/proc/self/task", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer unix.Close(dir)
	var names [1 << 10]byte
	n, err := unix.Getdents(dir, names[:])
	if err != nil || n <= 0 {
		return
	}
	_, _, threads := unix.ParseDirent(names[:n], -1, nil)
	if len(threads) < 2 || threads[0] != self {
		return
	}
	fd, err := unix.Open("/proc/"+threads[1]+"/timerslack_ns", unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	_, _ = unix.Write(fd, []byte(pause))
	unix.Close(fd)
}
