package launcher

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// C4: an agent that takes variables from a file of the workspace is asked about writing it, by a
// command and in its folder by any other agent: what is in it may run in front of the agent's hook.
// Elsewhere the file is one as others.
func TestFilesThatAgentsLoadAsk(t *testing.T) {
	l, req := world(t)
	decision := func(req Request, name string) pathguard.Decision {
		t.Helper()
		req.Shell.Text = "echo A=1 > " + name
		return judged(t, l, req).Verdict.Decision
	}
	tried := 0
	for f := range agents.Of("loads") {
		name := f.Text()
		for _, c := range []struct{ agent, mark string }{{}, {agent: "claude-code"},
			{agent: "codex"}, {mark: "CLAUDECODE=1"}} {
			other := req
			other.Agent = c.agent
			other.Env = append(other.Env, c.mark)
			if got := decision(other, name); got != pathguard.Allow {
				t.Errorf("%s by %v: %v", name, c, got)
			}
		}
		own := req
		own.Agent = f.Agent
		if got := decision(own, name); got != pathguard.Ask {
			t.Errorf("%s by %s: %v", name, f.Agent, got)
		}
		if mark := agents.First(f.Agent, "mark"); mark != "" { // not all programs set one
			own.Agent, own.Env = "", append(own.Env, mark+"=1")
			if got := decision(own, name); got != pathguard.Ask {
				t.Errorf("%s by the mark of %s: %v", name, f.Agent, got)
			}
		}
		settings, _, _ := strings.Cut(agents.First(f.Agent, "later"), ":")
		dir := filepath.Join(req.Dir, strings.Fields(settings)[0])
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if got := decision(req, name); got != pathguard.Ask {
			t.Errorf("%s beside the settings of %s: %v", name, f.Agent, got)
		}
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		tried++
	}
	if tried < 2 {
		t.Errorf("%d agents load a file", tried)
	}
}
