package integration

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// screens are what the clients show first where a person starts them without a command, and what
// they have to find so that they show that.
var screens = map[string]struct{ text, file, content string }{
	"claude-code": {"Accessing workspace", ".claude.json",
		`{"hasCompletedOnboarding":true,"theme":"dark"}`},
	"codex":    {text: "Trust this folder"},
	"opencode": {text: "Ask anything"},
	"gemini":   {text: "Do you trust the files in this folder"},
	"qwen":     {text: "Type your message"},
	"copilot":  {text: "trust"},
}

// TestClientsScreen starts the clients in a session as a person does, without a command: what they
// need for their screen (a server, libraries that they unpack) is there. make test-clients.
func TestClientsScreen(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		want, has := screens[c.name]
		if !has {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "/bin/bash")
			if want.file != "" {
				write(t, filepath.Join(b.home, want.file), want.content)
			}
			session := []string{filepath.Join(b.bin, "tada-run"), "--session", "--"}
			b.enlist(t, c, session)
			b.pane(t, c, append(session, b.seen(c.find(t)))).shows(t, want.text)
			list := pattern(`"id":"(\w+)"`)().FindAllStringSubmatch(
				b.ctl(t, "sessions", "--json"), -1)
			b.ctl(t, "kill", list[len(list)-1][1]) // it would go on without its terminal
		})
	}
}

// A pane is a terminal with a client; it runs commands of tmux.
type pane func(args ...string) (string, error)

// pane starts a client as a person does.
func (b *bench) pane(t *testing.T, c client, words []string) pane {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed; on Debian: apt-get install tmux")
	}
	socket := filepath.Join(filepath.Dir(b.home), "tmux")
	run := func(args ...string) (string, error) {
		cmd := b.command(t, tmux, append([]string{"-S", socket, "-f", "/dev/null"}, args...)...)
		cmd.Env = append(append(cmd.Env, c.env...), b.model.env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	words = append([]string{"new-session", "-d", "-x", "120", "-y", "40"}, words...)
	if out, err := run(append(words, ";", "set", "remain-on-exit", "on")...); err != nil {
		t.Fatal(err, out)
	}
	t.Cleanup(func() { _ = exec.Command(tmux, "-S", socket, "kill-server").Run() })
	return run
}

// shows waits for a text on the screen.
func (run pane) shows(t *testing.T, text string) {
	t.Helper()
	shown := ""
	for end := time.Now().Add(8 * patience); !strings.Contains(shown, text); {
		if time.Now().After(end) || strings.Contains(shown, "Pane is dead") {
			t.Fatalf("want %q:\n%s", text, shown)
		}
		time.Sleep(time.Second)
		shown, _ = run("capture-pane", "-p")
	}
}

// C1: where the user's rule asks about a whole line, Claude Code asks, and what runs then goes
// through tada-run; what another rule denies is not asked about. make test-clients.
func TestClientsAskRules(t *testing.T) {
	needClients(t)
	c := clientNamed("claude-code")
	b := newBench(t, c, "/bin/bash")
	write(t, filepath.Join(b.home, ".claude.json"),
		`{"hasCompletedOnboarding":true,"theme":"dark","customApiKeyResponses":{"approved":["x"]},`+
			`"projects":{"`+b.work+`":{"hasTrustDialogAccepted":true}}}`)
	write(t, filepath.Join(b.home, ".claude/settings.json"),
		`{"permissions":{"allow":["Bash"],"ask":["Bash(true; *)"],"deny":["Bash(touch:*)"]}}`)
	b.ctl(t, "hook", "install", c.name)
	b.model.begin([]toolCall{c.tool("true; touch denied"), c.tool("true; cat x > denied; true"),
		c.tool("true; cp build/x copied")})
	person := b.pane(t, c, []string{b.seen(c.find(t)), "--permission-mode", "default",
		"--model", "claude-sonnet-4-5", "--disallowedTools", "Bash(* > denied; *)", "--", "go"})
	person.shows(t, "Do you want to proceed?")
	if got := b.model.results(); len(got) != 2 || b.exists("denied") || b.exists("copied") {
		t.Errorf("it did not ask about the last call alone: %q", got)
	}
	_, _ = person("send-keys", "Enter")
	person.shows(t, "done")
	if log := b.ctl(t, "log", "--kind", "exec", "--json"); !b.exists("copied") ||
		strings.Count(log, "exec.start") != 1 {
		t.Errorf("what was answered with yes did not run through tada-run once:\n%s", log)
	}
}
