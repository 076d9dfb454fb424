package broker

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/seccomp"
)

// Called as "caller", the test binary is no test: it makes calls that a broker answers.
func TestMain(m *testing.M) {
	if os.Args[0] == "caller" {
		callerMain(os.Args[1])
		return
	}
	os.Exit(hermetic.Tests(m).Run())
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mediated is the call of a caller: no customer has it.
const mediated = unix.SYS_GETPGID

// callerMain puts a filter on its thread, tells the number of the listener, and when it is told to
// go on makes the call so many times. Then it prints the last error and how long a call took.
func callerMain(times string) {
	runtime.LockOSThread()
	_ = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	program := seccomp.Compile(0, []seccomp.Rule{seccomp.On(mediated, seccomp.Ask)}).Fprog()
	listener, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		seccomp.ListenFlags(), uintptr(unsafe.Pointer(program)))
	if errno != 0 {
		fmt.Println(errno)
		return
	}
	fmt.Println(listener)
	_, _ = os.Stdin.Read(make([]byte, 1))
	n, _ := strconv.Atoi(times)
	begin := time.Now()
	for range n {
		_, _, errno = unix.RawSyscall(mediated, 0, 0, 0)
	}
	fmt.Println(errno, time.Since(begin).Nanoseconds()/int64(n))
}

// A testCaller is a process whose calls the test answers.
type testCaller struct {
	*exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	listener int
}

// newCaller starts one that makes the call n times.
func newCaller(t testing.TB, n int) *testCaller {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	c := &testCaller{Cmd: exec.Command(self)}
	c.Args = []string{"caller", strconv.Itoa(n)}
	c.in, err = c.StdinPipe()
	must(t, err)
	out, err := c.StdoutPipe()
	must(t, err)
	c.out = bufio.NewReader(out)
	must(t, c.Start())
	line, err := c.out.ReadString('\n')
	must(t, err)
	number, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		_ = c.Wait()
		t.Skipf("no listener can be had here: %s", line)
	}
	pid, err := unix.PidfdOpen(c.Process.Pid, 0)
	must(t, err)
	defer unix.Close(pid)
	c.listener, err = unix.PidfdGetfd(pid, number, 0)
	must(t, err)
	return c
}

// goOn lets it make its calls, and returns what it says at its end.
func (c *testCaller) goOn(t testing.TB) string {
	t.Helper()
	must(t, c.in.Close())
	said, err := io.ReadAll(c.out)
	must(t, err)
	_ = c.Wait()
	return strings.TrimSpace(string(said))
}
