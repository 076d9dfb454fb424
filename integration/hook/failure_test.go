package hook_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/launcher"
)

// D-hook-9, B-Q6 and the like: anything but a whole, known call is blocked in the platform's own
// way.
func TestBadInputBlocks(t *testing.T) {
	r := newRoom(t)
	for name, shape := range shapes(t) {
		own := spelling["Bash"][name]
		good := shape(r.dir, own[0], object{own[1]: "ls"})
		if a := r.serve(t, name, message(t, good)); outcome(t, name, a) != "through" {
			t.Fatalf("%s: the good one is blocked: %+v", name, a)
		}
		bad := map[string][]byte{
			"nothing": nil, "a word": []byte("x"), "null": []byte("null"), "a list": []byte("[]"),
			"a number": []byte("1"),
			"blanks":   []byte(" \n"), "huge": bytes.Repeat([]byte(" "), 17<<20),
			"behind it": append(message(t, good), []byte(" {}")...),
			"deep": append(append(message(t, good)[:len(message(t, good))-1],
				[]byte(`,"x":`+strings.Repeat("[", 70)+strings.Repeat("]", 70))...), '}'),
			"not UTF-8": bytes.Replace(message(t, good), []byte(`"ls"`), []byte("\"l\xffs\""), 1),
			"half":      bytes.Replace(message(t, good), []byte(`"ls"`), []byte(`"l\ud800s"`), 1),
			"half 2": bytes.Replace(message(t, good), []byte(`"ls"`), []byte(`"l\udc00\ud800s"`),
				1),
			"half 3": bytes.Replace(message(t, good), []byte(`"ls"`), []byte(`"l\ud83d\u0041"`),
				1),
			"twice": bytes.Replace(message(t, good), []byte(`"ls"`),
				[]byte(`"ls","`+own[1]+`":"rm x"`), 1),
			"by case": bytes.Replace(message(t, good), []byte(`"`+own[1]+`"`),
				[]byte(`"`+strings.ToUpper(own[1])+`"`), 1),
			"not text":  bytes.Replace(message(t, good), []byte(`"ls"`), []byte(`[["ls"]]`), 1),
			"listed":    bytes.Replace(message(t, good), []byte(`"ls"`), []byte(`["ls"]`), 1),
			"null text": bytes.Replace(message(t, good), []byte(`"ls"`), []byte(`null`), 1),
			"BOM":       append([]byte("\xef\xbb\xbf"), message(t, good)...),
		}
		for i := 1; i < len(message(t, good)); i += 7 {
			bad[fmt.Sprintf("cut at %d", i)] = message(t, good)[:i]
		}
		for member := range good {
			switch member {
			case "transcript_path", "prompt_id", "permission_mode", "effort", "turn_id", "model",
				"timestamp", "generation_id", "cursor_version", "workspace_roots",
				"clineVersion", "agent_id", "parent_agent_id", "iteration", "preToolUse":
				continue
			}
			for _, value := range []any{nil, "", 1, object{}, []any{"x"}, "no such thing"} {
				if _, isText := value.(string); isText && value != "" &&
					member != "hook_event_name" && member != "cwd" && member != "tool_input" &&
					member != "args" {
					continue
				}
				if _, isObject := value.(object); isObject &&
					(member == "tool_input" || member == "args") {
					continue
				}
				changed := object{}
				for k, v := range good {
					changed[k] = v
				}
				changed[member] = value
				bad[fmt.Sprintf("%s is %v", member, value)] = message(t, changed)
			}
			without := object{}
			for k, v := range good {
				if k != member {
					without[k] = v
				}
			}
			bad["without "+member] = message(t, without)
		}
		if name == "cline" {
			delete(bad, "listed") // is how it sends commands
		}
		for what, input := range bad {
			a := r.serve(t, name, input)
			if a.Status != 2 || a.Stderr == "" || strings.Contains(a.Stdout, "allow") ||
				strings.Contains(a.Stdout, `"go"`) {
				t.Errorf("%s, %s: %+v", name, what, a)
			}
			if !strings.Contains(a.Stderr, "audit=") {
				t.Errorf("%s, %s: the answer has no head of the record: %+v", name, what, a)
			}
		}
	}
}

// D-hook-9: a stall, a panic, and a state that cannot be opened. Each is recorded if there is a
// record, and says so if there is none.
func TestFailuresBlock(t *testing.T) {
	for name, shape := range shapes(t) {
		r := newRoom(t)
		own := spelling["Bash"][name]
		good := message(t, shape(r.dir, own[0], object{own[1]: "ls"}))
		// never closed: a process that waits for it would go on, and write to a state that is being
		// removed
		silent, _ := io.Pipe()
		broken := map[string]struct {
			in   io.Reader
			core hook.Core
		}{
			"stalled input":   {silent, *r.core},
			"input that ends": {io.MultiReader(bytes.NewReader(good[:9]), broke{}), *r.core},
			"panic": {bytes.NewReader(good),
				hook.Core{Open: r.core.Open,
					Quarantine: func(context.Context, *launcher.Launcher, hook.Call) (hook.Decision,
						bool) {
						panic("planted")
					}}},
			"stalled decision": {bytes.NewReader(good),
				hook.Core{Open: r.core.Open,
					Quarantine: func(ctx context.Context, _ *launcher.Launcher,
						_ hook.Call) (hook.Decision, bool) {
						<-ctx.Done()
						time.Sleep(time.Minute)
						return hook.Decision{Allowed: true}, true
					}}},
			"no state": {bytes.NewReader(good),
				hook.Core{Open: func() (*launcher.Launcher, error) {
					return nil, errors.New("planted")
				}}},
			"zero decision": {bytes.NewReader(good),
				hook.Core{Open: r.core.Open,
					Quarantine: func(context.Context, *launcher.Launcher, hook.Call) (hook.Decision,
						bool) {
						return hook.Decision{}, true
					}}},
		}
		for what, b := range broken {
			limit := time.Minute
			if strings.HasPrefix(what, "stalled") {
				limit = 20 * time.Millisecond
			}
			a := hook.Serve(t.Context(), adapter(t, name), &b.core, b.in, limit)
			if a.Status != 2 || strings.Contains(a.Stdout, "allow") {
				t.Errorf("%s, %s: %+v", name, what, a)
			}
			want := heads
			if what == "no state" {
				want = headless
			}
			if !want.MatchString(a.Stderr) {
				t.Errorf("%s, %s: want %v in the answer: %+v", name, what, want, a)
			}
		}
		logged := ""
		for e := range r.l.Entries(filterHook) {
			logged += string(e.Body) + "\n"
		}
		if n := strings.Count(logged, `"decision":"failed"`); n != len(broken)-2 {
			// there is none without a state, and the quarantine records its own
			t.Errorf("%s: %d failures are on record, want %d:\n%s", name, n, len(broken)-2, logged)
		}
	}
}

// A state that never opens: the block still comes, and says that it is not recorded.
func TestStalledRecord(t *testing.T) {
	t.Parallel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	core := hook.Core{Open: func() (*launcher.Launcher, error) {
		<-never
		return nil, errors.New("planted")
	}}
	call := bytes.NewReader(message(t, sent["codex"]("/w", "Bash", object{"command": "ls"})))
	a := hook.Serve(t.Context(), adapter(t, "codex"), &core, call, time.Millisecond)
	if a.Status != 2 || !headless.MatchString(a.Stderr) {
		t.Errorf("%+v", a)
	}
}

type broke struct{}

func (broke) Read([]byte) (int, error) { return 0, errors.New("planted") }
