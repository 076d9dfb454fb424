package launcher

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/watch"
	"github.com/tada-run/tada-run/pathguard"
)

// A notice that cannot be remembered is written again, and a FIFO holds no one.
func TestNoticeThatCannotBeRemembered(t *testing.T) {
	l, _ := world(t)
	path := filepath.Join(l.state.Runtime(), "said")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if !l.tells("x") {
			t.Error("a FIFO remembers")
		}
	}
}

// A command that failed and complains about a withheld variable is told so, once; no other command
// is.
func TestMissedVariables(t *testing.T) {
	l, req := world(t)
	removed := []string{"$", "BASH_FUNC_x%%", "GH_TOKEN", "LD_\x1bX", "LD_X", "TOKEN"}
	ran := func(l *Launcher, said string, status int) string {
		var out strings.Builder
		list := watch.Look(watch.Before{Removed: removed, Exact: true, Plan: &pathguard.Plan{}})
		a := watch.After{Status: sandbox.Status{Exited: true, Code: status}, Complaints: said,
			Once: l.say}
		if err := list.Find(watch.Found{}, watch.HandOver, a, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, said := range []string{"", "no such file", "MY_GH_TOKEN is not set", "GH_TOKENS",
		"$ BASH_FUNC_x%% LD_\x1bX"} {
		if got := ran(l, said, 1); got != "" {
			t.Errorf("%q: %q", said, got)
		}
	}
	if got := ran(l, "gh: set GH_TOKEN", 0); got != "" {
		t.Errorf("a command that succeeded: %q", got)
	}
	want := "tada-run: commands do not receive GH_TOKEN LD_X; to pass a variable, add its name to environment.keep: tadactl policy edit (shown once)\n"
	if got := ran(l, "LD_X: unbound variable; gh: set GH_TOKEN", 1); got != want {
		t.Errorf("%q", got)
	}
	again, err := own(l.Home().Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	if got := ran(again, "gh: set GH_TOKEN, or LD_X", 1); got != "" {
		t.Errorf("said again: %q", got)
	}
	if got := ran(again, "TOKEN", 1); !strings.Contains(got, "receive TOKEN;") {
		t.Errorf("another set: %q", got)
	}

	if got := l.NotReceived(); got != "" {
		t.Errorf("nothing ran: %q", got)
	}
	req.Env = append(req.Env, "GH_TOKEN=ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "LD_PRELOAD=/x",
		"BASH_FUNC_x%%=() { :; }")
	if got := status(t, l, req, "true"); got != 0 {
		t.Fatal(got)
	}
	if got := l.NotReceived(); !strings.HasPrefix(got,
		"commands do not receive GH_TOKEN LD_PRELOAD; ") {
		t.Errorf("%q", got)
	}
}
