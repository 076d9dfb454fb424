package integration

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// TestDocsAgents runs the commands of docs/agents.md for every agent that their comments name.
func TestDocsAgents(t *testing.T) {
	page := read(t, "../docs/agents.md")
	_, rest, has := strings.Cut(page, "```console\n")
	block, _, ends := strings.Cut(rest, "```")
	if !has || !ends {
		t.Fatal("docs/agents.md has no block of commands")
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "repo"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "h"))
	for _, name := range []string{"CLAUDE_CONFIG_DIR", "CODEX_HOME", "OPENCODE_CONFIG_DIR",
		"QWEN_HOME", "COPILOT_HOME", "KILO_CONFIG_DIR", "CLINE_DIR", "PI_CODING_AGENT_DIR"} {
		t.Setenv(name, "")
	}
	run := shellIn(t, dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tada-run", "tadactl"} {
		// each looks for the other beside itself, through every link
		path := filepath.Join(dir, "bin", name)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := hermetic.WriteProgram(path, program, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for line := range strings.Lines(block) {
		typed, isTyped := strings.CutPrefix(line, "$ ")
		if !isTyped {
			continue
		}
		command, also, _ := strings.Cut(typed, "#")
		for _, name := range append([]string{"claude-code"},
			strings.Fields(strings.ReplaceAll(strings.ReplaceAll(also, ",", " "), ";", " "))...) {
			switch name {
			case "claude-code", "codex", "opencode", "kilo", "gemini", "qwen", "copilot", "droid",
				"cline", "pi", "continue-cli", "cursor":
			default:
				continue
			}
			if name == "codex" && strings.Contains(also, "--print") {
				name = "--print codex"
			}
			got := run(strings.Replace(strings.TrimSpace(command), "claude-code", name,
				1) + " && echo fine")
			if !strings.HasSuffix(strings.TrimSpace(got), "fine") {
				t.Errorf("$ %s (%s)\n%s", command, name, got)
			}
		}
	}
	_, server, _ := strings.Cut(page, "```json\n")
	server, _, _ = strings.Cut(server, "```")
	var settings struct {
		MCPServers map[string]struct {
			Command string
			Args    []string
		}
	}
	if err := json.Unmarshal([]byte(server), &settings); err != nil ||
		settings.MCPServers["tada"].Command != "tadactl" {
		t.Fatalf("%q: %v", server, err)
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	if got := run("mkfifo f; (echo '" + hello + "'; cat f) | tadactl " +
		strings.Join(settings.MCPServers["tada"].Args,
			" ") + " | (head -n 1; echo > f)"); !strings.Contains(got, `"serverInfo"`) {
		t.Errorf("the server says %q", got)
	}
}
