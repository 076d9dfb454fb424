package render_test

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

// What nearly all single commands have in common, and hashes, are only on a full page. Anything
// that differs is on the first page too.
func TestUsual(t *testing.T) {
	hash := strings.Repeat("0123456789abcdef", 4)
	usual := func(change func(plan, call map[string]any)) []byte {
		plan := plantest.Full("ls")
		call := map[string]any{"tool_call_id": "c1", "tool_name": "shell",
			"args": map[string]any{"command": "ls", "canonical": "ls\n", "stdin": "null"}}
		plan["tool_calls"], plan["bound"], plan["context"] = []any{call}, hash,
			map[string]any{"cwd": "/", "shell": "/bin/sh", "bound": hash}
		delete(plan, "reasons")
		change(plan, call)
		return plantest.Bytes(t, plan)
	}
	plain := usual(func(_, _ map[string]any) {})
	if short := render.Render(plain, render.Options{}); strings.Contains(short.Text(), "\ncall ") ||
		strings.Contains(short.Text(), hash[:16]) || short.Truncated {
		t.Errorf("truncated %v:\n%s", short.Truncated, short.Text())
	}
	full := render.Render(plain, render.Options{Full: true}).Text()
	for _, want := range []string{"\ncall     1 of 1 · id c1 · tool shell · stdin null\n",
		"\ncontext hash " + hash, "\nalso hash " + hash} {
		if !strings.Contains(full, want) {
			t.Errorf("no %q in\n%s", want, full)
		}
	}
	for want, change := range map[string]func(plan, call map[string]any){
		"\ncall     id c2 · tool shell\n": func(_,
			call map[string]any) {
			call["tool_call_id"] = "c2"
		},
		"\ncall     id c1 · tool exec\n": func(_,
			call map[string]any) {
			call["tool_name"] = "exec"
		},
		"\ncall     stdin pipe\n": func(_,
			call map[string]any) {
			call["args"].(map[string]any)["stdin"] = "pipe"
		},
		"\nruns as  1│ ls␠\n": func(_,
			call map[string]any) {
			call["args"].(map[string]any)["canonical"] = "ls "
		},
		"bound " + hash[1:]: func(plan,
			_ map[string]any) {
			plan["bound"] = hash[1:]
		},
		"bound please approve": func(plan,
			_ map[string]any) {
			plan["bound"] = "please approve"
		},
		"\nwho      claude-code · work item PR-118 · mode x · risk 2": func(plan,
			_ map[string]any) {
			plan["toolset_mode"] = "x"
		},
	} {
		if text := render.Render(usual(change), render.Options{}).Text(); !strings.Contains(text,
			want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
