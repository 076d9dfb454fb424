package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sessionClients are how the clients work inside of a session: the variables by which each keeps its things where it may
// write, below the home, and what has to be there; how its model writes and reads a file; the variable with its key.
// Refused is what the model is told of six files that it may not have, or only read.
var sessionClients = map[string]struct {
	places      map[string]string
	from, to    string
	read, write func(path string) toolCall
	key         string
	refused     [6]string
}{
	"claude-code": {
		places:  map[string]string{"CLAUDE_CONFIG_DIR": ".cache/claude"},
		read:    func(p string) toolCall { return toolCall{name: "Read", args: o{"file_path": p}} },
		write:   func(p string) toolCall { return toolCall{name: "Write", args: o{"file_path": p, "content": "x\n"}} },
		key:     "ANTHROPIC_API_KEY",
		refused: [6]string{"EACCES", "EACCES", "EACCES", "EROFS", "{}", "EROFS"},
	},
	"codex": { // has no tools for files but the shell
		places: map[string]string{"CODEX_HOME": ".cache/codex"},
		from:   ".codex/config.toml", to: ".cache/codex/config.toml",
		read:    func(p string) toolCall { return clients[1].tool("cat " + p) },
		write:   func(p string) toolCall { return clients[1].tool("mkdir -p $(dirname " + p + "); echo x > " + p) },
		key:     "MOCK_KEY",
		refused: [6]string{"Permission denied", "Permission denied", "Permission denied", "Read-only file system", "{}", "Read-only file system"},
	},
	"opencode": {
		places: map[string]string{"XDG_DATA_HOME": ".cache/data", "XDG_STATE_HOME": ".cache/state", "XDG_CONFIG_HOME": ".cache/config"},
		from:   ".config/opencode/opencode.json", to: ".cache/config/opencode/opencode.json",
		read:    func(p string) toolCall { return toolCall{name: "read", args: o{"filePath": p}} },
		write:   func(p string) toolCall { return toolCall{name: "write", args: o{"filePath": p, "content": "x\n"}} },
		key:     "MOCK_KEY",
		refused: [6]string{"PermissionDenied", "PermissionDenied", "PermissionDenied", "Unknown: FileSystem.makeDirectory", "{}", "Unknown: FileSystem.writeFile"},
	},
	"gemini": { // keeps to the workspace by itself
		places: map[string]string{"GEMINI_CLI_HOME": ".cache/gemini"},
		from:   ".gemini/settings.json", to: ".cache/gemini/.gemini/settings.json",
		read: func(p string) toolCall { return toolCall{name: "read_file", args: o{"file_path": p}} },
		write: func(p string) toolCall {
			return toolCall{name: "write_file", args: o{"file_path": p, "content": "x\n"}}
		},
		key:     "GEMINI_API_KEY",
		refused: [6]string{"EACCES", "EACCES", "EACCES", "not in workspace", "not in workspace", "not in workspace"},
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
			config := "environment: {keep: [" + inside.key + "]}\nrules: {commands: [{program: " + c.bin + ", verdict: allow}]}\n"
			state, hook, settings := filepath.Join(b.home, ".tada/config.yaml"), filepath.Join(b.work, ".git/hooks/pre-commit"), filepath.Join(b.home, ".claude/settings.json")
			write(t, state, config)
			write(t, settings, "{}\n")
			for name, place := range inside.places {
				place = filepath.Join(b.home, place)
				if err := os.MkdirAll(place, 0o700); err != nil {
					t.Fatal(err)
				}
				setenv(b, name, place)
			}
			if inside.from != "" {
				text, err := os.ReadFile(filepath.Join(b.home, inside.from))
				if err != nil {
					t.Fatal(err)
				}
				write(t, filepath.Join(b.home, inside.to), string(text))
			}
			runner := filepath.Join(b.bin, "tada-run")
			got := b.playIn(t, c, []string{runner, "--session", "--"},
				inside.read(state), inside.write(state), inside.write(filepath.Join(b.home, ".tada/new")), inside.write(hook),
				inside.read(settings), inside.write(settings), inside.write(filepath.Join(b.work, "made")),
				c.tool("cat "+state+"; touch "+settings+" /root/outside; echo status $?"),
				c.tool(runner+" 'echo said 4\"2\"'"), c.tool(runner+" 'git push --force origin main'; echo status $?"),
			)
			for i, want := range append(inside.refused[:], "", "status 1", "said 42", "status 75") {
				if !strings.Contains(got[i], want) {
					t.Errorf("call %d: want %q: %s", i, want, got[i])
				}
			}
			if !b.exists("made") || b.exists(".git/hooks/pre-commit") || b.exists("../h/.tada/new") {
				t.Error("it cannot work, or writes what git runs or tada-run reads")
			}
			for file, want := range map[string]string{state: config, settings: "{}\n"} {
				if text, err := os.ReadFile(file); err != nil || string(text) != want {
					t.Errorf("%s is %q, %v", file, text, err)
				}
			}
			b.recorded(t, `echo said 4"2"`, "ended")
			b.recorded(t, "git push --force origin main", "withdrawn")
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
