package mcp_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/integration/mcp"
	"github.com/tada-run/tada-run/integration/quarantine"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/pathguard/tamper"
)

// place returns a state directory with an account of its own beside it.
func place(state string) launcher.Place {
	return launcher.Place{State: state, Account: filepath.Join(filepath.Dir(state), "account")}
}

// TestMain makes the test binary the server that the tests start, like a client would.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "connect" { // and go on without
		if _, err := net.Dial("tcp", os.Args[2]); err != nil {
			fmt.Println("without")
		}
		return
	}
	if home := os.Getenv("MCP_TEST_HOME"); home != "" {
		l, err := place(home).Open()
		dir, _ := os.Getwd()
		if err == nil {
			s := mcp.Server{Launcher: l, Env: os.Environ(), Dir: dir,
				Sockets:    filepath.Join(home, "run/quarantine"),
				Quarantine: os.Getenv(quarantine.Variable)}
			err = s.Run(context.Background(), &sdk.StdioTransport{})
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(hermetic.Tests(m).Run())
}

// A client is a session with a server of its own: its state, and the workspace that it works in.
type client struct {
	*sdk.ClientSession
	l   *launcher.Launcher
	dir string
}

func connect(t *testing.T, config string) client {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	c := client{dir: filepath.Join(base, "w")}
	for name, text := range map[string]string{"w/.git/HEAD": "ref: refs/heads/main\n",
		"w/TODO.md": "one\n", "w/closed/x": "x",
		"state/config.yaml": "security:\n  restricted_paths: [" + c.dir + "/closed]\n" + config} {
		path := filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(base, "state")
	if c.l, err = place(home).Open(); err != nil {
		t.Fatal(err)
	}
	return c.start(t, home)
}

// start starts a server in place of the client's own.
func (c client) start(t *testing.T, home string, env ...string) client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Dir, cmd.Stderr = c.dir, os.Stderr
	cmd.Env = append(env, "MCP_TEST_HOME="+home, "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
		"MY_TOKEN=s3cr3t-7f9a2b1c4d5e6f")
	c.ClientSession, err = sdk.NewClient(&sdk.Implementation{Name: "claude-code", Version: "2.1"},
		nil).Connect(t.Context(), &sdk.CommandTransport{Command: cmd}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// call returns the structure and the text of a result, and whether it is an error.
func (c client) call(t *testing.T, tool string, args any) (map[string]any, string, bool) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return nil, err.Error(), true
	}
	text := ""
	for _, part := range r.Content {
		if p, ok := part.(*sdk.TextContent); ok {
			text += p.Text + "\n"
		}
	}
	structure, _ := r.StructuredContent.(map[string]any)
	// what is not a call of the protocol reaches no tool
	decided := tool != "pending_status" && !strings.HasPrefix(text, "validating")
	if decided && !witnessed.MatchString(text+fmt.Sprint(structure)) {
		t.Errorf("%s %v has no head of the record: %v %q", tool, args, structure, text)
	}
	return structure, text, r.IsError
}

// witnessed matches an answer with a place in the record, or one that says why it has none.
var witnessed = regexp.MustCompile(`audit[=:]([0-9]+:[0-9a-f]{64}|none: .)`)

type args = map[string]any

func TestTools(t *testing.T) {
	c := connect(t, "")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		if tool.OutputSchema == nil {
			t.Errorf("%s has no schema of its answer", tool.Name)
		}
		for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
			if at := unread(schema); at != "" {
				t.Errorf("%s: the schema at %s is no object", tool.Name, at)
			}
		}
		if tool.Name == "accept_tamper" {
			raw, _ := json.Marshal(tool.InputSchema)
			var schema struct {
				Required   []string
				Properties map[string]struct{ Type string }
			}
			if err := json.Unmarshal(raw, &schema); err != nil ||
				!slices.Equal(schema.Required, []string{"reason"}) ||
				schema.Properties["reason"].Type != "string" {
				t.Errorf("accept_tamper takes %s", raw)
			}
		}
	}
	slices.Sort(names)
	if want := "accept_tamper check_command pending_status read_reference run_command run_many undo_run"; strings.Join(names, " ") != want {
		t.Errorf("tools %q, want %q", names, want)
	}
}

