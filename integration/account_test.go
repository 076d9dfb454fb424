package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// E-bkr-4, tier T2: the state may belong to an account of its own. That needs no daemon: the
// processes that ask, run and answer run as that account, as with `sudo -u tada tada-run`. The
// agent's usual account can read nothing of the state, decide nothing, and start nothing with it.
func TestStateOfAnotherAccount(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root starts programs as other accounts")
	}
	const tada, agent = 64001, 64002
	dir, err := os.MkdirTemp("/tmp", "accounts")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	state, work := filepath.Join(dir, "tada", "state"), filepath.Join(dir, "work")
	if err := errors.Join(hermetic.Chmod(dir, 0o755), os.MkdirAll(filepath.Join(work, "d"), 0o755),
		os.Mkdir(filepath.Dir(state), 0o755), os.Mkdir(state, 0o700),
		os.WriteFile(filepath.Join(state, "config.yaml"), []byte(deletionsAsk),
			0o644)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tada", "tada/state", "tada/state/config.yaml",
		"work", "work/d"} {
		if err := os.Chown(filepath.Join(dir, name), tada, tada); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"tada-run", "tadactl", "person"} {
		if err := linkOrCopy(self, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	// as runs a command as an account, and returns its status and output.
	as := func(uid uint32, argv ...string) (int, string) {
		t.Helper()
		path := filepath.Join(dir, argv[0])
		if _, err := os.Stat(path); err != nil {
			path = "/bin/" + argv[0]
		}
		cmd := exec.Command(path, argv[1:]...)
		cmd.Args[0], cmd.Dir = argv[0], work
		cmd.Env = []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + dir + "/tada", "TMPDIR=/tmp",
			"LANG=C.UTF-8", "TRANSCRIPT_HOME=" + state}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
		out, err := cmd.CombinedOutput()
		if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return cmd.ProcessState.ExitCode(), string(out)
	}
	if status, said := as(tada, "tada-run", "echo works"); status != 0 ||
		!strings.Contains(said, "works\n") {
		t.Fatalf("%d %s", status, said)
	}
	status, said := as(tada, "tada-run", "rm -rf d")
	id := regexp.MustCompile(`tadactl approve ([0-9a-f-]{36})`).FindStringSubmatch(said)
	if status != 75 || id == nil {
		t.Fatalf("%d %s", status, said)
	}

	// The agent's account.
	for _, name := range []string{"", "approvals.db", "audit/log.jsonl"} {
		if status, said := as(agent, "cat", filepath.Join(state, name)); status == 0 ||
			!strings.Contains(said, "Permission denied") {
			t.Errorf("cat %s: %d %s", name, status, said)
		}
	}
	for _, argv := range [][]string{{"tada-run", "echo ran"}, {"tadactl", "pending"},
		{"person", "tadactl", "approve", id[1]}} {
		if status, said := as(agent, argv...); status == 0 || strings.Contains(said, "ran\n") ||
			strings.Contains(said, "rm -rf") {
			t.Errorf("%q: %d %s", argv, status, said)
		}
	}
	if status, said := as(tada, "tada-run", "rm -rf d"); status != 75 {
		t.Errorf("it was approved by whoever may not read the question: %d %s", status, said)
	}

	// The state's own account.
	if status, said := as(tada, "person", "tadactl", "approve", id[1]); status != 0 ||
		!strings.HasPrefix(said, "approved") {
		t.Fatalf("%d %s", status, said)
	}
	if status, said := as(tada, "tada-run", "rm -rf d"); status != 0 {
		t.Errorf("%d %s", status, said)
	}
	if _, err := os.Lstat(filepath.Join(work, "d")); err == nil {
		t.Error("what was approved did not run")
	}
	if status, said := as(tada, "tada-run", "cat $HOME/state/approvals.db"); status != 126 {
		t.Errorf("a command of the state's account reads it: %d %s", status, said)
	}
	var st syscall.Stat_t
	if err := syscall.Stat(state, &st); err != nil || st.Uid != tada || st.Mode&0o777 != 0o700 {
		t.Errorf("%v: %s", err, fmt.Sprintf("uid %d, mode %o", st.Uid, st.Mode))
	}
}
