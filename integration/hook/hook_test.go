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

func newRoom(t testing.TB, config ...string) room {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := room{dir: filepath.Join(base, "w")}
	for name, text := range map[string]string{
		"w/.git/HEAD": "ref: refs/heads/main\n", "w/src/a.go": "package a\n", "w/secret/.env": "A=b\n", "w/closed/x": "x", "state/config.yaml": "security:\n  restricted_paths: [" + base + "/w/closed]\n" + strings.Join(config, ""),
	} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l, err := launcher.Place{State: filepath.Join(base, "state"),
		Account: filepath.Join(base, "account")}.Open()
	if err != nil {
		t.Fatal(err)
	}
	r.l = l
	r.core = &hook.Core{
		Open: func() (*launcher.Launcher, error) { return l, nil }, Env: []string{"PATH=/usr/bin:/bin", "LANG=C.UTF-8"},
		Runner:   hook.Runner{Path: "/opt/t/tada-run"},
		Starters: func(string) ([]launcher.Starter, error) { return nil, nil },
	}
	return r
}

// sent is a call as each platform sends it, with captured members.
var sent = map[string]func(dir, tool string, args object) object{
	"claude-code": func(dir, tool string, args object) object {
		return object{"session_id": "bb4ad9b5-0000",
			"transcript_path": "/h/.claude/projects/x.jsonl", "cwd": dir, "prompt_id": "27502dc3",
			"permission_mode": "bypassPermissions", "effort": object{"level": "high"}, "hook_event_name": "PreToolUse",
			"tool_name": tool, "tool_input": args, "tool_use_id": "toolu_000"}
	},
	"codex": func(dir, tool string, args object) object {
		return object{"session_id": "01a1", "turn_id": "01a1",
			"transcript_path": "/r/rollout.jsonl", "cwd": dir, "hook_event_name": "PreToolUse",
			"model": "mock", "permission_mode": "bypassPermissions", "tool_name": tool, "tool_input": args, "tool_use_id": "call_0"}
	},
	"opencode": fromPlugin,
	"kilo":     fromPlugin,
	"pi":       fromPlugin,
	"cline": func(dir, tool string, args object) object {
		input := args
		if tool == "read_files" {
			input = object{"files": []any{object{"path": args["path"], "start_line": nil}}}
		}
		return object{"clineVersion": "", "taskId": "conv_1", "workspaceRoots": []string{dir},
			"agent_id": "agent_1", "parent_agent_id": nil, "hookName": "tool_call", "iteration": 1,
			"tool_call":  object{"id": "call_0", "name": tool, "input": input},
			"preToolUse": object{"toolName": tool, "parameters": object{}}}
	},
	"droid": func(dir, tool string, args object) object {
		return object{"session_id": "670659f4-b92a", "transcript_path": "/h/.factory/x.jsonl",
			"cwd": dir, "permission_mode": "auto-low", "hook_event_name": "PreToolUse",
			"tool_name": tool, "tool_input": args}
	},
	"gemini": func(dir, tool string, args object) object {
		return object{"session_id": "s", "transcript_path": "/t", "cwd": dir,
			"hook_event_name": "BeforeTool",
			"timestamp":       "2026-11-21T13:08:00.489Z", "tool_name": tool, "tool_input": args}
	},
	"qwen": func(dir, tool string, args object) object {
		return object{"session_id": "cec75ed4-c0dc", "transcript_path": "/h/.qwen/projects/w/chats/x.jsonl", "cwd": dir, "hook_event_name": "PreToolUse",
			"timestamp": "2026-11-23T19:42:33.715Z", "permission_mode": "yolo", "prompt_id": "cec75ed4-c0dc########0", "tool_name": tool,
			"tool_input": args, "tool_use_id": "toolu_1795462953714_w79yyassr", "tool_call_id": "call_0"}
	},
	"copilot": func(dir, tool string, args object) object {
		o := object{"hook_event_name": "PreToolUse", "session_id": "7991abe3-464c",
			"timestamp": "2026-11-23T19:54:36.583Z", "cwd": dir,
			"tool_name": tool, "tool_input": args}
		if patch, is := args["patch"]; is {
			o["tool_input"] = patch
		}
		return o
	},
	"cursor": func(dir, tool string, args object) object {
		return object{"hook_event_name": "preToolUse", "conversation_id": "c", "generation_id": "g",
			"workspace_roots": []string{dir},
			"model":           "m", "cursor_version": "2.0.77", "tool_name": tool, "tool_input": args, "cwd": dir}
	},
}

