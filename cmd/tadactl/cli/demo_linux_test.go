package cli

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/shell"
)

// made is a throw-away folder for a test.
func made(t *testing.T) *throwaway {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	demo, err := newThrowaway(launcher.Place{Account: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(demo.top) })
	return demo
}

// asks has a command wait for an answer in a state directory, and returns how it ended.
func asks(t *testing.T, l *launcher.Launcher, dir, line string) int {
	t.Helper()
	out, err := l.Run(context.Background(), launcher.Request{Dir: dir, Env: os.Environ(),
		Shell: shell.Call{Text: line, Name: "tada-run"}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Status
}

// The demo approves its own command and no other: not in another folder, not one that does more,
// and not while anything else waits.
func TestDemoApprovesNothingElse(t *testing.T) {
	for _, line := range []string{"rm -rf .git", "rm -rf .git; ls -A; cat .env",
		"rm -rf .git; ls -A ", "git push --force"} {
		d := made(t)
		if status := asks(t, d.launcher, d.work, line); status != exit.Pending {
			t.Fatalf("%s ends with %d: it does not ask", line, status)
		}
		if err := d.answer(context.Background()); !errors.Is(err, errNotOwn) {
			t.Errorf("%s: %v", line, err)
		}
		if status := asks(t, d.launcher, d.work, line); status != exit.Pending {
			t.Errorf("%s ran: %d", line, status)
		}
	}
	d := made(t)
	elsewhere := t.TempDir()
	if err := os.CopyFS(elsewhere, os.DirFS(d.work)); err != nil {
		t.Fatal(err)
	}
	asks(t, d.launcher, elsewhere, dangerous)
	if err := d.answer(context.Background()); !errors.Is(err, errNotOwn) {
		t.Errorf("in another folder: %v", err)
	}
	asks(t, d.launcher, d.work, dangerous)
	if err := d.answer(context.Background()); !errors.Is(err, errNotOwn) {
		t.Errorf("beside another question: %v", err)
	}
}

// The key of the demo counts in its own state directory and in no other, and is written nowhere.
func TestDemoKeyCountsNowhereElse(t *testing.T) {
	d := made(t)
	real, err := open(launcher.Place{State: t.TempDir() + "/state", Account: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if status := asks(t, real, d.work, dangerous); status != exit.Pending {
		t.Fatalf("it ends with %d", status)
	}
	answering := *d
	answering.launcher = real
	if err := answering.answer(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "not the one that was made") {
		t.Errorf("in another state directory: %v", err)
	}
	if answering.made, err = os.Lstat(real.Home().Dir); err != nil {
		t.Fatal(err)
	}
	if err := answering.answer(context.Background()); !errors.Is(err, approval.ErrUntrusted) {
		t.Errorf("with the key of another state directory: %v", err)
	}
	if _, err := os.Stat(d.launcher.Home().Key()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the private key is in a file: %v", err)
	}
	text, err := os.ReadFile(d.launcher.Home().Trust())
	if err != nil || string(text) != d.key.TrustLine()+"\n" {
		t.Errorf("%q, %v", text, err)
	}
}

// A state directory that was put in the place of the one that was made is not answered in.
func TestDemoStateSwapped(t *testing.T) {
	d := made(t)
	asks(t, d.launcher, d.work, dangerous)
	state := d.launcher.Home().Dir
	if err := os.Rename(state, state+".old"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(state+".old", state); err != nil {
		t.Fatal(err)
	}
	if err := d.answer(context.Background()); err == nil ||
		!strings.Contains(err.Error(), "not the one that was made") {
		t.Error(err)
	}
}

// What the demo prints can be typed as it stands.
func TestTypable(t *testing.T) {
	for _, s := range story {
		words := append([]string{"printf", `%s\n`}, s.args...)
		if s.program == "" {
			words = append(words, dangerous)
		}
		out, err := exec.Command("sh", "-c", strings.ReplaceAll(typable(words), `%s\n`,
			`'%s\n'`)).Output()
		if want := strings.Join(words[2:], "\n") + "\n"; err != nil || string(out) != want {
			t.Errorf("%q is read as %q, %v", words, out, err)
		}
	}
}
