package cli

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/signal"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

// A need is the least that tada-run itself requires of a resource that its caller can limit. With
// less, it would end somewhere in the middle, and in the Go runtime with a traceback.
type need struct {
	resource int
	name     string
	least    uint64
	unit     uint64 // of the shell's ulimit
	try      string
	// used by others, if they share the limit; nil if each process has its own
	used func() uint64
}

var needs = []need{
	{unix.RLIMIT_NOFILE, "open files (RLIMIT_NOFILE)", 64, 1, "ulimit -n 256", nil},
	{unix.RLIMIT_NPROC, "processes of this account (RLIMIT_NPROC)", 24, 1, "ulimit -u 256",
		othersThreads},
	{unix.RLIMIT_FSIZE, "the size of a file (RLIMIT_FSIZE)", 1 << 20, 1 << 10,
		"ulimit -f unlimited", nil},
	{unix.RLIMIT_AS, "address space (RLIMIT_AS)", 896 << 20, 1 << 10, "ulimit -v 2000000", nil},
}

// cramped returns which of the caller's limits is too small for tada-run itself. The runtime has
// already raised the number of open files to the hard limit; the command gets the caller's limit
// back.
func cramped() error {
	for _, n := range needs {
		var limit unix.Rlimit
		if unix.Getrlimit(n.resource, &limit) != nil || limit.Cur == math.MaxUint64 {
			continue
		}
		if n.resource == unix.RLIMIT_FSIZE {
			// a write past the limit then returns an error, and does not kill us
			signal.Notify(make(chan os.Signal, 1), unix.SIGXFSZ)
		}
		least := n.least
		if n.used != nil {
			if os.Getuid() == 0 || limit.Cur > 1<<12 {
				// the limit does not apply to root, and a larger one is never used up
				continue
			}
			least += n.used()
		}
		if limit.Cur < least {
			return fmt.Errorf("the limit of %s is %d, and tada-run needs %d; try: %s", n.name,
				limit.Cur/n.unit, least/n.unit, n.try)
		}
	}
	return nil
}

// othersThreads counts the threads of this account's other processes.
func othersThreads() (n uint64) {
	for _, pid := range proc.Processes() {
		var st unix.Stat_t
		if pid == os.Getpid() || unix.Stat(proc.Dir(pid), &st) != nil ||
			int(st.Uid) != os.Getuid() {
			continue
		}
		text, err := os.ReadFile(proc.Dir(pid) + "stat")
		if err != nil {
			continue
		}
		// After the name, which may contain anything: the count of threads is field 20
		// (proc_pid_stat(5)).
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) > 17 {
			threads, _ := strconv.ParseUint(string(fields[17]), 10, 64)
			n += threads
		}
	}
	return n
}
