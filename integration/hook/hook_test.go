package hook_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/hook"
	"github.com/tada-run/tada-run/integration/hook/platform"
	"github.com/tada-run/tada-run/launcher"
)

// A room is a state directory and a workspace with some files, for one test.
type room struct {
	core *hook.Core
	l    *launcher.Launcher
	dir  string
}

func newRoom(t testing.TB) room {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := room{dir: filepath.Join(base, "w")}
	for name, text := range map[string]string{
		"w/.git/HEAD": "ref: refs/heads/main\n", "w/src/a.go": "package a\n", "w/secret/.env": "A=b\n", "w/closed/x": "x", "state/config.yaml": "security:\n  restricted_paths: [" + base + "/w/closed]\n",
	} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := launcher.Place{State: filepath.Join(base, "state"), Account: filepath.Join(base, "account")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	r.l = l
	r.core = &hook.Core{
		Open: func() (*launcher.Launcher, error) { return l, nil }, Env: []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
		Runner: hook.Runner{Path: "/opt/t/tada-run"},
	}
	return r
}

// sent is a call as each platform sends it: members as they were captured.
var sent = map[string]func(dir, tool string, args object) object{
	"claude-code": func(dir, tool string, args object) object {
		return object{"session_id": "bb4ad9b5-0000", "transcript_path": "/h/.claude/projects/x.jsonl", "cwd": dir, "prompt_id": "27502dc3",
			"permission_mode": "bypassPermissions", "effort": object{"level": "high"}, "hook_event_name": "PreToolUse",
			"tool_name": tool, "tool_input": args, "tool_use_id": "toolu_000"}
	},
	"codex": func(dir, tool string, args object) object {
		return object{"session_id": "01a1", "turn_id": "01a1", "transcript_path": "/r/rollout.jsonl", "cwd": dir, "hook_event_name": "PreToolUse",
			"model": "mock", "permission_mode": "bypassPermissions", "tool_name": tool, "tool_input": args, "tool_use_id": "call_0"}
	},
	"opencode": func(dir, tool string, args object) object {
		return object{"hook_event_name": "tool.execute.before", "tool": tool, "sessionID": "ses_1", "callID": "call_0", "cwd": dir, "args": args}
	},
	"gemini": func(dir, tool string, args object) object {
		return object{"session_id": "s", "transcript_path": "/t", "cwd": dir, "hook_event_name": "BeforeTool",
			"timestamp": "2026-11-21T13:08:00.489Z", "tool_name": tool, "tool_input": args}
	},
	"cursor": func(dir, tool string, args object) object {
		return object{"hook_event_name": "preToolUse", "conversation_id": "c", "generation_id": "g", "workspace_roots": []string{dir},
			"model": "m", "cursor_version": "2.0.77", "tool_name": tool, "tool_input": args, "cwd": dir}
	},
}

type object = map[string]any

// shapes returns how each platform of the product sends a call. It fails where a platform
// is not described here, so that no adapter goes untested.
func shapes(t testing.TB) map[string]func(dir, tool string, args object) object {
	t.Helper()
	all := map[string]func(dir, tool string, args object) object{}
	for _, a := range platform.All() {
		all[a.Name] = sent[a.Name]
		if _, read := answers[a.Name]; sent[a.Name] == nil || !read || spelling["Bash"][a.Name][0] == "" {
			t.Fatalf("%s: describe its calls, its names of tools and its answers in the tables of this file", a.Name)
		}
	}
	if len(all) != len(sent) {
		t.Fatalf("%d platforms, and calls of %d are described", len(all), len(sent))
	}
	return all
}

func message(t testing.TB, v any) []byte {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func adapter(t testing.TB, name string) hook.Adapter {
	t.Helper()
	a, ok := platform.Named(name)
	if !ok {
		t.Fatalf("no platform %q", name)
	}
	return a
}

func (r room) serve(t testing.TB, name string, input []byte) hook.Answer {
	t.Helper()
	return hook.Serve(t.Context(), adapter(t, name), r.core, bytes.NewReader(input), time.Minute)
}

// spelling is how each platform names a tool and its argument.
var spelling = map[string]map[string][2]string{
	"Bash":  {"claude-code": {"Bash", "command"}, "codex": {"Bash", "command"}, "opencode": {"bash", "command"}, "gemini": {"run_shell_command", "command"}, "cursor": {"Shell", "command"}},
	"Read":  {"claude-code": {"Read", "file_path"}, "codex": {"view_image", "path"}, "opencode": {"read", "filePath"}, "gemini": {"read_file", "file_path"}, "cursor": {"Read", "file_path"}},
	"Write": {"claude-code": {"Write", "file_path"}, "opencode": {"write", "filePath"}, "gemini": {"write_file", "file_path"}, "cursor": {"Write", "file_path"}},
	"Edit":  {"claude-code": {"Edit", "file_path"}, "opencode": {"edit", "filePath"}, "gemini": {"replace", "file_path"}, "cursor": {"Edit", "file_path"}},
	"Grep":  {"claude-code": {"Grep", "path"}, "opencode": {"grep", "path"}, "gemini": {"search_file_content", "dir_path"}, "cursor": {"Grep", "path"}},
	"Glob":  {"claude-code": {"Glob", "path"}, "opencode": {"glob", "path"}, "gemini": {"glob", "dir_path"}, "cursor": {"Glob", "path"}},
	"patch": {"codex": {"apply_patch", "command"}, "opencode": {"apply_patch", "patchText"}},
}

// golden is the corpus: a call, and what is decided about it wherever it comes from. A code
// in the answer is what the agent is told; "through" is a command that goes on through tada-run.
var golden = []struct{ tool, arg, want string }{
	{"Bash", "ls -l", "through"},
	{"Bash", "echo it's 'a' \"b\" $HOME `id` \\\n end", "malformed-quote"},
	{"Bash", "printf '%s' 'it'\\''s'", "through"},
	{"Bash", "git push --force", "through"}, // tada-run asks, not the platform
	{"Bash", "rm -rf /", "dangerous_command"},
	{"Bash", "cat closed/x", "restricted_path"},
	{"Bash", "echo 'open", "dangerous_shell"},
	{"Bash", "echo a\rrm b", "dangerous_shell"},
	{"Bash", "", "no command given"},
	{"Bash", "echo \u202e evil", "dangerous_shell"},
	{"Read", "src/a.go", "go"},
	{"Read", "closed/x", "restricted_path"},
	{"Read", "src/../closed/x", "restricted_path"},
	{"Read", "secret/.env", "pending"},
	{"Read", "", "not the name of a file"},
	{"Read", "https://example.com/x", "not the name of a file"},
	{"Write", "src/new.go", "go"},
	{"Write", ".git/hooks/pre-commit", "pending"},
	{"Write", "closed/y", "restricted_path"},
	{"Write", "/etc/passwd", "pending"},
	{"Edit", "src/a.go", "go"},
	{"Edit", "closed/x", "restricted_path"},
	{"Grep", "src", "go"},
	{"Grep", "closed", "restricted_path"},
	{"Grep", "secret", "pending"}, // without a fence, what it would hide is a question
	{"Glob", "src", "go"},
	{"Glob", "closed", "restricted_path"},
	{"patch", "*** Begin Patch\n*** Update File: src/a.go\n@@\n-a\n+b\n*** End Patch", "go"},
	{"patch", "*** Begin Patch\n*** Add File: src/b.go\n+x\n*** Delete File: closed/x\n*** End Patch", "restricted_path"},
	{"patch", "*** Begin Patch\n*** Update File: src/a.go\n*** Move to: closed/z\n*** End Patch", "restricted_path"},
	{"patch", "*** Begin Patch\n*** Rename File: src/a.go\n*** End Patch", "not known"},
	{"patch", "nothing", "names no file"},
}

// D-adapt-5: the same decision on every platform. Every decision carries the record's head.
func TestSameDecisionOnEveryPlatform(t *testing.T) {
	for name, shape := range shapes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRoom(t)
			for _, g := range golden {
				own, has := spelling[g.tool][name]
				if !has {
					continue
				}
				answer := r.serve(t, name, message(t, shape(r.dir, own[0], object{own[1]: g.arg, "pattern": "x", "content": "y"})))
				if got := outcome(t, name, answer); !matches(got, g.want) {
					t.Errorf("%s %q: %q, want %q", own[0], g.arg, got, g.want)
				}
				if head := strings.LastIndex(answer.Stdout+answer.Stderr, "audit="); head < 0 && !strings.Contains(answer.Stdout, `"audit":"`) {
					t.Errorf("%s %q: the answer has no head of the record: %+v", own[0], g.arg, answer)
				}
			}
			if rep, err := r.l.Verify(); err != nil || rep.Entries == 0 {
				t.Errorf("the record: %+v, %v", rep, err)
			}
		})
	}
}

