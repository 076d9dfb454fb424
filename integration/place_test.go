package integration

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// A place is a workspace with both doors in its PATH.
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
	p.env = append(os.Environ(), "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"), "TRANSCRIPT_HOME="+p.state, "TERM=xterm", "SHELL=/bin/bash")
	return p
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

// on runs a line on a terminal of its own, which a person could sit at.
func (p *place) on(line string) (*screen, *os.File) {
	p.t.Helper()
	s, t := p.asPerson(line)
	return s, t.File
}

// need skips when a program is missing, and says which.
func need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
}
