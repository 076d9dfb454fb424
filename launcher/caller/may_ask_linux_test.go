package caller

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
)

// E-chan-2: marks that a process inherits and cannot take off decide whether it may ask.
func TestMayAsk(t *testing.T) {
	if os.Getenv("MARKED") != "" { // its own exec gives all of its threads the mark of this one
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		t.Fatal(unix.Exec("/bin/sh", []string{"sh", "-c", "echo; exec sleep 60"}, os.Environ()))
	}
	sleeper := func() *exec.Cmd {
		c := exec.Command("sleep", "60")
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Process.Kill(); _ = c.Wait() })
		return c
	}
	if err := errors.Join(MayAsk(os.Getpid()), MayAsk(sleeper().Process.Pid)); err != nil {
		t.Errorf("a process like this one: %v", err)
	}
	if err := MayAsk(1 << 30); !errors.Is(err, approval.ErrPeer) {
		t.Errorf("nobody: %v", err)
	}
	own, _ := statusOf("self")
	if own.noNewPrivs {
		t.Skip("this process has no_new_privs itself")
	}
	c := exec.Command("/proc/self/exe", "-test.run=^TestMayAsk$")
	c.Env = append(os.Environ(), "MARKED=1")
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := MayAsk(c.Process.Pid); !errors.Is(err, approval.ErrPeer) {
		t.Errorf("a process with no_new_privs: %v", err)
	}
}