type object = map[string]any

// fromPlugin is a call as our own plugin sends it.
func fromPlugin(dir, tool string, args object) object {
	return object{"hook_event_name": "tool.execute.before", "tool": tool, "sessionID": "ses_1",
		"callID": "call_0", "cwd": dir, "args": args}
}

// shapes returns how each platform of the product sends a call. It fails if a platform is not
// described here, so that no adapter is untested.
func shapes(t testing.TB) map[string]func(dir, tool string, args object) object {
	t.Helper()
	all := map[string]func(dir, tool string, args object) object{}
	for _, a := range platform.All() {
		all[a.Name] = sent[a.Name]
		if _, read := answers[a.Name]; sent[a.Name] == nil || !read ||
			spelling["Bash"][a.Name][0] == "" {
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
	"Bash": {
		"claude-code": {"Bash", "command"}, "codex": {"Bash", "command"},
		"opencode": {"bash", "command"}, "kilo": {"bash", "command"},
		"pi":    {"bash", "command"},
		"droid": {"Execute", "command"}, "cline": {"run_commands", "commands"},
		"gemini": {"run_shell_command", "command"}, "qwen": {"run_shell_command", "command"},
		"copilot": {"Bash", "command"}, "cursor": {"Shell", "command"},
	},
	"Read": {
		"claude-code": {"Read", "file_path"}, "codex": {"view_image", "path"},
		"opencode": {"read", "filePath"}, "kilo": {"read", "filePath"},
		"pi":    {"read", "path"},
		"droid": {"Read", "file_path"}, "cline": {"read_files", "path"},
		"gemini": {"read_file", "file_path"}, "qwen": {"read_file", "file_path"},
		"copilot": {"Read", "path"}, "cursor": {"Read", "file_path"},
	},
	"Write": {
		"claude-code": {"Write", "file_path"}, "opencode": {"write", "filePath"},
		"kilo": {"write", "filePath"}, "pi": {"write", "path"}, "droid": {"Create", "file_path"},
		"cline": {"editor", "path"}, "gemini": {"write_file", "file_path"},
		"qwen": {"write_file", "file_path"}, "copilot": {"Write", "path"},
		"cursor": {"Write", "file_path"},
	},
	"Edit": {
		"claude-code": {"Edit", "file_path"}, "opencode": {"edit", "filePath"},
		"kilo": {"edit", "filePath"}, "pi": {"edit", "path"}, "droid": {"Edit", "file_path"},
		"cline": {"editor", "path"}, "gemini": {"replace", "file_path"},
		"qwen": {"edit", "file_path"}, "copilot": {"Edit", "path"},
		"cursor": {"Edit", "file_path"},
	},
	"Grep": {
		"claude-code": {"Grep", "path"}, "opencode": {"grep", "path"}, "kilo": {"grep", "path"},
		"pi":    {"grep", "path"},
		"droid": {"Grep", "path"}, "gemini": {"search_file_content", "dir_path"},
		"qwen": {"grep_search", "path"}, "copilot": {"Grep", "paths"},
		"cursor": {"Grep", "path"},
	},
	"Glob": {
		"claude-code": {"Glob", "path"}, "opencode": {"glob", "path"}, "kilo": {"glob", "path"},
		"pi":    {"find", "path"},
		"droid": {"Glob", "folder"}, "gemini": {"glob", "dir_path"}, "qwen": {"glob", "path"},
		"copilot": {"Glob", "paths"}, "cursor": {"Glob", "path"},
	},
	"patch": {
		"codex": {"apply_patch", "command"}, "opencode": {"apply_patch", "patchText"},
		"kilo": {"apply_patch", "patchText"}, "copilot": {"Edit", "patch"},
		"cline": {"apply_patch", "input"},
	},
}

// golden is the corpus: a call, and the decision about it on every platform. A code is what the
// agent gets in the answer; "through" is a command that goes on through tada-run.
var golden = []struct{ tool, arg, want string }{
	{"Bash", "ls -l", "through"},
	// an open quote: tada-run lets the shell report it
	{"Bash", "echo it's 'a' \"b\" $HOME `id` \\\n end", "through"},
	{"Bash", "printf '%s' 'it'\\''s'", "through"},
	{"Bash", "git push --force", "through"}, // tada-run asks, not the platform
	{"Bash", "rm -rf /", "dangerous_command"},
	{"Bash", "cat closed/x", "restricted_path"},
	{"Bash", "echo 'open", "through"},
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
	{"Grep", "secret", "pending"}, // without a sandbox, what it would hide is a question
	{"Glob", "src", "go"},
	{"Glob", "closed", "restricted_path"},
	{"patch", "*** Begin Patch\n*** Update File: src/a.go\n@@\n-a\n+b\n*** End Patch", "go"},
	{"patch", "*** Begin Patch\n*** Add File: src/b.go\n+x\n*** Delete File: closed/x\n" +
		"*** End Patch", "restricted_path"},
	{"patch", "*** Begin Patch\n*** Update File: src/a.go\n*** Move to: closed/z\n*** End Patch",
		"restricted_path"},
	{"patch", "*** Begin Patch\n*** Rename File: src/a.go\n*** End Patch", "not known"},
	{"patch", "nothing", "names no file"},
}

// D-adapt-5: the same decision on every platform. Every decision contains the record's head.
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
				answer := r.serve(t, name,
					message(t,
						shape(r.dir, own[0], object{own[1]: g.arg, "pattern": "x", "content": "y"})))
				if platform, _ := platform.Named(name); platform.Tools[own[0]].Late &&
					codes().MatchString(g.want) {
					g.want = "through"
				}
				if got := outcome(t, name, answer); !matches(got, g.want) {
					t.Errorf("%s %q: %q, want %q", own[0], g.arg, got, g.want)
				}
				if head := strings.LastIndex(answer.Stdout+answer.Stderr, "audit="); head < 0 &&
					!strings.Contains(answer.Stdout, `"audit":"`) {
					t.Errorf("%s %q: the answer has no head of the record: %+v",
						own[0], g.arg, answer)
				}
			}
			if rep, err := r.l.Verify(); err != nil || rep.Entries == 0 {
				t.Errorf("the record: %+v, %v", rep, err)
			}
		})
	}
}

