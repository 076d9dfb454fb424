package approval_test

import (
	"testing"

	"github.com/tada-run/tada-run/approval"
)

// An agent is recognised by its file, by the package that it is in, and behind the interpreter and
// the link by which it is installed.
func TestAgentProgram(t *testing.T) {
	const npm = "/home/me/.npm-global/lib/node_modules/"
	for _, test := range []struct {
		want, file string
		argv       []string
	}{
		{"claude", "/home/me/.local/share/claude/versions/2.1.330", []string{"claude"}},
		{"claude", npm + "@anthropic-ai/claude-code/bin/claude.exe",
			[]string{"/usr/bin/claude", "-p", "x"}},
		{"claude", npm + "@anthropic-ai/claude-code/bin/claude.exe", []string{"cc"}},
		{"codex", npm + "@openai/codex/bin/codex.js", []string{"codex"}},
		{"codex", "/usr/bin/node", []string{"node", npm + "@openai/codex/bin/codex.js", "exec"}},
		{"gemini", "/usr/bin/node", []string{"node", "/usr/bin/gemini"}},
		{"qwen", npm + "@qwen-code/qwen-code/cli-entry.js", []string{"qwen"}},
		{"copilot", npm + "@github/copilot/npm-loader.js", []string{"copilot"}},
		{"opencode", "/usr/local/bin/opencode", []string{"opencode"}},
		{"", "/usr/bin/node", []string{"node", "-e", "claude"}},
		{"", "/usr/bin/node", []string{"node", "server.js", "claude"}},
		{"", "/usr/bin/echo", []string{"echo", "claude"}},
		{"", "/home/me/x@openai/codex/bin/y", []string{"y"}},
		{"", "/bin/bash", []string{"bash", "-c", "claude"}},
		{"", "/bin/bash", nil},
	} {
		if got := approval.AgentProgram(test.file, test.argv); got != test.want {
			t.Errorf("%s %q is %q, want %q", test.file, test.argv, got, test.want)
		}
	}
}