func matches(got, want string) bool {
	if want == "malformed-quote" { // it's: an open quote
		want = "dangerous_shell"
	}
	return got == want || want != "go" && want != "through" && strings.HasPrefix(got, "blocked: ") && strings.Contains(got, want)
}

// answers are where each platform looks in an answer that is no block: for a word of its own, and for other arguments. Codex
// wants the word to take the arguments; "ask" lets a call run in it, and hangs Gemini CLI without a terminal. So nobody is told that.
var answers = map[string]struct {
	word, args []string
	goes       string // the word that args need; "" for none
}{
	"claude-code": {[]string{"hookSpecificOutput", "permissionDecision"}, []string{"hookSpecificOutput", "updatedInput"}, ""},
	"codex":       {[]string{"hookSpecificOutput", "permissionDecision"}, []string{"hookSpecificOutput", "updatedInput"}, "allow"},
	"opencode":    {[]string{"decision"}, []string{"args"}, "go"},
	"gemini":      {[]string{"decision"}, []string{"hookSpecificOutput", "tool_input"}, ""},
	"cursor":      {[]string{"permission"}, []string{"updated_input"}, "allow"},
}

// outcome reads an answer as the platform would: what the call does next.
func outcome(t *testing.T, name string, a hook.Answer) string {
	t.Helper()
	if a.Status == 2 {
		if !strings.HasPrefix(a.Stderr, "tada-run: ") {
			t.Errorf("a block without a reason on standard error: %+v", a)
		}
		return "blocked: " + a.Stderr
	}
	var said object
	if err := json.Unmarshal([]byte(a.Stdout), &said); a.Status != 0 || a.Stderr != "" || err != nil {
		t.Errorf("neither a block nor an answer: %+v, %v", a, err)
	}
	at := func(way []string) any {
		var v any = said
		for _, member := range way {
			o, _ := v.(object)
			v = o[member]
		}
		return v
	}
	word, _ := at(answers[name].word).(string)
	args, _ := at(answers[name].args).(object)
	command, _ := args[spelling["Bash"][name][1]].(string)
	switch {
	case word != "" && word != "allow" && word != "go":
		return "the platform is told " + word
	case strings.HasPrefix(command, "/opt/t/tada-run --agent="+name) && (answers[name].goes == "" || word == answers[name].goes):
		return "through"
	}
	return "go"
}

