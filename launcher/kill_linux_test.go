package launcher

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
)

// TestMain lets the test binary be a launcher that can be killed: see victim.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LAUNCHER_VICTIM"); dir != "" {
		os.Exit(victim(dir, os.Args[1]))
	}
	if os.Getenv(belowKey) == "begin" {
		goBelow()
	}
	os.Exit(hermetic.Tests(m).Run())
}

// victim runs one command line in the world of dir.
func victim(dir, text string) int {
	l, err := own(filepath.Join(dir, "state")).Open()
	if err == nil {
		_, err = l.Run(context.Background(), Request{
			Shell: shell.Call{Text: text, Name: "tada-run"}, Dir: filepath.Join(dir, "work"),
			Env:   []string{"PATH=/usr/bin:/bin"},
			Stdio: session.Stdio{In: os.Stdin, Out: os.Stdout, Err: os.Stderr},
		})
	}
	fmt.Println(err)
	return 1
}

// marked returns the processes that have mark among their arguments. A steward has the launcher's.
func marked(mark string) (left []string) {
	names, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range names {
		if text, _ := os.ReadFile(name); bytes.Contains(text, []byte(mark)) {
			left = append(left, filepath.Base(filepath.Dir(name))+": "+
				string(bytes.ReplaceAll(text, []byte{0}, []byte{' '})))
		}
	}
	return left
}

// A launcher that is killed with SIGKILL at any moment leaves no process, neither of the command
// nor of its own. Its log is whole and says no more than what is known: what ran was announced, and
// nothing has an end that no process saw.
func TestKilledAnytime(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "work"), 0o755); err != nil {
		t.Fatal(err)
	}
	mark := fmt.Sprintf("60.%d", time.Now().UnixNano())
	start := func(i int) (*exec.Cmd, io.Reader) {
		// The second sleep leaves the session, and both ignore what a terminal sends.
		cmd := exec.Command("/proc/self/exe",
			fmt.Sprintf("echo ran > ran-%d; echo ready; trap '' HUP INT TERM; (setsid sleep %s &) ; sleep %[2]s", i, mark))
		cmd.Env = append(os.Environ(), "LAUNCHER_VICTIM="+dir)
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		return cmd, out
	}
	// How long a start takes on this machine now; the first one also finds out what the machine can
	// do.
	var cmd *exec.Cmd
	var whole time.Duration
	for i := range 2 {
		began := time.Now()
		var out io.Reader
		cmd, out = start(i)
		ready := make([]byte, len("ready"))
		if _, err := io.ReadFull(out, ready); err != nil || string(ready) != "ready" {
			t.Fatalf("%q %v", ready, err)
		}
		if whole = time.Since(began); len(marked(mark)) < 2 {
			t.Fatal("there is nothing to kill")
		}
		cmd.Process.Kill()
		cmd.Wait()
	}
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	for i := range rounds {
		cmd, _ = start(i + 2)
		time.Sleep(time.Duration(rand.Float64() * 1.2 * float64(whole)))
		cmd.Process.Kill()
		cmd.Wait()
	}
	left := marked(mark)
	for range 200 {
		if left = marked(mark); len(left) == 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if len(left) > 0 {
		t.Errorf("still there:\n%s", strings.Join(left, "\n"))
	}
	honest(t, dir, rounds+2)
}

// honest checks the record of runs that were all killed.
func honest(t *testing.T, dir string, rounds int) {
	l, err := own(filepath.Join(dir, "state")).Open()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Verify(); err != nil {
		t.Errorf("the record is not whole: %v", err)
	}
	runs, err := l.Runs()
	if err != nil {
		t.Fatal(err)
	}
	states, told := map[string]int{}, ""
	for _, r := range runs {
		states[r.State]++
		told += r.Command + "\n"
	}
	ran := 0
	for i := range rounds {
		if _, err := os.Stat(filepath.Join(dir, "work", fmt.Sprintf("ran-%d", i))); err != nil {
			continue
		}
		ran++
		if !strings.Contains(told, fmt.Sprintf("ran-%d;", i)) {
			t.Errorf("run %d ran and was not announced", i)
		}
	}
	t.Logf("%d ran; the record has %v", ran, states)
	if n := states["announced"] + states["lost"]; n != len(runs) {
		t.Errorf("of %d runs that nobody saw end, the record tells of %v", len(runs), states)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "work"))
	if err != nil || len(entries) != ran {
		// nothing that a sandbox or a search left: no masks, no temporary files
		t.Errorf("%d ran, and the workspace holds %v %v", ran, entries, err)
	}
	if ran == 0 || len(runs) < ran || states["lost"] == 0 {
		t.Errorf("%d ran, and the record has %v", ran, states)
	}
}
