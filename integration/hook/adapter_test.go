package hook_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hook"
)

// D-adapt-4: a new platform is a new adapter and nothing else.
func TestNewPlatformIsOneAdapter(t *testing.T) {
	r := newRoom(t)
	acme := hook.Adapter{
		Name: "acme",
		Events: map[string]func(hook.Object) (hook.Call,
			error){"before": hook.Members{Dir: "at", Tool: "do", Args: "with"}.Call},
		Tools: map[string]hook.Tool{"sh": {Builtin: "Bash",
			Names: map[string]string{"command": "line"}}},
		Block: func(reason string) hook.Answer { return hook.Answer{Status: 9, Stderr: reason} },
		Pass: func(_ string, _ hook.Decision, args hook.Object) hook.Answer {
			line, _ := args.Text("line")
			return hook.Answer{Stdout: line}
		},
	}
	say := func(line string) hook.Answer {
		in := bytes.NewReader(message(t,
			object{"hook_event_name": "before", "at": r.dir, "do": "sh",
				"with": object{"line": line}}))
		return hook.Serve(t.Context(), acme, r.core, in, time.Minute)
	}
	if a := say("ls"); a.Stdout != "/opt/t/tada-run --agent=acme -c 'ls'\nexit\nls" {
		t.Errorf("%+v", a)
	}
	if a := say("rm -rf /"); a.Status != 9 {
		t.Errorf("%+v", a)
	}
	if a := say("/opt/t/tada-run --agent=acme -c 'ls'"); a.Stdout != "/opt/t/tada-run --agent=acme -c 'ls'\nexit\nls" {
		t.Errorf("a line of ours is wrapped once: %+v", a)
	}
	if a := say("/opt/t/tada-run --agent=acme -c 'ls'\n" +
		"exit\nls"); a.Stdout != "/opt/t/tada-run --agent=acme -c 'ls'\nexit\nls" {
		t.Errorf("a whole line of ours is wrapped once: %+v", a)
	}
	if a := say("/opt/t/tada-run --agent=acme -c 'ls'\nexit\nrm x"); strings.Count(a.Stdout,
		"tada-run --agent") != 3 {
		t.Errorf("a line with another text behind it is none of ours: %+v", a)
	}
	if a := say("/opt/t/tada-run --agent=acme -c 'ls' ; rm x"); strings.Count(a.Stdout,
		"tada-run --agent") != 3 {
		t.Errorf("a line with something behind ours is none of ours: %+v", a)
	}
	if a := say("/opt/t/tada-run --agent=acme -c 'rm -rf /'"); a.Status != 9 {
		t.Errorf("what is in a line of ours is judged: %+v", a)
	}
}

// A tool that affects only the conversation goes on, and an unknown one asks.
func TestConversation(t *testing.T) {
	r := newRoom(t)
	for name, tools := range map[string]string{"qwen": "todo_write agent tool_search",
		"copilot": "Agent skill read_bash"} {
		for tool := range strings.FieldsSeq(tools) {
			if got := outcome(t, name,
				r.serve(t, name, message(t,
					sent[name](r.dir, tool, object{"prompt": "x"})))); got != "go" {
				t.Errorf("%s %s: %q", name, tool, got)
			}
		}
		if got := outcome(t, name,
			r.serve(t, name,
				message(t,
					sent[name](r.dir, "Frob", object{"prompt": "x"})))); !matches(got, "pending") {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Copilot CLI's searches take one path or several, and each of them is judged.
func TestSeveralPaths(t *testing.T) {
	r := newRoom(t)
	for _, test := range []struct {
		paths any
		want  string
	}{
		{"src", "go"}, {[]string{"src", "./src"}, "go"}, {nil, "including"},
		{[]string{"src", "."}, "including"}, {[]string{"src", "closed"}, "restricted_path"},
		{[]string{}, "no paths"},
		{[]any{"src", 7}, "no paths"}, {[]any{"src", nil}, "no paths"}, {7, "no paths"},
		{object{"a": "src"}, "no paths"},
	} {
		for _, tool := range []string{"Grep", "Glob"} {
			answer := r.serve(t, "copilot",
				message(t, sent["copilot"](r.dir, tool,
					object{"pattern": "*.x", "paths": test.paths})))
			if got := outcome(t, "copilot", answer); !matches(got, test.want) {
				t.Errorf("%s %v: %q, want %q", tool, test.paths, got, test.want)
			}
		}
	}
}

// D-adapt-1, D-adr-4: adapters are thin and know no policy; the core knows no platform.
func TestAdaptersAreThin(t *testing.T) {
	files, err := filepath.Glob("platform/*.go")
	if err != nil || len(files) < 7 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(file)
		if n := bytes.Count(text, []byte("\n")); n > 60 && !strings.HasSuffix(base, "_test.go") &&
			base != "plugin.go" {
			t.Errorf("%s has %d lines", file, n)
		}
		if bytes.Contains(text, []byte(`tada-run/launcher"`)) ||
			bytes.Contains(text, []byte(`tada-run/pathguard"`)) {
			t.Errorf("%s imports policy", file)
		}
	}
	core, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range core {
		text, _ := os.ReadFile(file)
		if !strings.HasSuffix(file, "_test.go") &&
			bytes.Contains(text, []byte("integration/hook/platform")) {
			t.Errorf("%s imports the platforms", file)
		}
	}
}