// heads are the answers that have a place in the record, and headless those that say why they have none.
var (
	heads    = regexp.MustCompile(`(?m)^audit=[0-9]+:[0-9a-f]{64}$`)
	headless = regexp.MustCompile(`(?m)^audit=none: .`)
)

// D-hook-1, D-hook-6: every call gets a decision, and every decision an entry. D-hook-2: outside a quarantine no
// tool is stopped for its name alone.
func TestEveryCallIsDecidedAndLogged(t *testing.T) {
	r := newRoom(t)
	tools := strings.Fields("Bash Read Write Edit MultiEdit NotebookEdit Grep Glob LS Task Agent TodoWrite TodoRead WebFetch WebSearch BashOutput KillShell " +
		"SlashCommand Skill ExitPlanMode EnterPlanMode AskUserQuestion ReadMcpResource ListMcpResources mcp__a__b mcp__tada__run_command apply_patch patch Frob read")
	if len(tools) != 30 {
		t.Fatalf("%d tools", len(tools))
	}
	decided := 0
	for _, tool := range tools {
		a := r.serve(t, "claude-code", message(t, sent["claude-code"](r.dir, tool, object{"command": "ls", "file_path": "src/a.go", "notebook_path": "src/a.ipynb", "pattern": "x", "path": "src"})))
		if a.Status == 0 || a.Status == 2 {
			decided++
		}
	}
	logged := 0
	for e, err := range r.l.Entries(filterHook) {
		if err != nil {
			t.Fatal(err)
		}
		var body struct{ Platform, Tool, Decision string }
		if err := json.Unmarshal(e.Body, &body); err != nil || body.Platform != "claude-code" || body.Decision == "" {
			t.Errorf("entry %s: %v", e.Body, err)
		}
		logged++
	}
	if decided != 30 || logged != 30 {
		t.Errorf("%d decided, %d logged; want 30 of each", decided, logged)
	}
	for _, tool := range []string{"TodoWrite", "Task", "WebFetch", "mcp__a__b"} {
		if a := r.serve(t, "claude-code", message(t, sent["claude-code"](r.dir, tool, object{"todos": []string{}}))); a.Status != 0 {
			t.Errorf("%s is stopped: %+v", tool, a)
		}
	}
}

