package integration

import (
	"os/exec"
	"path/filepath"
	"slices"
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
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("tmux is not installed; on Debian: apt-get install tmux")
	}
	for _, c := range chosen() {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "/bin/bash")
			want := screens[c.name]
			if want.file != "" {
				write(t, filepath.Join(b.home, want.file), want.content)
			}
			session := []string{filepath.Join(b.bin, "tada-run"), "--session", "--"}
			b.enlist(t, c, session)
			socket := filepath.Join(filepath.Dir(b.home), "tmux")
			run := func(args ...string) (string, error) {
				cmd := b.command(t, tmux, append([]string{"-S", socket, "-f", "/dev/null"},
					args...)...)
				cmd.Env = append(append(cmd.Env, c.env...), b.model.env...)
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			words := slices.Concat([]string{"new-session", "-d", "-x", "120", "-y", "40"}, session,
				[]string{b.seen(c.find(t))})
			out, err := run(append(words, ";", "set", "remain-on-exit", "on")...)
			if err != nil {
				t.Fatal(err, out)
			}
			t.Cleanup(func() { _ = exec.Command(tmux, "-S", socket, "kill-server").Run() })
			var shown string
			open := func() bool {
				shown, _ = run("capture-pane", "-p")
				return !strings.Contains(shown, want.text) &&
					!strings.Contains(shown, "Pane is dead")
			}
			for end := time.Now().Add(8 * patience); open() && time.Now().Before(end); {
				time.Sleep(time.Second)
			}
			if !strings.Contains(shown, want.text) {
				t.Errorf("want %q:\n%s", want.text, shown)
			}
		})
	}
}
