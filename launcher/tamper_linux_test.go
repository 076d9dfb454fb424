package launcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// guardedWorld is a world with a protected file, in which tamper_proof is on.
func guardedWorld(t *testing.T) (*Launcher, Request) {
	t.Helper()
	l, req := world(t)
	if err := errors.Join(
		os.WriteFile(l.home.Config(), []byte("security: {tamper_proof: true, protect: [TODO.md]}\n"), 0o600),
		os.WriteFile(filepath.Join(req.Dir, "TODO.md"), []byte("one\n"), 0o644),
	); err != nil {
		t.Fatal(err)
	}
	l, err := Open(l.home.Dir)
	if err != nil {
		t.Fatal(err)
	}
	return l, req
}

// nowhere is where a run reads and writes that nobody looks at; a run may close what it was given.
func nowhere(t *testing.T) session.Stdio {
	t.Helper()
	var files [3]*os.File
	for i := range files {
		f, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files[i] = f
	}
	return session.Stdio{In: files[0], Out: files[1], Err: files[2]}
}

func status(t *testing.T, l *Launcher, req Request, text string) int {
	t.Helper()
	req.Shell.Text, req.Stdio, req.PTY = text, nowhere(t), session.Never
	out, err := l.Run(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return out.Status
}

// a write through each door is clean, and told with the door that it came through,
// whatever the environment says.
func TestDoors(t *testing.T) {
	l, req := guardedWorld(t)
	req.Env = append(req.Env, "TADA_INTERFACE=CLI")
	doors := []tamper.Interface{tamper.CLI, tamper.MCP, tamper.Shell, tamper.Hook}
	for _, door := range doors {
		req.Door = door
		if s := status(t, l, req, "echo "+string(door)+" >> TODO.md"); s != 0 {
			t.Fatalf("%s: status %d", door, s)
		}
		now, err := os.ReadFile(filepath.Join(req.Dir, "TODO.md"))
		if err != nil {
			t.Fatal(err)
		}
		events, err := l.TamperLog()
		if err != nil {
			t.Fatal(err)
		}
		last := events[len(events)-1]
		if last.Interface != door || last.Action != tamper.ActionWrite || last.Checksum != tamper.CalculateChecksum("TODO.md", now) {
			t.Errorf("%s: told %+v", door, last)
		}
	}
	if s := status(t, l, req, "cat TODO.md"); s != 0 {
		t.Errorf("status %d", s)
	}
}

// through every door the same refusal, and those who only judge are told too.
func TestEveryDoorRefuses(t *testing.T) {
	l, req := guardedWorld(t)
	if s := status(t, l, req, "cat TODO.md"); s != 0 {
		t.Fatalf("status %d", s)
	}
	if j := judged(t, l, req); j.Verdict.Decision != 0 {
		if e, err := j.Tampered(); e != nil || err != nil {
			t.Errorf("clean, and %v, %v", e, err)
		}
	}
	if err := os.WriteFile(filepath.Join(req.Dir, "TODO.md"), []byte("outside\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, door := range []tamper.Interface{tamper.CLI, tamper.MCP, tamper.Shell, tamper.Hook} {
		req.Door, req.Shell.Text, req.Stdio, req.PTY = door, "touch marker; cat TODO.md", nowhere(t), session.Never
		out, err := l.Run(context.Background(), req)
		if err != nil || out.Status != ExitTampered || out.Refusal == nil || out.Refusal.Code != "tamper_error" || !strings.Contains(out.Refusal.JSON(), "digest") {
			t.Errorf("%s: %+v, %v", door, out, err)
		}
		e, err := judged(t, l, req).Tampered()
		var tampered *tamper.TamperError
		if err != nil || !errors.As(e, &tampered) || len(e.Files()) != 1 || ExitOf(e) != ExitTampered {
			t.Errorf("%s: judged only, and %v, %v", door, e, err)
		}
	}
	if _, err := os.Lstat(filepath.Join(req.Dir, "marker")); err == nil {
		t.Error("a refused command ran")
	}
}

// A command that names a protected file of another workspace is held by that workspace's baseline.
func TestOtherWorkspace(t *testing.T) {
	l, req := guardedWorld(t)
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("status %d", s)
	}
	other := t.TempDir()
	elsewhere := req
	elsewhere.Dir = other
	if err := os.WriteFile(filepath.Join(req.Dir, "TODO.md"), []byte("outside\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if s := status(t, l, elsewhere, "true"); s != 0 {
		t.Errorf("what it cannot name holds it up: %d", s)
	}
	if s := status(t, l, elsewhere, "cat "+filepath.Join(req.Dir, "TODO.md")); s != ExitTampered {
		t.Errorf("status %d", s)
	}
}

// what `tada-run` cannot verify does not run.
func TestDamagedBaselines(t *testing.T) {
	l, req := guardedWorld(t)
	if s := status(t, l, req, "true"); s != 0 {
		t.Fatalf("status %d", s)
	}
	names, _ := filepath.Glob(filepath.Join(l.home.Shadow(), "*", "manifest"))
	if len(names) != 2 {
		t.Fatalf("manifests %q", names)
	}
	for _, name := range names {
		whole, _ := os.ReadFile(name)
		if err := os.WriteFile(name, whole[:len(whole)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		var ward *WardError
		req.Shell.Text, req.Stdio, req.PTY = "true", nowhere(t), session.Never
		if _, err := l.Run(context.Background(), req); !errors.As(err, &ward) || !errors.Is(err, tamper.ErrCorrupt) || ExitOf(err) != ExitFailed {
			t.Errorf("%s: %v", name, err)
		}
		if err := os.WriteFile(name, whole, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