// codes are what tada-run itself denies a command with, where a hook leaves it to that.
var codes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(dangerous_|restricted_)`)
})

func matches(got, want string) bool {
	return got == want || want != "go" && want != "through" &&
		strings.HasPrefix(got, "blocked: ") && strings.Contains(got, want)
}

// answers are where each platform looks in an answer that does not block: for a word of its own,
// and for other arguments. Codex needs the word to accept the arguments; after "ask" it runs the
// call, and Gemini CLI hangs without a terminal. So no platform is sent that.
var answers = map[string]struct {
	word, args []string
	goes       string // the word required with args; "" for none
}{
	"claude-code": {[]string{"hookSpecificOutput", "permissionDecision"},
		[]string{"hookSpecificOutput", "updatedInput"}, ""},
	"codex": {[]string{"hookSpecificOutput", "permissionDecision"},
		[]string{"hookSpecificOutput", "updatedInput"}, "allow"},
	"opencode": {[]string{"decision"}, []string{"args"}, "go"},
	"kilo":     {[]string{"decision"}, []string{"args"}, "go"},
	"pi":       {[]string{"decision"}, []string{"args"}, "go"},
	"cline":    {nil, []string{"overrideInput"}, ""},
	"droid": {[]string{"hookSpecificOutput", "permissionDecision"},
		[]string{"hookSpecificOutput", "updatedInput"}, ""},
	"gemini": {[]string{"decision"}, []string{"hookSpecificOutput", "tool_input"}, ""},
	// its hook changes nothing: the lines to run instead are in the reason of the block
	"qwen": {},
	"copilot": {[]string{"permissionDecision"},
		[]string{"hookSpecificOutput", "updatedInput"}, ""},
	"cursor": {[]string{"permission"}, []string{"updated_input"}, "allow"},
}

// changed returns the arguments in an answer.
func changed(said object, name string) object {
	args, _ := at(said, answers[name].args).(object)
	if list, is := args["commands"].([]any); is && len(list) == 1 {
		return object{"commands": list[0]}
	}
	return args
}

// at returns a nested member.
func at(v any, way []string) any {
	for _, member := range way {
		o, _ := v.(object)
		v = o[member]
	}
	return v
}

// outcome reads an answer as the platform would: what happens to the call.
func outcome(t *testing.T, name string, a hook.Answer) string {
	t.Helper()
	if a.Status == 2 {
		if !strings.HasPrefix(a.Stderr, "tada-run: ") {
			t.Errorf("a block without a reason on standard error: %+v", a)
		}
		if answers[name].args == nil &&
			strings.Contains(a.Stderr, "\n/opt/t/tada-run --agent="+name) {
			return "through"
		}
		return "blocked: " + a.Stderr
	}
	var said object
	if err := json.Unmarshal([]byte(a.Stdout), &said); a.Status != 0 || a.Stderr != "" ||
		err != nil {
		t.Errorf("neither a block nor an answer: %+v, %v", a, err)
	}
	word, _ := at(said, answers[name].word).(string)
	args := changed(said, name)
	command, _ := args[spelling["Bash"][name][1]].(string)
	switch {
	case word != "" && word != "allow" && word != "go":
		return "the platform is told " + word
	case strings.HasPrefix(command, "/opt/t/tada-run --agent="+name) &&
		(answers[name].goes == "" || word == answers[name].goes):
		return "through"
	}
	return "go"
}

// C1: no answer replaces the person whom the platform's own rules would ask, and the platform finds
// in a rewritten command what the agent wrote, as a separate command. Codex accepts other arguments
// only with an "allow", and still applies its rules to them.
func TestThePlatformsOwnRulesAreLeftToIt(t *testing.T) {
	r := newRoom(t)
	for name, shape := range shapes(t) {
		own := spelling["Bash"][name]
		answer := r.serve(t, name,
			message(t, shape(r.dir, own[0], object{own[1]: "touch x; it='s'\nls"})))
		if answers[name].args == nil {
			if !strings.Contains(answer.Stderr, "\nexit\ntouch x; it='s'\nls\n") {
				t.Errorf("%s: the command as it was does not stand in %q", name, answer.Stderr)
			}
			continue
		}
		var said object
		if err := json.Unmarshal([]byte(answer.Stdout), &said); err != nil {
			t.Fatal(err)
		}
		if word := at(said, answers[name].word); (name == "claude-code" || name == "copilot") &&
			word != nil || word == "ask" {
			t.Errorf("%s is told %v", name, word)
		}
		args := changed(said, name)
		if line, _ := args[own[1]].(string); !strings.HasSuffix(line,
			"\nexit\ntouch x; it='s'\nls") {
			t.Errorf("%s: the command as it was does not stand in %q", name, line)
		}
	}
}

// If the platform's shell is tada-run already, nothing is rewritten and nothing is reported. In a
// session too.
func TestThroughItsShellNothingIsSaid(t *testing.T) {
	r := newRoom(t)
	a := adapter(t, "claude-code")
	a.Wrapped = func(hook.Call, []string) bool { return true }
	call := message(t, sent["claude-code"](r.dir, "Bash", object{"command": "touch x"}))
	for where, inside := range map[string]func() error{"outside": nil,
		"in a session": func() error { return nil }} {
		r.core.Inside = inside
		answer := hook.Serve(t.Context(), a, r.core, bytes.NewReader(call), time.Minute)
		if answer.Status != 0 || strings.Contains(answer.Stdout, "updatedInput") ||
			strings.Contains(answer.Stdout, "permissionDecision") {
			t.Errorf("%s: %+v", where, answer)
		}
	}
}

// heads are the answers with a place in the record, and headless those that say why they have none.
var (
	heads    = regexp.MustCompile(`(?m)^audit=[0-9]+:[0-9a-f]{64}$`)
	headless = regexp.MustCompile(`(?m)^audit=none: .`)
)

// D-hook-1, D-hook-6: every call gets a decision, and every decision an entry. D-hook-2: outside a
// quarantine no tool is stopped for its name alone.
func TestEveryCallIsDecidedAndLogged(t *testing.T) {
	r := newRoom(t)
	tools := strings.Fields("Bash Read Write Edit MultiEdit NotebookEdit Grep Glob LS Task Agent TodoWrite TodoRead WebFetch WebSearch BashOutput KillShell " +
		"SlashCommand Skill ExitPlanMode EnterPlanMode AskUserQuestion ReadMcpResource ListMcpResources mcp__a__b mcp__tada__run_command apply_patch patch Frob read")
	if len(tools) != 30 {
		t.Fatalf("%d tools", len(tools))
	}
	decided := 0
	for _, tool := range tools {
		a := r.serve(t, "claude-code",
			message(t,
				sent["claude-code"](r.dir, tool,
					object{"command": "ls", "file_path": "src/a.go", "notebook_path": "src/a.ipynb",
						"pattern": "x", "path": "src"})))
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
		if err := json.Unmarshal(e.Body, &body); err != nil || body.Platform != "claude-code" ||
			body.Decision == "" {
			t.Errorf("entry %s: %v", e.Body, err)
		}
		logged++
	}
	if decided != 30 || logged != 30 {
		t.Errorf("%d decided, %d logged; want 30 of each", decided, logged)
	}
	for _, tool := range []string{"TodoWrite", "Task", "AskUserQuestion"} {
		if a := r.serve(t, "claude-code",
			message(t,
				sent["claude-code"](r.dir, tool, object{"todos": []string{}}))); a.Status != 0 {
			t.Errorf("%s is stopped: %+v", tool, a)
		}
	}
}

// D-hook-12: names compare byte by byte.
func TestLookAlikesAreNotBuiltin(t *testing.T) {
	a := adapter(t, "claude-code")
	for _, name := range []string{"read", "READ", "Read ", " Read", "Read\x00", "mcp__x__Read",
		"Ｒead", "Reаd", "", "Rea", "Readd", "Read\n"} {
		o := hook.Object{}
		if err := json.Unmarshal(message(t,
			sent["claude-code"]("/w", name, object{"file_path": "x"})), &o); err != nil {
			t.Fatal(err)
		}
		if call, err := a.Call(o); err == nil && call.As.Builtin != "" {
			t.Errorf("%q is taken for %s", name, call.As.Builtin)
		}
	}
	// What they name is still judged, as something that changes it.
	r := newRoom(t)
	if got := r.serve(t, "claude-code",
		message(t,
			sent["claude-code"](r.dir, "mcp__x__Read",
				object{"file_path": "closed/x"}))); got.Status != 2 {
		t.Errorf("a look-alike reads what is restricted: %+v", got)
	}
}

// D-hook-2, D-hook-7: a quarantine is asked first, for every tool, and its decision is final; nil
// means there is none.
func TestQuarantineComesFirst(t *testing.T) {
	r := newRoom(t)
	var mu sync.Mutex
	var asked []string
	r.core.Quarantine = func(_ context.Context, _ *launcher.Launcher, c hook.Call) (hook.Decision, bool) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, c.Tool)
		return hook.Decision{Allowed: c.As.Builtin == "Read", Reason: "tada-run: in quarantine",
			SecurityEvent: "tool_blocked",
			Change:        hook.Object{"file_path": json.RawMessage(`"/real"`)}}, c.Agent != ""
	}
	inside := func(tool string, args object) hook.Answer {
		o := sent["claude-code"](r.dir, tool, args)
		o["agent_id"] = "sub"
		return r.serve(t, "claude-code", message(t, o))
	}
	if a := inside("Bash", object{"command": "ls"}); a.Status != 2 ||
		!strings.Contains(a.Stderr, "in quarantine") {
		t.Errorf("Bash in quarantine: %+v", a)
	}
	if a := inside("Read", object{"file_path": "closed/x"}); a.Status != 0 ||
		!strings.Contains(a.Stdout, `"file_path":"/real"`) {
		t.Errorf("its yes is final, and its change is passed on: %+v", a)
	}
	if a := r.serve(t, "claude-code",
		message(t, sent["claude-code"](r.dir, "Bash", object{"command": "ls"}))); a.Status != 0 {
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

// Cursor's event before a shell command cannot change it: without the change of the event before,
// the answer says what to run instead, and it is recorded.
func TestCursorShellEvent(t *testing.T) {
	r := newRoom(t)
	event := func(command string) hook.Answer {
		return r.serve(t, "cursor",
			message(t, object{"hook_event_name": "beforeShellExecution", "conversation_id": "c",
				"workspace_roots": []string{r.dir}, "command": command}))
	}
	a := event("ls")
	if a.Status != 2 ||
		!strings.Contains(a.Stderr, "run it as: /opt/t/tada-run --agent=cursor -c 'ls'\n") ||
		!heads.MatchString(a.Stderr) {
		t.Errorf("%+v", a)
	}
	if a := event("/opt/t/tada-run --agent=cursor -c 'ls'"); a.Status != 0 ||
		!strings.Contains(a.Stdout, `"allow"`) {
		t.Errorf("what goes through tada-run: %+v", a)
	}
	if a := event("rm -rf /"); a.Status != 2 || !strings.Contains(a.Stderr, "dangerous_command") ||
		!heads.MatchString(a.Stderr) {
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
			if a := r.serve(t, name,
				message(t, sent[name](r.dir, own[0], object{own[1]: "src/a.go"}))); a.Status != 0 {
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

// C7: a patch that Codex takes from a command line is judged as its tool, and left to Codex; any
// other goes through tada-run.
func TestPatchInACommand(t *testing.T) {
	r := newRoom(t)
	for _, test := range []struct{ command, want string }{
		{"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: src/b.go\n+x\n*** End Patch\n" +
			"EOF\n", "go"},
		{"cd src && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: b.go\n+x\n*** End Patch\n" +
			"EOF\n", "go"},
		{"cd ./closed && apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: y\n+x\n" +
			"*** End Patch\nEOF\n", "restricted_path"},
		{"cd closed && apply_patch <<'EOF'\n*** Begin Patch\n*** Delete File: x\n*** End Patch\n" +
			"EOF\n", "restricted_path"},
		{"apply_patch <<EOF\n*** Begin Patch\n*** Add File: .git/hooks/pre-commit\n+x\n" +
			"*** End Patch\nEOF\n", "pending"},
		{"apply_patch <<'EOF'\nnothing\nEOF\n", "names no file"},
		{"echo 1; apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: src/b.go\n+x\n" +
			"*** End Patch\nEOF\n", "through"},
		{"bash -lc \"apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: src/b.go\n+x\n" +
			"*** End Patch\nEOF\n\"", "through"},
	} {
		for _, name := range []string{"codex", "claude-code"} {
			a := r.serve(t, name,
				message(t, sent[name](r.dir, "Bash", object{"command": test.command})))
			want := test.want
			if name != "codex" && want != "restricted_path" { // only Codex does this
				want = "through"
			}
			if got := outcome(t, name, a); !matches(got, want) {
				t.Errorf("%s %q: %q, want %q", name, test.command, got, want)
			}
		}
	}
}

// D-hook-1, B-R6.2, B-I5: on every platform an unknown tool asks, and one that takes a command line
// is judged by that line, under each name that such an argument has, in a list too, and whatever
// the tool is called.
func TestUnknownToolIsAskedAbout(t *testing.T) {
	r := newRoom(t)
	for name, shape := range shapes(t) {
		for _, tool := range []string{"Frob", "exec", "mcp__sh__exec"} {
			for _, test := range []struct {
				args object
				want string
			}{
				{object{"target": "prod"}, "pending"},
				{object{"path": "closed/x"}, "restricted_path"},
				{object{"command": "rm -rf /"}, "dangerous_command"},
				{object{"cmd": []string{"rm", "-rf", "/"}}, "dangerous_command"},
				{object{"commands": []string{"ls", "rm -rf /"}}, "dangerous_command"},
				{object{"shell_command": "cat closed/x"}, "restricted_path"},
				{object{"in": object{"steps": []any{object{"bash": "cat closed/x"}}}},
					"restricted_path"},
				{object{"script": "echo 'open"}, "dangerous_shell"},
				{object{"command": "ls"}, "pending"},
			} {
				a := r.serve(t, name, message(t, shape(r.dir, tool, test.args)))
				if got := outcome(t, name, a); !matches(got, test.want) {
					t.Errorf("%s: %s with %v: %q, want %q", name, tool, test.args, got, test.want)
				}
			}
		}
	}
}

// A tool that the configuration names is not asked about for itself.
func TestNamedToolPasses(t *testing.T) {
	r := newRoom(t, "tools: {allow: [Deploy, \"mcp__git__*\"]}\n")
	for _, test := range []struct {
		tool string
		args object
		want string
	}{
		{"Deploy", object{"x": "y"}, "go"}, {"mcp__git__log", object{}, "go"}, {"mcp__git",
			object{}, "pending"}, {"deploy", object{}, "pending"},
		{"Deploy", object{"command": "rm -rf /"}, "dangerous_command"}, {"Deploy",
			object{"file": "closed/x"}, "restricted_path"},
	} {
		a := r.serve(t, "claude-code", message(t, sent["claude-code"](r.dir, test.tool, test.args)))
		if got := outcome(t, "claude-code", a); !matches(got, test.want) {
			t.Errorf("%s %v: %q, want %q", test.tool, test.args, got, test.want)
		}
	}
}
