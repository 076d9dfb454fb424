package integration

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// A place is a workspace with both programs in its PATH.
type place struct {
	t          testing.TB
	dir, state string
	env        []string
}

func newPlace(t testing.TB) *place {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	t.Cleanup(func() { ended(t, dir) })
	p := &place{t: t, dir: filepath.Join(dir, "repo"), state: filepath.Join(dir, "state")}
	for _, name := range []string{"bin", "repo", "repo/build"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"tada-run", "tadactl"} {
		if err := os.Symlink(self, filepath.Join(dir, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	p.env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"),
		"TRANSCRIPT_HOME="+p.state, "TERM=xterm", "SHELL=/bin/bash")
	return p
}

// asking has a deletion be a question, although it can be undone.
func (p *place) asking() *place {
	p.t.Helper()
	if err := errors.Join(os.Mkdir(p.state, 0o700), os.WriteFile(
		filepath.Join(p.state, "config.yaml"), []byte(deletionsAsk), 0o600)); err != nil {
		p.t.Fatal(err)
	}
	return p
}

const deletionsAsk = "undo: {replaces_approval: false}\n"

// ended waits until no other process works in dir. A session whose terminal was closed still writes
// its end to the record, and a folder cannot be removed while files are written to it.
func ended(t testing.TB, dir string) {
	t.Helper()
	var left []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if left = working(dir); left == nil {
			return
		}
	}
	t.Errorf("still at work in %s: %s", dir, strings.Join(left, ", "))
}

// working returns the other processes that have their directory or an open file in dir.
func working(dir string) (names []string) {
	entries, _ := os.ReadDir("/proc")
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		proc := "/proc/" + e.Name()
		files, _ := filepath.Glob(proc + "/fd/*")
		for _, file := range append(files, proc+"/cwd") {
			if at, err := os.Readlink(file); err == nil && strings.HasPrefix(at, dir+"/") {
				name, _ := os.ReadFile(proc + "/comm")
				names = append(names,
					fmt.Sprintf("%s (process %d, %s)", strings.TrimSpace(string(name)), pid, at))
				break
			}
		}
	}
	return names
}

func (p *place) command(line string) *exec.Cmd {
	cmd := exec.Command("bash", "-c", line)
	cmd.Dir, cmd.Env = p.dir, p.env
	return cmd
}

func (p *place) run(line string) string {
	out, _ := p.command(line).CombinedOutput()
	return string(out)
}

// on runs a line on a terminal of its own, at which a person could be.
func (p *place) on(line string) (*screen, *os.File) {
	p.t.Helper()
	s, t := p.asPerson(line)
	return s, t.File
}

// need skips the test if a program is missing, and says which.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}