// unread is where a schema has a boolean in place of a schema: Gemini CLI then takes none of the
// tools of a server.
func unread(schema any) string {
	members, is := schema.(map[string]any)
	if !is {
		return "itself"
	}
	for _, at := range []string{"properties", "items"} {
		inner, is := members[at].(map[string]any)
		if _, there := members[at]; there && !is {
			return at
		}
		if at == "items" && is {
			inner = map[string]any{"items": inner}
		}
		for name, each := range inner {
			if below := unread(each); below != "" {
				return name + ": " + below
			}
		}
	}
	return ""
}

func TestRunCommand(t *testing.T) {
	c := connect(t, "")
	got, text, bad := c.call(t, "run_command",
		args{"command": "echo out; echo err >&2; pwd; echo ${MY_TOKEN-none}; exit 3",
			"call_id": "n1"})
	if bad || got["status"] != 3.0 || got["stdout"] != "out\n"+c.dir+"\nnone\n" ||
		got["stderr"] != "err\n" || !strings.Contains(text, "[exit status 3]") {
		t.Errorf("%v %v %q", bad, got, text)
	}
	if head, _ := got["audit"].(string); !strings.Contains(head, ":") || len(head) < 66 {
		t.Errorf("no head of the record: %v", got)
	}
	if got, _, bad := c.call(t, "run_command",
		args{"command": "head -c 600000 /dev/zero | tr '\\0' x; printf '\\xff'"}); bad ||
		len(got["stdout"].(string)) != 256<<10 || got["truncated"] != true {
		t.Errorf("a long output: %v", bad)
	}
	if got, _, bad := c.call(t, "run_command", args{"command": "cat; echo end"}); bad ||
		got["stdout"] != "end\n" {
		t.Errorf("standard input is not empty: %v", got)
	}
	if got, _, bad := c.call(t, "run_command",
		args{"command": "sleep 60", "timeout_ms": 50}); bad || got["status"] == 0.0 {
		t.Errorf("time out: %v", got)
	}
	// Denied, and to be asked: R7, in text and in structure.
	got, text, bad = c.call(t, "run_command", args{"command": "cat closed/x"})
	refusal, _ := got["refusal"].(map[string]any)
	if !bad || refusal["code"] != "restricted_path" || refusal["status"] != "denied" ||
		!strings.Contains(text, "tada-run: denied (restricted_path)") ||
		!strings.Contains(text, "audit=") {
		t.Errorf("denied: %v %v %q", bad, got, text)
	}
	got, text, bad = c.call(t, "run_command", args{"command": "git push --force"})
	refusal, _ = got["refusal"].(map[string]any)
	if !bad || refusal["code"] != "pending" || !strings.Contains(text, "tadactl approve") {
		t.Errorf("pending: %v %v %q", bad, got, text)
	}
	id, _ := refusal["envelope"].(string)
	if got, _, bad := c.call(t, "pending_status", args{"envelope": id}); bad ||
		fmt.Sprint(got["questions"].([]any)[0].(map[string]any)["answer"]) != "none" {
		t.Errorf("its status: %v", got)
	}
	decide(t, c, id, false, "not to main")
	if got, _, bad := c.call(t, "pending_status", args{"envelope": id}); bad ||
		!strings.Contains(fmt.Sprint(got), "not to main") {
		t.Errorf("its status after the answer: %v", got)
	}
	if _, text, bad := c.call(t, "run_command", args{"command": "git push --force"}); !bad ||
		!strings.Contains(text, "not to main") {
		t.Errorf("after a no: %q", text)
	}
	for _, wrong := range []args{{}, {"command": 7}, {"command": "ls", "shell": "x"},
		{"command": ""}, {"command": "ls", "cwd": "/nowhere"}} {
		if got, text, bad := c.call(t, "run_command", wrong); !bad {
			t.Errorf("%v: %v %q", wrong, got, text)
		}
	}
	if got, text, _ := c.call(t, "run_command",
		args{"command": "echo 'open"}); fmt.Sprint(got["status"]) != "2" ||
		!strings.Contains(text, "unexpected EOF") {
		t.Errorf("what no shell can read: %v %q", got, text)
	}
	if _, err := c.l.VerifyWith(complete); err != nil {
		t.Error(err)
	}
}

