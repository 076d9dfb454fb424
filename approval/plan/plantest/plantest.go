// Package plantest makes plans for tests.
package plantest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"testing"

	"github.com/tada-run/tada-run/approval/canonical"
)

// Full has every key that a launcher writes, and two that the renderer does not know.
func Full(command string) map[string]any {
	return map[string]any{
		"version": 1, "work_item_id": "PR-118", "agent_name": "claude-code",
		"workspace_root": "/home/dg/proj",
		"toolset_mode":   "dangerous", "risk": 2,
		"tool_calls": []any{map[string]any{"tool_call_id": "c1", "tool_name": "shell",
			"args": map[string]any{
				"command": command, "canonical": command + " ",
				"argv":  []any{"rm", "-rf", "build dir"},
				"stdin": "pipe"}}},
		"context": map[string]any{"cwd": "/home/dg/proj/sub", "cwd_dev": 2049, "cwd_ino": 5521,
			"env": map[string]any{"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}, "env_hash": "77ab",
			"uid": 1000, "umask": 18,
			"shell": "/usr/bin/bash", "policy": "p3c1", "profile": "push-1", "version": "0.1.0",
			"level": "strong"},
		"effects": map[string]any{"delete": []any{"/home/dg/proj/build"}, "write": []any{},
			"read": []any{"x"}, "exec": []any{"/usr/bin/git"}, "net": []any{"github.com:22"}},
		"targets": []any{
			map[string]any{"right": "delete", "name": "build", "real": "/home/dg/proj/build",
				"exists": true, "dev": 2049, "ino": 99},
			map[string]any{"right": "write", "name": "out", "real": "/tmp/out", "exists": false,
				"dev": 3, "ino": 4}},
		"reasons": []any{map[string]any{"rule": "git.force-push", "verdict": "ask",
			"message": "rewrites the history of a shared branch", "span": []any{25, 32},
			"path": "/p"}},
		"hazards": []any{map[string]any{"rule": "git.force-push", "risk": 2, "message": "force"},
			"plain hazard"},
		"opaque": []any{map[string]any{"place": "c1", "text": "eval \"$x\"",
			"why": "runs text that is not known"}},
		"agent_says": "clean build and sync branch",
		"origin":     "human", "future": map[string]any{"deep": []any{map[string]any{"key": "value"}, nil, true}},
	}
}

// PushCommand is a command of two steps, one of which cannot be undone.
const PushCommand = "rm -rf build && git push --force origin main"

// Bytes encodes a plan.
func Bytes(t testing.TB, v any) []byte {
	t.Helper()
	b, err := canonical.Append(nil, v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Small is a small plan with the given calls; change edits it before it is encoded.
func Small(t testing.TB, change func(map[string]any), calls ...string) []byte {
	t.Helper()
	if len(calls) == 0 {
		calls = []string{"c1"}
	}
	var list []any
	for _, id := range calls {
		list = append(list, map[string]any{"tool_call_id": id, "tool_name": "shell",
			"args": map[string]any{"command": "rm -rf build", "canonical": "rm -rf build",
				"stdin": "tty"}})
	}
	p := map[string]any{
		"version": 1, "work_item_id": "PR-118", "agent_name": "claude-code",
		"workspace_root": "/home/me/proj",
		"toolset_mode":   "dangerous", "tool_calls": list, "risk": 1,
		"context": map[string]any{"cwd": "/home/me/proj", "cwd_dev": 1, "cwd_ino": 2},
	}
	if change != nil {
		change(p)
	}
	return Bytes(t, p)
}

// Mutants calls fn with copies of a tree, each with one leaf changed, or one removed or added.
func Mutants(x any, fn func(way string, x any)) {
	switch x := x.(type) {
	case map[string]any:
		for k, v := range x {
			Mutants(v, func(way string, v any) {
				c := maps.Clone(x)
				c[k] = v
				fn("."+k+way, c)
			})
			c := maps.Clone(x)
			delete(c, k)
			fn("."+k+" removed", c)
		}
		c := maps.Clone(x)
		c["added"] = "x"
		fn(".added", c)
	case []any:
		for i, v := range x {
			Mutants(v, func(way string, v any) {
				c := slices.Clone(x)
				c[i] = v
				fn(fmt.Sprintf("[%d]%s", i, way), c)
			})
		}
		fn("[+]", append(slices.Clone(x), "x"))
	case string:
		fn(" +", x+"z")
		fn(" as null", nil)
	case int:
		fn(" +1", x+1)
		fn(" as text", strconv.Itoa(x))
	case bool:
		fn(" not", !x)
	case nil:
		fn(" as text", "null")
	}
}
