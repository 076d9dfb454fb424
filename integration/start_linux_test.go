package integration

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The cost of a start is checked as counts, which are the same on every machine.

// mostAllocations limits how often all our packages together allocate memory before main,
// mostInPackage how often one does: what is made from a table is made when it is needed.
const (
	mostAllocations = 300
	mostInPackage   = 60
)

// mostBytes limits the memory that one package of any program takes before main: with a megabyte
// more, each verb of tadactl would collect garbage once.
const mostBytes = 64 << 10

// mostOpens limits the files that are opened to check a line that touches none.
const mostOpens = 40

// Nothing is prepared before it is needed.
func TestStartMakesLittleBeforeMain(t *testing.T) {
	cmd := exec.Command("tada-run", "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	if cmd.Stderr = &trace; cmd.Run() != nil {
		t.Fatal(trace.String())
	}
	// init internal/bytealg @0.008 ms, 0 ms clock, 0 bytes, 0 allocs
	line := regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, (\d+) allocs$`)
	ours, sum := 0, 0
	for _, found := range line.FindAllStringSubmatch(trace.String(), -1) {
		size, _ := strconv.Atoi(found[2])
		n, _ := strconv.Atoi(found[3])
		path, own := strings.CutPrefix(found[1], "github.com/tada-run/tada-run/")
		top, _, _ := strings.Cut(path, "/")
		if own && path != "integration" && size > mostBytes { // that is this test
			t.Errorf("%s takes %d bytes; at most %d", path, size, mostBytes)
		}
		if !own || top == "cmd" || top == "integration" {
			continue // of others, or linked by these tests alone
		}
		ours, sum = ours+1, sum+n
		if n > mostInPackage {
			t.Errorf("%s takes memory %d times; at most %d", found[1], n, mostInPackage)
		}
	}
	if ours < 10 || sum > mostAllocations {
		t.Errorf("%d packages take memory %d times; at most %d\n%s", ours, sum, mostAllocations,
			trace.String())
	}
}

// A check opens few files, and reads none twice.
func TestStartReadsNoFileTwice(t *testing.T) {
	home := filepath.Join(t.TempDir(), "state")
	check := func() *exec.Cmd { return exec.Command("tada-run", "--home", home, "--check", "true") }
	if out, err := check().CombinedOutput(); err != nil { // this stores the level of the sandbox
		t.Fatalf("%v\n%s", err, out)
	}
	files := opened(t, check())
	if len(files) < 5 || len(files) > mostOpens {
		t.Errorf("%d files are opened; at most %d:\n%s", len(files), mostOpens,
			strings.Join(files, "\n"))
	}
	for i, file := range files {
		// A file that was just written there is read again: its time does not show changes yet.
		fresh := strings.HasPrefix(file, filepath.Join(home, "shadow"))
		if !fresh && slices.Contains(files[:i], file) {
			t.Errorf("%s is opened again", file)
		}
	}
}

// The kernel is asked for the processes that a command left running, for each of the launcher's
// threads, only if there are any: each list that is read delays the end of the launcher.
func TestStartListsNoChildren(t *testing.T) {
	homes := t.TempDir()
	for _, home := range []string{filepath.Join(homes, "strong"), baseHome(t, "tada-run", homes)} {
		run := func() *exec.Cmd { return exec.Command("tada-run", "--home", home, "true") }
		if out, err := run().CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		// Where the end of a run is slow, on a busy machine, it asks what holds it up.
		for tries := 1; ; tries++ {
			files := opened(t, run())
			if len(files) < 20 {
				t.Fatalf("%d files are opened:\n%s", len(files), strings.Join(files, "\n"))
			}
			i := slices.IndexFunc(files, func(file string) bool {
				return strings.HasSuffix(file, "/children")
			})
			if i < 0 {
				break
			}
			if tries == 20 {
				t.Errorf("%s: %s is opened, in each of %d runs", filepath.Base(home), files[i],
					tries)
				break
			}
		}
	}
}

// opened returns the absolute names that a program opens to read, by ptrace(2), in their order.
func opened(t *testing.T, cmd *exec.Cmd) (files []string) {
	t.Helper()
	runtime.LockOSThread() // the tracer is a thread
	defer runtime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); errors.Is(err, syscall.EPERM) {
		t.Skip("ptrace(2) is not permitted here")
	} else if err != nil {
		t.Fatal(err)
	}
	first, begun := cmd.Process.Pid, false
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, unix.WALL|unix.WNOTHREAD, nil)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			t.Fatalf("wait4: %v", err)
		case pid == first && (status.Exited() || status.Signaled()):
			if status.ExitStatus() != 0 {
				t.Fatalf("exit status %d", status.ExitStatus())
			}
			return files
		case !status.Stopped():
			continue
		}
		signal := 0
		switch sig := status.StopSignal(); {
		case !begun:
			begun = true
			err = unix.PtraceSetOptions(pid,
				unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_EXITKILL)
			if err != nil {
				t.Fatal(err)
			}
		case sig == unix.SIGTRAP|0x80:
			if name := opening(pid); name != "" {
				files = append(files, name)
			}
		case sig != unix.SIGTRAP && sig != unix.SIGSTOP:
			signal = int(sig)
		}
		_ = unix.PtraceSyscall(pid, signal)
	}
}

// opening returns the absolute name that a thread opens to read, if it is stopped before such a
// call; otherwise "".
func opening(pid int) string {
	// of struct ptrace_syscall_info: which stop it is, and at an entry number and arguments
	var info [88]byte
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(pid),
		uintptr(len(info)), uintptr(unsafe.Pointer(&info)), 0, 0)
	word := func(n int) uint64 { return binary.NativeEndian.Uint64(info[24+8*n:]) }
	if errno != 0 || info[0] != unix.PTRACE_SYSCALL_INFO_ENTRY || word(0) != unix.SYS_OPENAT ||
		word(3)&(unix.O_WRONLY|unix.O_RDWR|unix.O_PATH|unix.O_DIRECTORY) != 0 {
		return ""
	}
	var text [256]byte
	n, _ := unix.ProcessVMReadv(pid, []unix.Iovec{{Base: &text[0], Len: uint64(len(text))}},
		[]unix.RemoteIovec{{Base: uintptr(word(2)), Len: len(text)}}, 0)
	name, _, _ := bytes.Cut(text[:max(n, 0)], []byte{0})
	if len(name) == 0 || name[0] != '/' {
		return ""
	}
	return string(name)
}