// D-hook-12: names compare byte by byte.
func TestLookAlikesAreNotBuiltin(t *testing.T) {
	a := adapter(t, "claude-code")
	for _, name := range []string{"read", "READ", "Read ", " Read", "Read\x00", "mcp__x__Read", "Ｒead", "Reаd", "", "Rea", "Readd", "Read\n"} {
		o := hook.Object{}
		if err := json.Unmarshal(message(t, sent["claude-code"]("/w", name, object{"file_path": "x"})), &o); err != nil {
			t.Fatal(err)
		}
		if call, err := a.Call(o); err == nil && call.Builtin != "" {
			t.Errorf("%q is taken for %s", name, call.Builtin)
		}
	}
	// What they name is judged all the same, as something that changes it.
	r := newRoom(t)
	if got := r.serve(t, "claude-code", message(t, sent["claude-code"](r.dir, "mcp__x__Read", object{"file_path": "closed/x"}))); got.Status != 2 {
		t.Errorf("a look-alike reads what is restricted: %+v", got)
	}
}

// D-hook-2, D-hook-7: a quarantine is asked first, for every tool, and its word is final; nil is none.
func TestQuarantineComesFirst(t *testing.T) {
	r := newRoom(t)
	var mu sync.Mutex
	var asked []string
	r.core.Quarantine = func(_ context.Context, _ *launcher.Launcher, c hook.Call) (hook.Decision, bool) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, c.Tool)
		return hook.Decision{Allowed: c.Builtin == "Read", Reason: "tada-run: in quarantine", SecurityEvent: "tool_blocked",
			Change: hook.Object{"file_path": json.RawMessage(`"/real"`)}}, c.Agent != ""
	}
	inside := func(tool string, args object) hook.Answer {
		o := sent["claude-code"](r.dir, tool, args)
		o["agent_id"] = "sub"
		return r.serve(t, "claude-code", message(t, o))
	}
	if a := inside("Bash", object{"command": "ls"}); a.Status != 2 || !strings.Contains(a.Stderr, "in quarantine") {
		t.Errorf("Bash in quarantine: %+v", a)
	}
	if a := inside("Read", object{"file_path": "closed/x"}); a.Status != 0 || !strings.Contains(a.Stdout, `"file_path":"/real"`) {
		t.Errorf("its yes is final, and its change is passed on: %+v", a)
	}
	if a := r.serve(t, "claude-code", message(t, sent["claude-code"](r.dir, "Bash", object{"command": "ls"}))); a.Status != 0 {
		t.Errorf("another agent's Bash goes the normal way: %+v", a)
	}
	if len(asked) != 3 {
		t.Errorf("it was asked for %v", asked)
	}
	raw := string(message(t, hook.Decision{Reason: "x", SecurityEvent: "tool_blocked"}))
	if raw != `{"allowed":false,"reason":"x","securityEvent":"tool_blocked"}` {
		t.Errorf("the schema of a decision: %s", raw)
	}
}

