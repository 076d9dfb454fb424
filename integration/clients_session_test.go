package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sessionClients are the clients that work inside of a session: where each keeps its things so that it may write them
// there, how its model writes and reads a file, and the variable with its key.
var sessionClients = map[string]struct {
	home        func(b *bench) (variable, place string)
	read, write func(path string) toolCall
	key         string
}{
	"claude-code": {
		home:  func(b *bench) (string, string) { return "CLAUDE_CONFIG_DIR", filepath.Join(b.home, ".cache/claude") },
		read:  func(p string) toolCall { return toolCall{name: "Read", args: o{"file_path": p}} },
		write: func(p string) toolCall { return toolCall{name: "Write", args: o{"file_path": p, "content": "x\n"}} },
		key:   "ANTHROPIC_API_KEY",
	},
}

// TestClientsSession runs the whole agent inside of a session: its file tools reach neither the state, nor what decides
// about the next session, and what it runs through tada-run is judged and recorded outside. make test-clients.
func TestClientsSession(t *testing.T) {
	needClients(t)
	for _, c := range clients {
		inside, has := sessionClients[c.name]
		if !has {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "/bin/bash")
			write(t, filepath.Join(b.home, ".tada/config.yaml"), "environment: {keep: ["+inside.key+"]}\nrules: {commands: [{program: "+c.bin+", verdict: allow}]}\n")
			name, place := inside.home(b)
			if err := os.MkdirAll(place, 0o700); err != nil {
				t.Fatal(err)
			}
			setenv(b, name, place)
			settings := filepath.Join(b.home, ".claude/settings.json")
			write(t, settings, "{}\n")
			state, hook := filepath.Join(b.home, ".tada/config.yaml"), filepath.Join(b.work, ".git/hooks/pre-commit")
			runner := filepath.Join(b.bin, "tada-run")
			got := b.playIn(t, c, []string{runner, "--session", "--"},
				inside.read(state), inside.write(state), inside.write(filepath.Join(b.home, ".tada/new")), inside.write(hook),
				inside.read(settings), inside.write(settings), inside.write(filepath.Join(b.work, "made")),
				c.tool("cat "+state+"; touch "+settings+" /root/outside; echo status $?"),
				c.tool(runner+" 'echo said 4\"2\"'"), c.tool(runner+" 'git push --force origin main'; echo status $?"),
			)
			for i, want := range []string{"EACCES", "EACCES", "EACCES", "EROFS", "{}", "EROFS", "", "status 1", "said 42", "status 75"} {
				if !strings.Contains(got[i], want) {
					t.Errorf("call %d: want %q: %s", i, want, got[i])
				}
			}
			if !b.exists("made") || b.exists(".git/hooks/pre-commit") {
				t.Error("it cannot work, or writes what git runs")
			}
			b.recorded(t, `echo said 4"2"`, "ended")
			b.recorded(t, "git push --force origin main", "refused")
			b.ctl(t, "audit", "verify", "--complete")
		})
	}
}

// recorded fails unless a run within a session is on record with that end.
func (b *bench) recorded(t *testing.T, command, state string) {
	t.Helper()
	var runs []struct{ Command, State, Within string }
	text := b.ctl(t, "sessions", "--json")
	if err := json.Unmarshal([]byte(text), &runs); err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		if r.Command == command && r.State == state && r.Within != "" {
			return
		}
	}
	t.Errorf("%q is not on record as %s within the session:\n%s", command, state, text)
}
