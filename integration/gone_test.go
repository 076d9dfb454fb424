package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// E-pend-3: a question is withdrawn when the process that waits for its answer is gone, however it
// ended, and the record has that. Everyone sees it: the list, the page, a person who answers, the
// next one who asks, and a screen within a second or so. A question asked without waiting stays,
// and so does one for which another process waits as well.
func TestTheQuestionOfADeadAskerIsWithdrawn(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T, p *place, line string) *exec.Cmd {
		cmd := p.command("exec " + line)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd
	}
	asked := func(t *testing.T, p *place) (id string) {
		t.Helper()
		for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			if id, _, _ = strings.Cut(p.run("tadactl pending"), " "); id != "" {
				if held, _ := filepath.Glob(filepath.Join(p.state,
					"run/waiting/*")); len(held) > 0 {
					return id
				}
			}
		}
		t.Fatal("it never asks")
		return ""
	}
	const ask = "tada-run --wait 5m 'rm -rf build'"
	for name, look := range map[string]string{
		"pending":         "tadactl pending",
		"show":            "tadactl show %s",
		"approve":         "tadactl approve --plan 000000000000 %s",
		"deny":            "tadactl deny %s",
		"the next to ask": "tada-run 'rm -rf other'",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t).asking()
			if err := os.MkdirAll(filepath.Join(p.dir, "other/x"), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := start(t, p, ask)
			id := asked(t, p)
			_ = cmd.Process.Signal(syscall.SIGKILL)
			_ = cmd.Wait()
			if strings.Contains(look, "%s") {
				look = fmt.Sprintf(look, id)
			}
			out := p.run(look)
			log := p.run("tadactl log --json --kind approval.rejected")
			if !strings.Contains(log, `"outcome":"cancelled"`) ||
				!strings.Contains(log, "has exited") || !strings.Contains(log, id) {
				t.Errorf("%s\n%s", log, out)
			}
			if strings.Contains(out, "approved") || strings.Contains(p.run("tadactl pending"), id) {
				t.Errorf("still open: %s", out)
			}
			if out := p.run("tada-run 'rm -rf build'; echo status $?"); !strings.Contains(out,
				"status 75") {
				t.Errorf("the same command does not ask again: %s", out)
			}
			if out := p.run("tadactl audit verify; echo status $?"); !strings.Contains(out,
				"status 0") {
				t.Error(out)
			}
		})
	}
	t.Run("a screen", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t).asking()
		cmd := start(t, p, ask)
		asked(t, p)
		s, tty := p.on("tadactl inbox")
		if err := s.shows("1 open"); err != nil {
			t.Fatal(err, s.text())
		}
		_ = cmd.Process.Kill()
		if err := s.shows("no open questions"); err != nil {
			t.Error(err, s.text())
		}
		_, _ = tty.WriteString("q")
		s.drained()
	})
	t.Run("at a terminal", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t).asking()
		w := p.glass("exec tada-run 'rm -rf build'")
		if err := w.screen.shows("y: approve"); err != nil {
			t.Fatal(err, w.screen.text())
		}
		w.signal(syscall.SIGKILL)
		w.screen.drained()
		if out := p.run("tadactl pending; tadactl log --json --kind approval.rejected"); !strings.Contains(out, "has exited") || strings.Contains(out, "R1") {
			t.Error(out)
		}
	})
	t.Run("asked without waiting", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t).asking()
		p.run("tada-run 'rm -rf build'")
		w := p.glass("exec " + ask + " < /dev/null") // the same question
		if err := w.screen.shows("waiting 5m0s"); err != nil {
			t.Fatal(err, w.screen.text())
		}
		w.signal(syscall.SIGKILL)
		w.screen.drained()
		if out := p.run("tadactl pending"); !strings.Contains(out, "rm -rf build") {
			t.Errorf("withdrawn: %s", out)
		}
	})
	t.Run("another waits as well", func(t *testing.T) {
		t.Parallel()
		p := newPlace(t).asking()
		first := start(t, p, ask)
		id := asked(t, p)
		second := p.glass("exec " + ask + " < /dev/null")
		if err := second.screen.shows("waiting 5m0s"); err != nil {
			t.Fatal(err, second.screen.text())
		}
		_ = first.Process.Kill()
		_ = first.Wait()
		if out := p.run("tadactl pending"); !strings.Contains(out, id) {
			t.Errorf("withdrawn: %s", out)
		}
		second.signal(syscall.SIGKILL)
		second.screen.drained()
		if out := p.run("tadactl pending"); strings.Contains(out, id) {
			t.Errorf("still open: %s", out)
		}
	})
}
