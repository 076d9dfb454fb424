package launcher

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A member is a launcher whose machine is in a fleet, with a run that adds to a file all the time.
type member struct {
	*testing.T
	l    *Launcher
	req  Request
	done chan Outcome
}

func runningMember(t *testing.T, limit time.Duration) *member {
	t.Helper()
	m := &member{T: t, done: make(chan Outcome, 1)}
	m.l, m.req = world(t)
	if m.l.level() != sandbox.Strong {
		t.Skip("what cannot be stopped for certain is ended")
	}
	if err := os.MkdirAll(m.l.state.Fleet(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(m.l.state.Membership(), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	m.req.Shell.Text = "while :; do echo step >>steps; sleep 0.01; done"
	m.req.Stdio, m.req.Timeout = nowhere(t), limit
	go func() {
		out, _ := m.l.Run(context.Background(), m.req)
		m.done <- out
	}()
	m.until("it runs", m.moves)
	return m
}

func (m *member) until(what string, is func() bool) {
	m.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	m.Fatal("not within ten seconds: " + what)
}

// moves reports whether the run makes steps.
func (m *member) moves() bool {
	size := func() int64 {
		info, err := os.Stat(filepath.Join(m.req.Dir, "steps"))
		if err != nil {
			return 0
		}
		return info.Size()
	}
	was := size()
	time.Sleep(300 * time.Millisecond)
	return size() > was
}

func (m *member) freeze() {
	m.Helper()
	if err := os.WriteFile(m.l.state.Freeze(), []byte("by ann\n"), 0o600); err != nil {
		m.Fatal(err)
	}
}

// kinds are the kinds of the entries about runs.
func (m *member) kinds() (kinds []string) {
	for e, err := range m.l.Entries(audit.Filter{Kinds: []string{"exec."}}) {
		if err != nil {
			m.Fatal(err)
		}
		kinds = append(kinds, e.Kind)
	}
	return kinds
}

// A run is stopped until the freeze ends, longer than its time limit, and goes on; the record says
// so, and is whole.
func TestPaused(t *testing.T) {
	t.Parallel()
	m := runningMember(t, 3*time.Second)
	m.freeze()
	paused, ended, err := m.l.Live().PauseAll(5 * time.Second)
	if err != nil || len(paused) != 1 || len(ended) > 0 {
		t.Fatalf("%q, %q, %v", paused, ended, err)
	}
	for range 10 {
		if m.moves() {
			t.Fatal("it makes steps while it is stopped")
		}
	}
	if r, err := m.l.Past(paused[0]); err != nil || !r.Paused || r.State != "running" {
		t.Errorf("%+v, %v", r, err)
	}
	if again, _, err := m.l.Live().PauseAll(time.Second); err != nil || len(again) != 1 {
		t.Errorf("%q, %v", again, err)
	}
	if err := os.Remove(m.l.state.Freeze()); err != nil {
		t.Fatal(err)
	}
	m.until("it goes on", m.moves)
	if out := <-m.done; out.Status != timedOutStatus {
		t.Errorf("%+v", out)
	}
	if got := m.kinds(); !slices.Equal(got, []string{record.KindIntent, record.KindStart,
		record.KindPaused, record.KindContinued, record.KindEnd}) {
		t.Errorf("%q", got)
	}
	if _, err := m.l.Verify(); err != nil {
		t.Error(err)
	}
}

// A launcher that does not stop its run, here because it is stopped itself, is ended with it; a run
// that is stopped can be ended.
func TestNotPaused(t *testing.T) {
	t.Parallel()
	for _, deaf := range []bool{true, false} {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "work"), 0o755); err != nil {
			t.Fatal(err)
		}
		l, err := own(filepath.Join(dir, "state")).Open()
		if err != nil {
			t.Fatal(err)
		}
		if l.level() != sandbox.Strong {
			t.Skip("what cannot be stopped for certain is ended")
		}
		m := &member{T: t, l: l, req: Request{Dir: filepath.Join(dir, "work")}}
		if err := errors.Join(os.MkdirAll(l.state.Fleet(), 0o700),
			os.WriteFile(l.state.Membership(), []byte("{}"), 0o600)); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/proc/self/exe", "while :; do echo step >>steps; sleep 0.01; done")
		cmd.Env = append(os.Environ(), "LAUNCHER_VICTIM="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		m.until("it runs", m.moves)
		if deaf {
			if err := cmd.Process.Signal(unix.SIGSTOP); err != nil {
				t.Fatal(err)
			}
		}
		m.freeze()
		paused, ended, err := l.Live().PauseAll(time.Second)
		if err != nil || len(ended) == 1 != deaf || len(paused) == 1 == deaf {
			t.Fatalf("%q, %q, %v", paused, ended, err)
		}
		if !deaf {
			if gently, err := l.Live().Kill(paused[0]); err != nil || !gently {
				t.Errorf("%v, %v", gently, err)
			}
		}
		_ = cmd.Wait()
		if m.moves() {
			t.Error("it goes on")
		}
	}
}