// decide gives a person's answer.
func decide(t *testing.T, c client, id string, yes bool, message string) {
	t.Helper()
	e, err := c.l.Envelope(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	if !yes {
		if err := c.l.Decide(t.Context(),
			permit.Answer(e, false, message, "tadactl")); err != nil {
			t.Fatal(err)
		}
		return
	}
	// A test is not a person at a terminal: it answers like another machine, with a trusted key.
	key, err := approval.NewKey("tester", rand.Reader)
	if err == nil {
		err = os.WriteFile(c.l.Home().Trust(), []byte(key.TrustLine()+"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	line, err := c.l.ExportRequest(t.Context(), e.ID)
	if err != nil {
		t.Fatal(err)
	}
	q, err := approval.ReadQuestion(line)
	if err != nil {
		t.Fatal(err)
	}
	a, err := q.Answer(true, "", time.Now(), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	token, err := key.Sign(a, rand.Reader)
	if err == nil {
		_, err = c.l.DecideToken(t.Context(), token)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// If a command was refused a connection and still succeeds, its client gets the open question.
func TestAskedConnection(t *testing.T) {
	c := connect(t, "")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	got, text, bad := c.call(t, "run_command",
		args{"command": self + " connect far.example.test:443"})
	asked, _ := got["asked"].([]any)
	if bad || got["stdout"] != "without\n" || got["status"] != 0.0 || len(asked) != 1 {
		t.Fatalf("%v %v %q", bad, got, text)
	}
	one := asked[0].(map[string]any)
	if one["host"] != "far.example.test:443" || !strings.Contains(text,
		fmt.Sprintf("to allow it: tadactl approve %s; then run the identical command again",
			one["envelope"])) {
		t.Errorf("%v %q", one, text)
	}
}

func TestRunMany(t *testing.T) {
	c := connect(t, "")
	got, _, bad := c.call(t, "run_many",
		args{"calls": []args{{"command": "echo a"}, {"command": "cat closed/x", "call_id": "no"},
			{"command": "echo b >&2; exit 4"}}})
	list, _ := got["results"].([]any)
	if !bad || len(list) != 3 {
		t.Fatalf("%v %v", bad, got)
	}
	first, second, third := list[0].(map[string]any), list[1].(map[string]any),
		list[2].(map[string]any)
	if first["stdout"] != "a\n" || third["stderr"] != "b\n" || third["status"] != 4.0 {
		t.Errorf("%v", list)
	}
	if f, _ := second["refusal"].(map[string]any); f["code"] != "restricted_path" ||
		second["id"] != "no" {
		t.Errorf("%v", second)
	}
	for _, wrong := range []args{{"calls": []args{}},
		{"calls": []args{{"command": "ls", "call_id": "x"}, {"command": "ls", "call_id": "x"}}}} {
		if _, _, bad := c.call(t, "run_many", wrong); !bad {
			t.Errorf("%v is taken", wrong)
		}
	}
}

func TestCheckCommand(t *testing.T) {
	c := connect(t, "")
	got, _, bad := c.call(t, "check_command", args{"command": "touch made; git push --force"})
	if bad || got["verdict"] != "ask" || got["audit"] == nil ||
		!strings.Contains(fmt.Sprint(got["reasons"]), "git.force-push") {
		t.Errorf("%v", got)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "made")); err == nil {
		t.Error("a check runs")
	}
}

// What cannot be recorded does not run, and the answer says so.
func TestNoRecord(t *testing.T) {
	c := connect(t, "")
	record := filepath.Join(filepath.Dir(c.dir), "state/audit")
	if err := errors.Join(os.RemoveAll(record), os.WriteFile(record, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	for tool, in := range map[string]args{
		"run_command":   {"command": "touch made"},
		"run_many":      {"calls": []args{{"command": "touch made"}}},
		"accept_tamper": {"reason": "x"},
	} {
		if got, text, bad := c.call(t, tool, in); !bad ||
			!strings.Contains(text+fmt.Sprint(got), "none: ") {
			t.Errorf("%s: %v %q", tool, got, text)
		}
	}
	if _, err := os.Stat(filepath.Join(c.dir, "made")); err == nil {
		t.Error("it ran")
	}
}

// Concurrent calls do not mix their output, and each is recorded.
func TestAtOnce(t *testing.T) {
	c := connect(t, "")
	var wg sync.WaitGroup
	for i := range 6 {
		wg.Go(func() {
			got, text, bad := c.call(t, "run_command",
				args{"command": fmt.Sprintf("for i in 1 2 3; do echo %d; done; exit %d", i, i)})
			if want := strings.Repeat(fmt.Sprintln(i), 3); bad || got["stdout"] != want ||
				got["status"] != float64(i) {
				t.Errorf("%d: %v %q", i, got, text)
			}
		})
	}
	wg.Wait()
	if _, err := c.l.VerifyWith(complete); err != nil {
		t.Error(err)
	}
}

// an agent can only ask to accept a change,
// and the approval is for exactly what was shown.
func TestAcceptTamper(t *testing.T) {
	c := connect(t, "  tamper_proof: true\n")
	todo := filepath.Join(c.dir, "TODO.md")
	if got, text, bad := c.call(t, "run_command", args{"command": "cat TODO.md"}); bad {
		t.Fatalf("%v %q", got, text)
	}
	if _, text, bad := c.call(t, "accept_tamper", args{"reason": "why not"}); !bad ||
		!strings.Contains(text, "nothing") {
		t.Errorf("nothing to accept: %q", text)
	}
	change := func(text string) {
		t.Helper()
		if err := os.WriteFile(todo, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	change("one\ntwo\n")
	got, text, bad := c.call(t, "run_command", args{"command": "echo never"})
	refusal, _ := got["refusal"].(map[string]any)
	if !bad || refusal["code"] != "tamper_error" ||
		!strings.HasPrefix(text,
			"TamperError: External modification detected. Use 'accept_tamper' tool to resolve.\n") {
		t.Errorf("tampered: %v %q", got, text)
	}
	// every tool that would run or judge a command returns the same.
	for tool, in := range map[string]args{
		"run_many":      {"calls": []args{{"command": "echo never"}, {"command": "touch never"}}},
		"check_command": {"command": "echo never"},
	} {
		got, text, bad := c.call(t, tool, in)
		if all := fmt.Sprint(got, text); !bad || !strings.Contains(text, tamper.ToolText) ||
			!strings.Contains(all, todo) || strings.Contains(all, "never\n") {
			t.Errorf("%s on a tampered workspace: %v %v %q", tool, bad, got, text)
		}
	}
	if item := fmt.Sprint(refusal["items"]); !strings.Contains(item, todo) ||
		!strings.Contains(item, "expected ") || !strings.Contains(item, "actual ") {
		t.Errorf("the refusal does not name the file and both hashes: %s", item)
	}
	for _, blank := range []string{"", "  ", "\n\t"} {
		if _, text, bad := c.call(t, "accept_tamper", args{"reason": blank}); !bad ||
			!strings.Contains(text, "reason") {
			t.Errorf("reason %q: %q", blank, text)
		}
	}
	ask := func() string {
		t.Helper()
		got, text, bad := c.call(t, "accept_tamper", args{"reason": "the person asked for it"})
		refusal, _ := got["refusal"].(map[string]any)
		if !bad || got["accepted"] != false || refusal["code"] != "pending" || got["audit"] == nil {
			t.Fatalf("without an answer: %v %q", got, text)
		}
		return refusal["envelope"].(string)
	}
	id := ask()
	e, err := c.l.Envelope(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	page, err := c.l.Page(e.Payload, render.Options{Width: 100, Full: true})
	if err != nil || !strings.Contains(page.Text(), "+two") ||
		!strings.Contains(page.Text(), "the person asked for it") ||
		!strings.Contains(page.Text(), "accept_tamper") {
		t.Errorf("the person is not shown the difference: %v\n%s", err, page.Text())
	}
	if _, _, bad := c.call(t, "run_command", args{"command": "echo never"}); !bad {
		t.Error("the question alone lets commands run")
	}
	// It changes again after the approval: another question.
	decide(t, c, id, true, "")
	change("one\nthree\n")
	if again := ask(); again == id {
		t.Error("a yes to one difference is taken for another")
	}
	change("one\ntwo\n")
	got, text, bad = c.call(t, "accept_tamper", args{"reason": "the person asked for it"})
	if bad || got["accepted"] != true || got["path"] != todo || got["checksum"] == "" {
		t.Fatalf("after the yes: %v %q", got, text)
	}
	if got, text, bad := c.call(t, "run_command", args{"command": "cat TODO.md"}); bad ||
		got["stdout"] != "one\ntwo\n" {
		t.Errorf("commands run again: %v %q", got, text)
	}
	events, err := c.l.TamperLog()
	if err != nil || len(events) == 0 {
		t.Fatal(events, err)
	}
	if line := events[len(events)-1].Line(); !strings.Contains(line, "| MCP | FORCE_ACCEPT |") ||
		!strings.Contains(line, "Accepted external changes: the person asked for it") {
		t.Errorf("the log says %q", line)
	}
	if _, err := c.l.VerifyWith(complete); err != nil {
		t.Error(err)
	}
}

func TestReadReference(t *testing.T) {
	c := connect(t, "")
	for _, uri := range []string{"", "x", "/etc/passwd", "typed://%2Fetc%2Fpasswd",
		"typed://%2Fetc%2Fpasswd?hmac=" + strings.Repeat("0",
			64) + "&ts=1&sid=00000000-0000-4000-8000-000000000000"} {
		if got, text, bad := c.call(t, "read_reference", args{"uri": uri}); !bad {
			t.Errorf("%q: %v %q", uri, got, text)
		}
	}
}

// D-adr-1, D-ref-10: only an agent that is confined in the session can read its references, from
// the descriptor that was verified. The trusted agent cannot: it made the reference so that it need
// not see the file. A confined agent has no other tool.
func TestOnlyWhoIsHeldReadsAReference(t *testing.T) {
	trusted := connect(t, "")
	home := filepath.Join(filepath.Dir(trusted.dir), "state")
	sockets := filepath.Join(home, "run/quarantine")
	log, err := quarantine.OpenLog(filepath.Join(t.TempDir(), quarantine.LogName))
	if err != nil {
		t.Fatal(err)
	}
	var all quarantine.Sessions
	s, err := all.Create(quarantine.Options{Root: trusted.dir})
	if err != nil {
		t.Fatal(err)
	}
	broker, err := all.Listen(s, sockets, log, nil)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = broker.Serve(t.Context()) }()
	ref, err := s.Refer(filepath.Join(trusted.dir, "TODO.md"), false)
	if err != nil {
		t.Fatal(err)
	}
	read := args{"uri": ref.URI()}
	if got, text, bad := trusted.call(t, "read_reference", read); !bad ||
		strings.Contains(text, "one") || !strings.Contains(text, "an agent in this quarantine") {
		t.Errorf("the trusted agent: %v %q", got, text)
	}
	held := trusted.start(t, home, quarantine.Variable+"="+s.ID)
	if got, text, bad := held.call(t, "read_reference", read); bad || got["content"] != "one\n" ||
		got["untrusted"] != true {
		t.Errorf("who is held: %v %q", got, text)
	}
	if got, text, bad := held.call(t, "read_reference",
		args{"uri": strings.Replace(ref.URI(), "hmac=", "hmac=0", 1)}); !bad {
		t.Errorf("a bad reference: %v %q", got, text)
	}
	for _, tool := range strings.Fields("run_command run_many check_command pending_status accept_tamper undo_run") {
		if _, text, bad := held.call(t, tool, args{"command": "id"}); !bad {
			t.Errorf("who is held has %s: %q", tool, text)
		}
	}
	list, err := held.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 1 {
		t.Errorf("who is held is offered %d tools, %v", len(list.Tools), err)
	}
	other := trusted.start(t, home, quarantine.Variable+"=00000000-0000-4000-8000-000000000000")
	if got, text, bad := other.call(t, "read_reference", read); !bad {
		t.Errorf("who is held elsewhere: %v %q", got, text)
	}
	if err := all.Destroy(s.ID); err != nil {
		t.Fatal(err)
	}
	if got, text, bad := held.call(t, "read_reference", read); !bad {
		t.Errorf("after the end: %v %q", got, text)
	}
}

var complete = audit.VerifyOptions{Complete: true}

// A change of the policy counts from the next call on; while it is refused nothing runs.
func TestPolicyOfTheNextCall(t *testing.T) {
	t.Parallel()
	c := connect(t, "")
	path := c.l.Home().Config()
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		config string
		runs   bool
	}{
		{"", true},
		{"rules: {commands: [{program: echo, verdict: deny, message: not here}]}\n", false},
		{"nothing: 1\n", false}, {"", true},
	} {
		if err := os.WriteFile(path, append(before[:len(before):len(before)],
			step.config...), 0o600); err != nil {
			t.Fatal(err)
		}
		_, text, bad := c.call(t, "run_command", map[string]any{"command": "echo hi"})
		if bad == step.runs {
			t.Errorf("%q: %s", step.config, text)
		}
	}
}
