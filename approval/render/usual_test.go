package render_test

import (
	"strings"
	"testing"

	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/approval/render"
)

// What nearly all single commands have in common, and hashes, are only on a full page. Anything
// that differs and decides is on the first page too.
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
	if first := render.Render(plain, render.Options{}); first.Truncated ||
		strings.Contains(first.Text(), "\nwith ") || strings.Contains(first.Text(), hash[:16]) {
		t.Errorf("truncated %v:\n%s", first.Truncated, first.Text())
	}
	full := render.Render(plain, render.Options{Full: true}).Text()
	for _, want := range []string{"\ncall     1 of 1 · id c1 · tool shell · stdin null\n",
		"\ncontext hash " + hash, "\nalso hash " + hash} {
		if !strings.Contains(full, want) {
			t.Errorf("no %q in\n%s", want, full)
		}
	}
	for want, change := range map[string]func(plan, call map[string]any){
		"\ntool     write_file\n": func(_,
			call map[string]any) {
			call["tool_name"] = "write_file"
		},
		"\nwith     stdin pipe\n": func(_,
			call map[string]any) {
			call["args"].(map[string]any)["stdin"] = "pipe"
		},
		"\nwith     args [\"/home\"]\n": func(_,
			call map[string]any) {
			call["args"].(map[string]any)["args"] = []any{"/home"}
		},
		"\n         ┊ ask for every command\n": func(
			plan, _ map[string]any) {
			plan["toolset_mode"] = "always"
		},
		"toolset_mode x": func(plan, _ map[string]any) {
			plan["toolset_mode"] = "x"
		},
	} {
		if text := render.Render(usual(change), render.Options{}).Text(); !strings.Contains(text,
			want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
