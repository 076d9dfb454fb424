package integration

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// A shell that is started on a terminal without a command is a session, whatever its name and its
// interactive options: tmux starts a login shell, other terminals a plain one, as the leader of its
// processes, and an editor the one that SHELL names.
func TestAShellWithATerminalIsASession(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	for _, call := range []string{"exec -a -tada-run tada-run",
		"SHELL=$(command -v tada-run) tada-run", "tada-run -i", "tada-run -l",
		"tada-run --session -i", "tada-sh", "tada-sh -il"} {
		t.Run(call, func(t *testing.T) {
			name := strings.NewReplacer(" ", "", "-", "", "$", "", "(", "", ")", "",
				"=", "").Replace(call)
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
	w := d.window("leader", 100, 30)
	w.line("exec tada-run")
	w.shows("inner$")
	w.line("exit")
	d.eventually("no session is left", func() bool { return len(d.ids("session")) == 0 })
	if out := d.run("tada-run </dev/null"); !strings.Contains(out, "no command") {
		t.Errorf("without a terminal: %s", out)
	}
}

// The name alone, as a newcomer types it, starts nothing: it says in eight lines what to type.
func TestTheNameAloneExplainsItself(t *testing.T) {
	t.Parallel()
	d := newDesktop(t)
	d.rc("")
	w := d.window("alone", 100, 30)
	for i, call := range []string{"tada-run", "tada-run --agent a", "tada-run | cat",
		"tada-run </dev/null", "echo | tada-run"} {
		over := fmt.Sprintf("call %d ended with 2", i)
		w.line("clear; set -o pipefail; (" + call + "); echo call " + over[5:6] + " ended with $?")
		w.shows(over)
		for _, want := range []string{"no command given. It runs the command lines",
			"tada-run --session -- claude", "tadactl demo ", "tadactl setup ", "tadactl doctor ",
			"tada-run --help"} {
			if !strings.Contains(w.text(), want) {
				t.Errorf("%s does not say %q:\n%s", call, want, w.text())
			}
		}
	}
	out := d.run("tada-run </dev/null")
	if strings.Count(out, "\n") > 8 || len(d.ids("session")) > 0 {
		t.Errorf("more than eight lines, or a session:\n%s", out)
	}
	if out := d.run("echo 'echo a script' | tada-run"); !strings.Contains(out, "a script\n") {
		t.Errorf("a script in a pipe: %s", out)
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
