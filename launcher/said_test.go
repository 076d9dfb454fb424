package launcher

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/environ"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/session"
)

// A variable that is withheld is told to a command that failed and complains of it, once, and to nobody else.
func TestMissedVariables(t *testing.T) {
	l, req := world(t)
	removed := []string{"$", "BASH_FUNC_x%%", "GH_TOKEN", "LD_\x1bX", "LD_X", "TOKEN"}
	ran := func(l *Launcher, said string, status int) string {
		var out strings.Builder
		e := endedRun(&Judgement{environ: &surroundings{Environ: environ.Environ{Removed: removed}}}, sandbox.Status{Exited: true, Code: status})
		e.l = l
		e.out.tails[session.Stderr].add([]byte(said))
		missedVariables(e, &out)
		return out.String()
	}
	for _, said := range []string{"", "no such file", "MY_GH_TOKEN is not set", "GH_TOKENS", "$ BASH_FUNC_x%% LD_\x1bX"} {
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
	req.Env = append(req.Env, "GH_TOKEN=ghp_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "LD_PRELOAD=/x", "BASH_FUNC_x%%=() { :; }")
	if got := status(t, l, req, "true"); got != 0 {
		t.Fatal(got)
	}
	if got := l.NotReceived(); !strings.HasPrefix(got, "commands do not receive GH_TOKEN LD_PRELOAD; ") {
		t.Errorf("%q", got)
	}
}

// What no setting opens says who can do it instead.
func TestRemedyOfASocket(t *testing.T) {
	said := `permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock: dial unix /var/run/docker.sock: socket: permission denied`
	denials := sandbox.Profile{}.ExplainOutput(said, "/")
	if len(denials) != 1 || !strings.Contains(remedy(denials[0]), "run it yourself in a terminal") {
		t.Errorf("%+v", denials)
	}
}
