package session

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// hasReader reports whether a process of the terminal with that number blocks in a read of it.
func hasReader(device uint64) bool { return readerOf("/proc", device) }

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
