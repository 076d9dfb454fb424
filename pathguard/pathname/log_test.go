package pathname

import "testing"

// TestIsLog tells what was said from what an agent follows.
func TestIsLog(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"/home/u/.claude/projects/p/a.jsonl":         true,
		"/home/u/.codex/sessions/2026/01/02/a.jsonl": true,
		"/home/u/.claude/projects/p/memory/a.md":     false,
		"/home/u/.claude/projects/a.jsonl":           false,
		"/home/u/.claude/settings.json":              false,
		"/home/v/.claude/projects/p/a.jsonl":         false,
	} {
		if got := IsLog(name, []string{"", "/home/u"}); got != want {
			t.Errorf("IsLog(%q) = %t", name, got)
		}
	}
}
