package launcher

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// belowKey is how far a test has come that runs below another program which answers system calls.
const belowKey = "LAUNCHER_BELOW"

// below runs the test once more, in a process of its own below such a program, where a sandbox can
// have none of its own. It returns true there.
func below(t *testing.T) bool {
	t.Helper()
	if os.Getenv(belowKey) == "there" {
		return true
	}
	cmd := exec.Command("/proc/self/exe", "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), belowKey+"=begin")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: "+t.Name()) {
		t.Errorf("below another program: %v\n%s", err, out)
	}
	return false
}

// goBelow puts a filter with a listener on this process and starts over.
func goBelow() {
	runtime.LockOSThread()
	filter := []unix.SockFilter{ // a call that is never made is asked about
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_LOOKUP_DCOOKIE, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fc00000 /* SECCOMP_RET_USER_NOTIF */},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0x7fff0000 /* SECCOMP_RET_ALLOW */},
	}
	program := &unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(program)))
	if err == nil && errno == 0 {
		_, err = unix.FcntlInt(fd, unix.F_SETFD, 0) // it stays open
	}
	if err == nil {
		err = os.Setenv(belowKey, "there")
	}
	if err == nil {
		err = unix.Exec("/proc/self/exe", os.Args, os.Environ())
	}
	fmt.Println(err, errno)
	os.Exit(1)
}