// Cursor's event before a shell command cannot change it: without the change of the event before, what would run is
// told instead, and it is on record.
func TestCursorShellEvent(t *testing.T) {
	r := newRoom(t)
	event := func(command string) hook.Answer {
		return r.serve(t, "cursor", message(t, object{"hook_event_name": "beforeShellExecution", "conversation_id": "c", "workspace_roots": []string{r.dir}, "command": command}))
	}
	a := event("ls")
	if a.Status != 2 || !strings.Contains(a.Stderr, "run it as: /opt/t/tada-run --agent=cursor -c 'ls'\n") || !heads.MatchString(a.Stderr) {
		t.Errorf("%+v", a)
	}
	if a := event("/opt/t/tada-run --agent=cursor -c 'ls'"); a.Status != 0 || !strings.Contains(a.Stdout, `"allow"`) {
		t.Errorf("what goes through tada-run: %+v", a)
	}
	if a := event("rm -rf /"); a.Status != 2 || !strings.Contains(a.Stderr, "dangerous_command") || !heads.MatchString(a.Stderr) {
		t.Errorf("%+v", a)
	}
}

// Two hooks of the same agent at once, and hooks of several.
func TestManyAtOnce(t *testing.T) {
	r := newRoom(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			name := []string{"claude-code", "gemini"}[i%2]
			own := spelling["Read"][name]
			if a := r.serve(t, name, message(t, sent[name](r.dir, own[0], object{own[1]: "src/a.go"}))); a.Status != 0 {
				t.Errorf("%+v", a)
			}
		})
	}
	wg.Wait()
	n := 0
	for range r.l.Entries(filterHook) {
		n++
	}
	if _, err := r.l.Verify(); err != nil || n != 16 {
		t.Errorf("%d entries of 16, %v", n, err)
	}
}

var filterHook = audit.Filter{Kinds: []string{"hook."}}

// D-hook-1: on every platform a tool that is not known and takes a command line is blocked, under each name that
// such an argument has, in a list too, and however the tool is called.
func TestUnknownToolWithACommandIsBlocked(t *testing.T) {
	r := newRoom(t)
	for name, shape := range shapes(t) {
		for _, tool := range []string{"Frob", "exec", "Terminal"} {
			for _, arg := range []string{"command", "commands", "cmd", "shellCommand", "shell_command", "script", "bash"} {
				for _, value := range []any{"touch x", []string{"touch", "x"}} {
					a := r.serve(t, name, message(t, shape(r.dir, tool, object{arg: value, "path": "src/a.go"})))
					if got := outcome(t, name, a); !strings.Contains(got, "blocked: ") || !strings.Contains(got, "unknown_tool") {
						t.Errorf("%s: %s with %s %v: %q", name, tool, arg, value, got)
					}
				}
			}
			if got := outcome(t, name, r.serve(t, name, message(t, shape(r.dir, tool, object{"path": "src/a.go"})))); got != "go" {
				t.Errorf("%s: %s without a command: %q", name, tool, got)
			}
		}
	}
}
