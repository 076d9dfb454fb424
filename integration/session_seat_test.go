package integration

import (
	"path/filepath"
	"strings"
	"testing"
)

// A shell that is started on a terminal without a command is a session, whatever its name and its
// interactive options: tmux starts a login shell, other terminals a plain one.
func TestAShellWithATerminalIsASession(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	for _, call := range []string{"exec -a -tada-run tada-run", "tada-run", "tada-run -i",
		"tada-run -l", "tada-run --session -i", "tada-sh", "tada-sh -il"} {
		t.Run(call, func(t *testing.T) {
			name := strings.NewReplacer(" ", "", "-", "").Replace(call)
			w := d.window(name, 100, 30)
			w.line("clear; ln -sf $(command -v tada-run) tada-sh; PATH=$PATH:$PWD; (" + call +
				"); echo outer st''atus $?")
			w.shows("inner$")
			w.step("echo te''rminal $0 >&2")
			w.line("exit 3")
			w.shows("outer status 3")
		})
	}
	if ids := d.ids("session"); len(ids) > 0 {
		t.Errorf("still running: %v", ids)
	}
	if out := d.run("tada-run </dev/null"); !strings.Contains(out, "no command") {
		t.Errorf("without a terminal: %s", out)
	}
}

// tmux with tada-run as its shell opens a window in which lines are judged.
func TestTmuxWithThisShell(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	// a server takes its shell from the environment in which it starts, so this is a second server
	seat := *d
	t.Cleanup(func() { seat.tmux("kill-server") })
	d.socket += ".shell"
	d.env = append(d.env, "SHELL="+filepath.Join(filepath.Dir(d.dir), "bin", "tada-run"))
	if out := d.tmux("new-session", "-d", "-s", "w", "-x", "100", "-y",
		"30"); strings.TrimSpace(out) != "" {
		t.Fatal(out)
	}
	d.hand = newHand(t, d)
	w := &window{d, "w"}
	w.shows("inner$")
	w.step("echo judged >&2")
	if len(d.ids("session")) != 1 {
		t.Errorf("no session: %s", d.run("tadactl sessions"))
	}
}
