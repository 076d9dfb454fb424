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
		Name:   "acme",
		Events: map[string]func(hook.Object) (hook.Call, error){"before": hook.Members{Dir: "at", Tool: "do", Args: "with"}.Call},
		Tools:  map[string]hook.Tool{"sh": {Builtin: "Bash", Names: map[string]string{"command": "line"}}},
		Block:  func(reason string) hook.Answer { return hook.Answer{Status: 9, Stderr: reason} },
		Pass: func(_ string, _ hook.Decision, args hook.Object) hook.Answer {
			line, _ := args.Text("line")
			return hook.Answer{Stdout: line}
		},
	}
	say := func(line string) hook.Answer {
		in := bytes.NewReader(message(t, object{"hook_event_name": "before", "at": r.dir, "do": "sh", "with": object{"line": line}}))
		return hook.Serve(t.Context(), acme, r.core, in, time.Minute)
	}
	if a := say("ls"); a.Stdout != "/opt/t/tada-run --agent=acme -c 'ls'" {
		t.Errorf("%+v", a)
	}
	if a := say("rm -rf /"); a.Status != 9 {
		t.Errorf("%+v", a)
	}
	if a := say("/opt/t/tada-run --agent=acme -c 'ls'"); a.Stdout != "/opt/t/tada-run --agent=acme -c 'ls'" {
		t.Errorf("a line of ours is wrapped once: %+v", a)
	}
	if a := say("/opt/t/tada-run --agent=acme -c 'ls' ; rm x"); strings.Count(a.Stdout, "tada-run --agent") != 2 {
		t.Errorf("a line with something behind ours is none of ours: %+v", a)
	}
	if a := say("/opt/t/tada-run --agent=acme -c 'rm -rf /'"); a.Status != 9 {
		t.Errorf("what is in a line of ours is judged: %+v", a)
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
		if n := bytes.Count(text, []byte("\n")); n > 60 && base != "platform.go" && !strings.HasSuffix(base, "_test.go") && base != "plugin.go" {
			t.Errorf("%s has %d lines", file, n)
		}
		if bytes.Contains(text, []byte(`tada-run/launcher"`)) || bytes.Contains(text, []byte(`tada-run/pathguard"`)) {
			t.Errorf("%s imports policy", file)
		}
	}
	core, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range core {
		text, _ := os.ReadFile(file)
		if !strings.HasSuffix(file, "_test.go") && bytes.Contains(text, []byte("integration/hook/platform")) {
			t.Errorf("%s imports the platforms", file)
		}
	}
}
