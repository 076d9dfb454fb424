package caller

import (
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/approval"
)

// E-chan-2: what /proc/PID/status says of a process, on kernels that count filters and on older
// ones.
func TestReadStatus(t *testing.T) {
	for text, want := range map[string]struct {
		f  facts
		ok bool
	}{
		"Name:\tx\nNoNewPrivs:\t0\nSeccomp:\t0\nSeccomp_filters:\t0\n": {facts{}, true},
		"NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t3\n":           {facts{true, 3}, true},
		"NoNewPrivs:\t0\nSeccomp:\t2\n":                                {facts{false, 1}, true},
		// a kernel that does not tell
		"Seccomp:\t0\n":                         {facts{}, false},
		"":                                      {facts{}, false},
		"NoNewPrivs:\tyes\n":                    {facts{}, false},
		"Name:\tNoNewPrivs:\t0\nNoNewPrivs:\t1": {facts{true, 0}, true},
	} {
		if f, ok := readStatus(text); f != want.f || ok != want.ok {
			t.Errorf("%q: %+v, %v", text, f, ok)
		}
	}
}

// E-chan-2: a process with no_new_privs may not decide, and a child of it cannot take it off.
func TestNoNewPrivsMayNotDecide(t *testing.T) {
	if first, _ := statusOf("1"); first.noNewPrivs {
		t.Skip("the first process of this machine has no_new_privs itself: it tells nothing here")
	}
	if os.Getenv("MAY_DECIDE_ROLE") == "" {
		if fencedBy(t) {
			t.Error("this process counts as one inside of a sandbox")
		}
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestNoNewPrivsMayNotDecide$")
		cmd.Env = append(os.Environ(), "MAY_DECIDE_ROLE=fenced")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	if os.Getenv("MAY_DECIDE_ROLE") == "fenced" {
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			t.Fatal(err)
		}
		// The thread has it; a child that this thread starts has it as a whole.
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestNoNewPrivsMayNotDecide$")
		cmd.Env = append(os.Environ(), "MAY_DECIDE_ROLE=child")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		return
	}
	if !fencedBy(t) {
		t.Error("a process with no_new_privs may decide")
	}
}

func fencedBy(t *testing.T) bool {
	t.Helper()
	who, why := Own().Who()
	t.Logf("%q: %s", who, why)
	return who == approval.ChannelSandbox
}
