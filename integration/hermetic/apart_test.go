package hermetic

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { os.Exit(Apart(m).Run()) }

// again starts these tests once more, like the go command, for one part of TestApart.
func again(t *testing.T, part string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run", "^TestApart$")
	cmd.Env = append(os.Environ(), "TEST_PART="+part, "TEST_PARENT="+strconv.Itoa(os.Getpid()),
		"CLAUDECODE=1", already+"=")
	return cmd
}

// The process that runs the tests has lost its parent, has nothing of the environment in which it
// was started, ends with the status of the tests, and ends when the process that the go command
// knows is ended.
func TestApart(t *testing.T) {
	switch os.Getenv("TEST_PART") {
	case "":
	case "passes":
		if _, set := os.LookupEnv("CLAUDECODE"); set {
			t.Error("CLAUDECODE is set")
		}
		if os.Getenv("TEST_PARENT") == strconv.Itoa(os.Getppid()) {
			t.Error("its parent is the process that started the tests")
		}
		if leader, err := unix.Getsid(0); leader != os.Getpid() {
			t.Errorf("the leader of its session is %d (%v)", leader, err)
		}
		if out, err := exec.Command("sh", "-c", "cat <&9").CombinedOutput(); err == nil {
			t.Errorf("a program inherits descriptor 9: %q", out)
		}
		return
	case "fails":
		t.Fatal("as it should")
	case "waits":
		os.Stdout.WriteString("waiting\n")
		_, _ = io.Copy(io.Discard, os.Stdin)
		select {}
	}
	cmd := again(t, "passes")
	cmd.ExtraFiles = make([]*os.File, 9-2)
	cmd.ExtraFiles[9-3] = os.Stdin
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
	cmd = again(t, "fails")
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 1 ||
		!strings.Contains(string(out), "as it should") {
		t.Errorf("%v: %s", err, out)
	}
	cmd = again(t, "waits")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(out)
	if line, err := r.ReadString('\n'); line != "waiting\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, r); err != nil {
		// ends when the tests have ended, which have it open as well
		t.Error(err)
	}
	_ = cmd.Wait()
}

// Programs in the account's home are not part of the tests, wherever HOME points.
func TestHomes(t *testing.T) {
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil || account.HomeDir == "/" {
		t.Skip("the account has no home")
	}
	for _, home := range []string{"/nonexistent", "/", account.HomeDir} {
		t.Setenv("HOME", home)
		path := account.HomeDir + "/bin:/usr/bin:/nonexistent/bin"
		for _, h := range homes() {
			path = outside(h, path)
		}
		if strings.Contains(path, account.HomeDir+"/bin") || !strings.Contains(path, "/usr/bin") ||
			home == "/nonexistent" && path != "/usr/bin" {
			t.Errorf("HOME=%s: %s", home, path)
		}
	}
}
