//go:build amd64 || arm64

package sandbox

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/proc"
)

func itoa(n int) string { return strconv.Itoa(n) }

// A sample is what /proc/PID/stat says of one process, as far as it matters here.
type sample struct {
	pid, parent, session int
	threads              uint64
	ticks                uint64 // processor time, its reaped children's too, in 1/100 s
	born                 uint64
	runnable             bool // not stopped, and not at its end
	onDisk               bool // it waits in the kernel, where no signal reaches it
}

// samples looks at every process.
func samples() []sample {
	var list []sample
	for _, pid := range proc.Processes() {
		if s, ok := parseStat(read(proc.Dir(pid) + "stat")); ok { // else it is gone
			s.pid, s.parent, s.session = pid, proc.Number(s.parent), proc.Number(s.session)
			list = append(list, s)
		}
	}
	return list
}

// parseStat reads /proc/PID/stat. The name in it is the process's own choice and may hold anything
// but a NUL: what counts stands behind the last parenthesis.
func parseStat(text []byte) (s sample, ok bool) {
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 1 || end < open {
		return s, false
	}
	f := strings.Fields(string(text[end+1:]))
	if len(f) < 20 {
		return s, false
	}
	number := func(text string) uint64 { n, _ := strconv.ParseUint(text, 10, 64); return n }
	s.pid = int(number(strings.TrimSpace(string(text[:open]))))
	s.parent, s.session = int(number(f[1])), int(number(f[3]))
	s.ticks = number(f[11]) + number(f[12]) + number(f[13]) + number(f[14])
	s.threads, s.born = number(f[17]), number(f[19])
	s.runnable, s.onDisk = !strings.Contains("TtZX", f[0]), f[0] == "D"
	return s, s.pid > 0
}

func exists(name string) bool { _, err := os.Lstat(name); return err == nil }

// write writes text in one call, as the files of /proc want it.
func write(name, text string) error {
	fd, err := unix.Open(name, unix.O_WRONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: name, Err: err}
	}
	defer unix.Close(fd)
	if _, err = unix.Write(fd, []byte(text)); err != nil {
		return &os.PathError{Op: "write", Path: name, Err: err}
	}
	return nil
}

// read returns what a file of /proc has; nothing where it is gone.
func read(name string) []byte {
	text, _ := proc.Read(name)
	return text
}

// commandName is what the kernel calls a process, and its state: 0 if it is not alive.
func commandName(pid int) (name string, state byte) {
	text := read(proc.Dir(pid) + "stat")
	start, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if start < 0 || end < start || len(text) < end+3 {
		return "", 0
	}
	if state = text[end+2]; state == 'Z' || state == 'X' || state == 'x' {
		state = 0
	}
	return string(text[start+1 : end]), state
}

// space names the pid namespace of a process; "" when that may not be seen.
func space(pid int) string {
	name, _ := os.Readlink(proc.Dir(pid) + "ns/pid")
	return name
}

// filters returns how many filters a process has; the dead have still theirs.
func filters(pid int) int {
	status := read(proc.Dir(pid) + "status")
	_, number, _ := bytes.Cut(status, []byte("\nSeccomp_filters:"))
	number, _, _ = bytes.Cut(number, []byte("\n"))
	n, _ := strconv.Atoi(string(bytes.TrimSpace(number)))
	return n
}

func contains(list []string, s string) bool {
	return slices.Contains(list, s)
}

func reap(pid int) {
	if pid <= 0 {
		return
	}
	for {
		_, err := syscall.Wait4(pid, nil, 0, nil)
		if err != syscall.EINTR {
			return
		}
	}
}
