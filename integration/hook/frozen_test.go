package hook_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher"
)

// While the machine is frozen, no call of any tool goes on, not even of one that only talks, and
// the platform is told to end the turn where it can be.
func TestFrozen(t *testing.T) {
	talks := map[string]string{"claude-code": "TodoWrite", "codex": "update_plan",
		"opencode": "todowrite", "kilo": "todowrite", "gemini": "write_todos", "qwen": "todo_write",
		"copilot": "skill", "cursor": "TodoWrite", "droid": "TodoWrite", "cline": "ask_question"}
	for name, shape := range shapes(t) {
		r := newRoom(t)
		own, read := spelling["Bash"][name], spelling["Read"][name]
		calls := map[string][]byte{
			"a command": message(t, shape(r.dir, own[0], object{own[1]: "ls"})),
			"a file":    message(t, shape(r.dir, read[0], object{read[1]: "src/a.go"})),
			"unknown":   message(t, shape(r.dir, "Frob", object{"prompt": "x"})),
		}
		if tool := talks[name]; tool != "" {
			calls["a word"] = message(t, shape(r.dir, tool, object{"prompt": "x"}))
		}
		fleet := r.l.Home().Fleet()
		for _, file := range []string{"membership.json", "freeze"} {
			if err := os.MkdirAll(fleet, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(fleet, file), []byte("{}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		r.core.Open = launcher.Place{State: r.l.Home().Dir,
			Account: filepath.Join(filepath.Dir(r.dir), "account")}.Open
		ends := adapter(t, name).End != nil
		for what, call := range calls {
			a := r.serve(t, name, call)
			if got := outcome(t, name, a); got == "go" || got == "through" ||
				!strings.Contains(a.Stdout+a.Stderr, "frozen") {
				t.Errorf("%s, %s: %s: %+v", name, what, got, a)
			}
			if ends != (a.Status == 0) {
				t.Errorf("%s, %s: its turn ends: %v: %+v", name, what, ends, a)
			}
		}
	}
}
