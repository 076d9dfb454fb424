package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// clientDoors are the ways in which the commands of a client reach tada-run.
var clientDoors = []string{"shell", "hook", "both", "session", "mcp"}

// eachDoor runs a test for every client and each of these ways; if needed, with a client that was
// adjusted before it was set up.
func eachDoor(t *testing.T, test func(t *testing.T, b *bench, c client, door string),
	adjust ...func(client) client) {
	needClients(t)
	for _, door := range clientDoors {
		for _, c := range chosen() {
			if !c.has(door) {
				continue
			}
			for _, each := range adjust {
				c = each(c)
			}
			t.Run(door+"/"+c.name, func(t *testing.T) {
				b := newBench(t, c, loginShell(c, door))
				test(t, b, b.open(t, c, door), door)
			})
		}
	}
}

// loginShell returns the account's: Codex uses no other.
func loginShell(c client, door string) string {
	if c.name == "codex" && (door == "shell" || door == "both") {
		return "BIN/bash"
	}
	return "/bin/bash"
}

// open sets up one of these ways, as a person does it, and returns the client with the tool that
// uses it.
func (b *bench) open(t *testing.T, c client, door string) client {
	t.Helper()
	if door == "mcp" {
		return b.serve(t, c)
	}
	if door == "shell" || door == "both" || c.name == "qwen" {
		b.shell(t, c)
	}
	if door != "shell" && c.hooked() {
		b.ctl(t, "hook", "install", c.name)
	}
	if door == "session" {
		b.before = []string{filepath.Join(b.bin, "tada-run"), "--session", "--"}
		b.enlist(t, c, b.before)
		if !c.has("hook") {
			// there is no shell of ours inside, and a hook could only tell the model to run this
			// line instead
			own := c.tool
			c.tool = func(command string) toolCall {
				return own(fmt.Sprintf("%s --agent=%s -c '%s'", b.before[0], c.name,
					strings.ReplaceAll(command, "'", `'\''`)))
			}
		}
	}
	return c
}

// mcpClients say for each client where a person registers the server, with COMMAND for the
// program's name, and how the model calls its tools.
var mcpClients = map[string]struct{ file, text, tool string }{
	"claude-code": {"h/.claude.json", mcpServers, "mcp__tada__run_command"},
	"codex": {"h/.codex/config.toml",
		"[mcp_servers.tada]\ncommand = \"COMMAND\"\nargs = [\"mcp\"]\n", "mcp__tada run_command"},
	"opencode": {"w/opencode.json",
		`{"mcp":{"tada":{"type":"local","command":["COMMAND","mcp"],"enabled":true}}}`,
		"tada_run_command"},
	"kilo": {"w/kilo.json",
		`{"mcp":{"tada":{"type":"local","command":["COMMAND","mcp"],"enabled":true}}}`,
		"tada_run_command"},
	"gemini": {"h/.gemini/settings.json", mcpServers, "mcp_tada_run_command"},
	"qwen":   {"w/.qwen/settings.json", mcpServers, "mcp__tada__run_command"},
	"cline": {"h/.cline/data/settings/cline_mcp_settings.json", mcpServers,
		"tada__run_command"},
	"pi": {"h/.pi/agent/mcp.json",
		`{"mcpServers":{"tada":{"command":"COMMAND","args":["mcp"],"exposure":"direct"}}}`,
		"mcp__tada__run_command"},
	"droid": {"h/.factory/mcp.json", mcpServers, "tada___run_command"},
	"continue-cli": {"h/.continue/config.yaml",
		"mcpServers:\n  - name: tada\n    command: COMMAND\n    args: [mcp]\n", "run_command"},
	"copilot": {"h/.copilot/mcp-config.json",
		`{"mcpServers":{"tada":{"type":"local","command":"COMMAND","args":["mcp"],"tools":["*"]}}}`,
		"tada-run_command"},
}

const mcpServers = `{"mcpServers":{"tada":{"command":"COMMAND","args":["mcp"],"trust":true}}}`

// serve registers the server, and gives the client its tool in place of its own.
func (b *bench) serve(t *testing.T, c client) client {
	t.Helper()
	m := mcpClients[c.name]
	path := filepath.Join(filepath.Dir(b.home), m.file)
	had, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(m.text, "COMMAND", filepath.Join(b.bin, "tadactl"))
	if old, is := strings.CutSuffix(string(had), "}"); is { // one object more in the settings
		text = old + "," + text[1:]
	} else {
		text = string(had) + text
	}
	write(t, path, text)
	c.tool = func(command string) toolCall {
		return toolCall{name: m.tool, args: o{"command": command}}
	}
	return c
}

// What is allowed runs; what is denied does not, and the model gets the reason; what must be asked
// runs exactly once for one approval. make test-clients.
func TestClientsDoors(t *testing.T) {
	eachDoor(t, func(t *testing.T, b *bench, c client, _ string) {
		ask := "rm -r build; echo once >> count"
		again := c.tool(ask)
		again.before = func() {
			if !b.exists("build/x") {
				t.Error("it ran before it was answered")
			}
			b.approve(t, ask)
		}
		more := c.tool(ask)
		more.before = func() {
			if b.exists("build") {
				t.Error("it did not run after the approval")
			}
			write(t, filepath.Join(b.work, "build/x"), "")
		}
		got := b.play(t, c, c.tool("true"), c.tool("echo > ran; echo said 4'2'"),
			c.tool("touch never; cat ../closed/x"), c.tool(ask), again, more)
		if !strings.Contains(got[1], "said 42") || !b.exists("ran") {
			t.Errorf("an allowed command: %s", got[1])
		}
		if !strings.Contains(got[2], "restricted_path") || strings.Contains(got[2], "secret\n") ||
			b.exists("never") {
			t.Errorf("a denied command: %s", got[2])
		}
		count, _ := os.ReadFile(filepath.Join(b.work, "count"))
		if string(count) != "once\n" || !strings.Contains(got[3], "tadactl approve") ||
			!strings.Contains(got[5], "tadactl approve") {
			t.Errorf("it ran %q for one approval\nasked: %s\napproved: %s\nonce more: %s", count,
				got[3], got[4], got[5])
		}
		b.ctl(t, "audit", "verify", "--complete")
	})
}

// Qwen Code's hook alone lets no command run: the model gets the lines to run instead. make
// test-clients.
func TestClientsQwenHook(t *testing.T) {
	needClients(t)
	c := clientNamed("qwen")
	b := newBench(t, c, "/bin/bash")
	b.ctl(t, "hook", "install", c.name)
	line := fmt.Sprintf("%s --agent=qwen", filepath.Join(b.bin, "tada-run"))
	if got := b.play(t, c, c.tool("touch never"))[0]; b.exists("never") ||
		!strings.Contains(got, line) {
		t.Errorf("%s", got)
	}
}
