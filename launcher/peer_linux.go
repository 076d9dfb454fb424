package launcher

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
)

// MayDecide returns nil when this process may answer questions, else an error that wraps
// [approval.ErrPeer]: what runs inside a fence may ask and never answer. It is decided by what
// the kernel says of the process, which a process cannot take off again; no secret is involved.
//
// It guards the person's door, and is not the only guard: no fence reaches the state directory.
func MayDecide() error {
	own, ok := statusOf("self")
	first, _ := statusOf("1") // not to be read: then nothing counts as normal here
	p := approval.PeerFacts{
		Known: ok, UID: os.Getuid(), NoNewPrivs: own.noNewPrivs, Terminal: inForeground(),
		// A container's own filter is on its first process too, and tells nothing.
		Seccomp: max(own.filters-first.filters, 0),
	}
	if Inside() {
		p.Ancestor = true
	}
	return approval.MayDecide(p, approval.PeerRules{UID: os.Getuid(), NoNewPrivsIsNormal: first.noNewPrivs})
}

// facts are what /proc/PID/status (proc_pid_status(5)) says that is inherited and never cleared.
type facts struct {
	noNewPrivs bool
	filters    int // seccomp filters; before Linux 5.9, 1 where there are any
}

func statusOf(pid string) (facts, bool) {
	text, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return facts{}, false
	}
	return readStatus(string(text))
}

func readStatus(text string) (f facts, ok bool) {
	seccomp, counted := 0, false
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ":")
		n, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			continue
		}
		switch name {
		case "NoNewPrivs": // since Linux 4.10
			f.noNewPrivs, ok = n != 0, true
		case "Seccomp":
			seccomp = n
		case "Seccomp_filters":
			f.filters, counted = n, true
		}
	}
	if !counted && seccomp != 0 {
		f.filters = 1
	}
	return f, ok
}

// inForeground reports whether this process has a controlling terminal and its keys.
func inForeground() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err != nil {
		return false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return err == nil && group == unix.Getpgrp()
}
