package proc

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// In a PID namespace below that of /proc, a number leads to its process, and back.
func TestNumberInANamespace(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run", "^TestNumber$")
	cmd.Env = append(os.Environ(), "PROC_TEST_INSIDE=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.ENOSPC) {
		t.Skip("no user namespaces here")
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestNumber(t *testing.T) {
	inside := os.Getenv("PROC_TEST_INSIDE") != ""
	if inside != elsewhere() {
		t.Fatalf("elsewhere: %v", elsewhere())
	}
	runtime.LockOSThread()
	started := make(chan int)
	go func() {
		runtime.LockOSThread()
		started <- unix.Gettid()
		select {}
	}()
	child := exec.Command("sleep", "60")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	for _, pid := range []int{os.Getpid(), child.Process.Pid, <-started} {
		if shown := Shown(pid); Number(shown) != pid || !inside && shown != pid {
			t.Errorf("%d is shown as %d, and that is %d", pid, shown, Number(shown))
		}
	}
	own, _ := os.Readlink("/proc/self/exe")
	if exe, err := os.Readlink(Dir(os.Getpid()) + "exe"); exe != own || err != nil {
		t.Errorf("%q, %v; want %q", exe, err, own)
	}
	if parents := numbers(Dir(child.Process.Pid)+"status", "PPid:"); len(parents) != 1 ||
		Number(parents[0]) != os.Getpid() {
		t.Errorf("the parent is shown as %d", parents)
	}
	if IsBelow(os.Getpid()) || IsBelow(child.Process.Pid) {
		t.Error("it is in a namespace below its own")
	}
	list := Processes()
	if !slices.Contains(list, os.Getpid()) || !slices.Contains(list, child.Process.Pid) ||
		inside && len(list) != 2 {
		t.Errorf("%d", list)
	}
	if inside && (Shown(3_000_000) != 0 || Number(1) != 0) {
		t.Errorf("%d, %d; want 0", Shown(3_000_000), Number(1))
	}
	if _, err := os.Stat(Dir(3_999_999)); !os.IsNotExist(err) {
		t.Error(err)
	}
}
