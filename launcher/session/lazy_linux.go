package session

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// In "tada-run git log | less" the keys are meant for less, and in "x=$(tada-run fzf)" for
// fzf; both look the same from the descriptors. So a run that is not alone on its terminal
// leaves it untouched until the command shows that it wants keys: it changed its own
// terminal's modes, or it blocks in a read of that terminal.
//
// Looking costs a walk over /proc, so it is done only when there is a reason to: a moment after the
// command printed something (a prompt, perhaps), or when keys were typed and no other process took
// them; and less and less often.

const (
	firstLook = 50  // milliseconds from the reason to the look
	laterLook = 400 // what that grows to, by doubling, while looks find nothing
)

type lazy struct {
	master int    // of the private terminal
	modes  uint32 // the local modes it started with
	device uint64 // the number of the private terminal

	decided  bool        // the command wants the keys
	due      bool        // a look is due after patience
	patience int         // milliseconds
	armed    atomic.Bool // output is a reason
}

// watched are the modes that a program changes when it takes keys one by one or hides them.
const watched = unix.ICANON | unix.ECHO

func newLazy(master int, device uint64) *lazy {
	l := &lazy{master: master, device: device, patience: firstLook}
	l.modes = l.current()
	l.armed.Store(true)
	return l
}

func (l *lazy) current() uint32 {
	t, err := unix.IoctlGetTermios(l.master, unix.TCGETS)
	if err != nil {
		return l.modes
	}
	return t.Lflag & watched
}

// check looks. Output that comes from now on is a reason for the next look.
func (l *lazy) check() {
	l.due = false
	l.armed.Store(true)
	l.decided = l.current() != l.modes || readerOf("/proc", l.device)
	l.patience = min(2*l.patience, laterLook)
}

// readerOf reports whether a process of the terminal blocks in a read of it. A process whose
// system call may not be seen is taken for a reader: better to take the keys than to leave
// a command waiting for ever.
func readerOf(proc string, device uint64) bool {
	names, err := os.ReadDir(proc)
	if err != nil {
		return true
	}
	for _, entry := range names {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || controllingTerminal(proc, pid) != uint32(device) {
			continue
		}
		dir := proc + "/" + entry.Name()
		call, err := os.ReadFile(dir + "/syscall")
		if err != nil {
			if os.IsPermission(err) {
				return true
			}
			continue
		}
		fd, ok := readCall(string(call))
		if !ok {
			continue
		}
		var st unix.Stat_t
		if unix.Stat(dir+"/fd/"+fd, &st) == nil &&
			(st.Rdev == device || st.Rdev == unix.Mkdev(5, 0)) {
			return true
		}
	}
	return false
}

// readCall takes "0 0x0 0x7ffd... ..." apart: the number of the system call and its
// arguments, in hexadecimal (proc(5)). fd is decimal.
func readCall(line string) (fd string, ok bool) {
	words := strings.Fields(line)
	if len(words) < 2 || words[0] != strconv.Itoa(unix.SYS_READ) {
		return "", false
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(words[1], "0x"), 16, 32)
	if err != nil {
		return "", false
	}
	return strconv.FormatInt(n, 10), true
}

// controllingTerminal returns the device number of a process's terminal, 0 for none.
func controllingTerminal(proc string, pid int) uint32 {
	p, ok := readProcess(proc, pid)
	if !ok {
		return 0
	}
	return p.terminal
}
