package caller

import (
	"os"
	"strconv"
	"strings"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// facts are what /proc/PID/status (proc_pid_status(5)) says that is inherited and never cleared.
type facts struct {
	noNewPrivs bool
	filters    int // seccomp filters; before Linux 5.9, 1 where there are any
}

func statusOf(pid string) (facts, bool) { return statusIn(proc.Dir(numberOf(pid))) }

func statusIn(dir string) (facts, bool) {
	text, err := proc.Read(dir + "status")
	if err != nil {
		return facts{}, false
	}
	return readStatus(string(text))
}

// numberOf is the number of a process whose name may be "self".
func numberOf(pid string) int {
	if pid == "self" {
		return os.Getpid()
	}
	n, _ := strconv.Atoi(pid)
	return n
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
