package hook

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// A platform counts as using tada-run as its shell only if it really does: Claude Code silently
// falls back from a shell whose path contains neither bash nor zsh.
func TestIsShell(t *testing.T) {
	runner, err := RunnerPath()
	if err != nil { // beside a test there is none
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		runner = filepath.Join(filepath.Dir(self), "tada-run")
		if err := hermetic.WriteProgram(runner, nil, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.Remove(runner) })
	}
	dir, err := os.MkdirTemp("", "links")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	link := filepath.Join(dir, "bash")
	plain := filepath.Join(dir, "sh")
	for _, name := range []string{link, plain} {
		if err := os.Symlink(runner, name); err != nil {
			t.Fatal(err)
		}
	}
	words := []string{"bash", "zsh"}
	for _, test := range []struct {
		env   []string
		words []string
		want  bool
	}{
		{[]string{"A=" + link}, words, true},
		{[]string{"A=" + plain}, words, false},
		{[]string{"A=" + plain}, nil, true},
		{[]string{"A=" + plain, "B=" + link}, words, false},
		{[]string{"B=" + link}, words, true},
		{[]string{"A=", "B=" + link}, words, true},
		{[]string{"A=/bin/sh", "B=" + link}, nil, false},
		{nil, nil, false},
	} {
		if got := IsShell(test.env, test.words, "A", "B"); got != test.want {
			t.Errorf("%q, %q: %v", test.env, test.words, got)
		}
	}
}
