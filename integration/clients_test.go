package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A client is an agent program that is installed on this machine, and how it is made to talk to a model on loopback.
type client struct {
	name  string // of the platform
	bin   string
	tool  func(command string) (name string, args any) // how its model asks for a command
	setup func(t *testing.T, b *bench, url string)
	argv  []string
	env   []string
}

// A bench is one client's machine: a home, a state directory, a workspace, and both programs.
type bench struct {
	home, state, work, bin string
	model                  *model
}

var clients = []client{
	{
		name: "claude-code", bin: "claude",
		tool: func(c string) (string, any) { return "Bash", map[string]any{"command": c, "description": "x"} },
		argv: []string{"-p", "go", "--dangerously-skip-permissions", "--model", "claude-sonnet-4-5"},
		env:  []string{"IS_SANDBOX=1", "ANTHROPIC_API_KEY=x", "DISABLE_AUTOUPDATER=1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		setup: func(t *testing.T, b *bench, url string) {
			setenv(b, "ANTHROPIC_BASE_URL", url)
		},
	},
	{
		name: "codex", bin: "codex",
		tool: func(c string) (string, any) { return "exec_command", map[string]any{"cmd": c} },
		argv: []string{"exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "go"},
		env:  []string{"MOCK_KEY=x"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".codex/config.toml"), fmt.Sprintf("model = \"mock\"\nmodel_provider = \"mock\"\n[model_providers.mock]\nname = \"mock\"\nbase_url = %q\nenv_key = \"MOCK_KEY\"\nwire_api = \"responses\"\n", url+"/v1"))
		},
	},
	{
		name: "opencode", bin: "opencode",
		tool: func(c string) (string, any) { return "bash", map[string]any{"command": c, "description": "x"} },
		argv: []string{"run", "--model", "mock/mock", "go"},
		env:  []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".config/opencode/opencode.json"), fmt.Sprintf(`{"permission":{"bash":"allow"},"provider":{"mock":{"npm":"@ai-sdk/openai-compatible","name":"mock","options":{"baseURL":%q,"apiKey":"x"},"models":{"mock":{"name":"mock"}}}}}`, url+"/v1"))
		},
	},
	{
		name: "gemini", bin: "gemini",
		tool: func(c string) (string, any) {
			return "run_shell_command", map[string]any{"command": c, "description": "x"}
		},
		argv: []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", "go"},
		env:  []string{"GEMINI_API_KEY=x", "GEMINI_CLI_NO_RELAUNCH=true"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".gemini/settings.json"), `{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false}}`)
			setenv(b, "GOOGLE_GEMINI_BASE_URL", url)
		},
	},
}

func setenv(b *bench, name, value string) { b.model.env = append(b.model.env, name+"="+value) }

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// find returns the program, from PATH or from the folder that TADA_CLIENTS names.
func (c client) find(t *testing.T) string {
	t.Helper()
	if dir := os.Getenv("TADA_CLIENTS"); dir != "" {
		if p := filepath.Join(dir, c.bin); executable(p) {
			return p
		}
	}
	p, err := exec.LookPath(c.bin)
	if err != nil {
		t.Skipf("%s is not installed; to try it: npm install it, and name its folder in TADA_CLIENTS", c.bin)
	}
	return p
}

func newBench(t *testing.T) *bench {
	t.Helper()
	// Codex makes no helper programs for a home below the folder for temporary files.
	base, err := os.MkdirTemp("/var/tmp", "tada-clients-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	b := &bench{home: filepath.Join(base, "h"), state: filepath.Join(base, "state"), work: filepath.Join(base, "w"), bin: filepath.Join(base, "bin")}
	write(t, filepath.Join(b.work, ".git/HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(b.work, "closed/x"), "secret\n")
	write(t, filepath.Join(b.state, "config.yaml"), "security: {restricted_paths: ["+b.work+"/closed]}\n")
	write(t, filepath.Join(b.home, "x"), "")
	if out, err := exec.Command("go", "build", "-o", b.bin+"/", "../cmd/...").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	b.model = &model{}
	return b
}

// ctl runs tadactl for the person.
func (b *bench) ctl(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(b.bin, "tadactl"), append([]string{"--home", b.state}, args...)...)
	cmd.Env, cmd.Dir = append(os.Environ(), "HOME="+b.home), b.work
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("tadactl %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// run lets the client's model ask for one command, and returns what the model was told came of it.
func (b *bench) run(t *testing.T, c client, command string, more ...string) string {
	t.Helper()
	b.model.begin(c.tool(command))
	cmd := exec.CommandContext(t.Context(), c.find(t), c.argv...)
	cmd.Dir, cmd.WaitDelay = b.work, time.Second
	cmd.Env = []string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "LANG=C.UTF-8", "SHELL=/bin/bash"}
	cmd.Env = append(append(append(cmd.Env, c.env...), b.model.env...), more...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(3*time.Minute, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	result := b.model.result()
	if result == "" {
		t.Fatalf("%s: the model was never told what came of it: %v\n%s\nrequests:\n%s", c.name, err, out.String(), b.model.requests())
	}
	return result
}

// TestClients runs the agent programs that are installed, against a model on loopback that asks for one command at a
// time, and sees it judged, run, recorded or blocked. make test-clients.
func TestClients(t *testing.T) {
	if os.Getenv("TEST_CLIENTS") == "" {
		t.Skip("starts agent programs that are installed on this machine; to run it: make test-clients")
	}
	for _, c := range clients {
		t.Run(c.name, func(t *testing.T) {
			c.find(t)
			b := newBench(t)
			server := httptest.NewServer(b.model)
			defer server.Close()
			c.setup(t, b, server.URL)
			t.Log(b.ctl(t, "hook", "install", c.name))

			if got := b.run(t, c, "echo hello > ran; echo said $((40+2))"); !strings.Contains(got, "said 42") {
				t.Errorf("an allowed command: %s", got)
			}
			if _, err := os.Stat(filepath.Join(b.work, "ran")); err != nil {
				t.Error(err)
			}
			if log := b.ctl(t, "log", "--json"); !strings.Contains(log, "said $((40+2))") || !strings.Contains(log, "?"+c.name) {
				t.Errorf("the command is not in the log:\n%s", log)
			}
			if got := b.run(t, c, "touch never; cat closed/x"); !strings.Contains(got, "restricted_path") || strings.Contains(got, "secret\n") {
				t.Errorf("a denied command: %s", got)
			}
			if _, err := os.Stat(filepath.Join(b.work, "never")); err == nil {
				t.Error("a denied command ran")
			}
			if got := b.run(t, c, "git push --force origin main"); !strings.Contains(got, "tadactl show") {
				t.Errorf("a question: %s", got)
			}
			b.ctl(t, "audit", "verify", "--complete")
			if os.Getenv("TEST_CLIENTS") == "witness" {
				t.Log(b.model.requests())
			}
		})
	}
}

// A model is what the programs take for one: the first answer of a conversation asks for a tool, the next ends it.
type model struct {
	mu   sync.Mutex
	env  []string
	name string
	args json.RawMessage
	seen []string // requests
	told string   // the result of the tool, as the program sent it
}

func (m *model) begin(name string, args any) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.args, _ = json.Marshal(args)
	m.name, m.told, m.seen = name, "", nil
}

func (m *model) result() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.told
}

func (m *model) requests() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return strings.Join(m.seen, "\n")
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.seen = append(m.seen, r.Method+" "+r.URL.Path+" "+string(body[:min(len(body), 2000)]))
	var ask struct {
		Messages, Input, Contents, Tools json.RawMessage
		Stream                           bool
	}
	_ = json.Unmarshal(body, &ask)
	w.Header().Set("Content-Type", "text/event-stream")
	var say protocol
	switch {
	case strings.HasSuffix(r.URL.Path, "/messages"):
		say = anthropic{w}
	case strings.HasSuffix(r.URL.Path, "/responses"):
		say = responses{w}
	case strings.HasSuffix(r.URL.Path, "/chat/completions"):
		say = completions{w}
	case strings.Contains(r.URL.Path, "GenerateContent"), strings.Contains(r.URL.Path, "generateContent"):
		say = generate{w}
	default:
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
		return
	}
	conversation := string(ask.Messages) + string(ask.Input) + string(ask.Contents)
	result := ""
	for _, mark := range []string{`"tool_result"`, `"function_call_output"`, `"role":"tool"`, `"functionResponse"`} {
		if i := strings.Index(conversation, mark); i >= 0 {
			result = conversation[i:]
		}
	}
	switch {
	case result != "":
		m.told = result
		say.text("done")
	case len(ask.Tools) < 10: // a title, a summary
		say.text("title")
	default:
		say.call(m.name, m.args)
	}
}

// A protocol is how one family of models streams an answer.
type protocol interface {
	text(string)
	call(name string, args json.RawMessage)
}

func event(w io.Writer, name string, v any) {
	raw, _ := json.Marshal(v)
	if name != "" {
		fmt.Fprintf(w, "event: %s\n", name)
	}
	fmt.Fprintf(w, "data: %s\n\n", raw)
}

type o = map[string]any

type anthropic struct{ w io.Writer }

func (a anthropic) block(start, delta o, stop string) {
	usage := o{"input_tokens": 1, "output_tokens": 1}
	event(a.w, "message_start", o{"type": "message_start", "message": o{"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{}, "stop_reason": nil, "stop_sequence": nil, "usage": usage}})
	event(a.w, "content_block_start", o{"type": "content_block_start", "index": 0, "content_block": start})
	event(a.w, "content_block_delta", o{"type": "content_block_delta", "index": 0, "delta": delta})
	event(a.w, "content_block_stop", o{"type": "content_block_stop", "index": 0})
	event(a.w, "message_delta", o{"type": "message_delta", "delta": o{"stop_reason": stop, "stop_sequence": nil}, "usage": usage})
	event(a.w, "message_stop", o{"type": "message_stop"})
}

func (a anthropic) text(s string) {
	a.block(o{"type": "text", "text": ""}, o{"type": "text_delta", "text": s}, "end_turn")
}

func (a anthropic) call(name string, args json.RawMessage) {
	a.block(o{"type": "tool_use", "id": "toolu_0001", "name": name, "input": o{}}, o{"type": "input_json_delta", "partial_json": string(args)}, "tool_use")
}

type responses struct{ w io.Writer }

func (p responses) item(item o) {
	event(p.w, "response.created", o{"type": "response.created", "response": o{"id": "r1"}})
	event(p.w, "response.output_item.done", o{"type": "response.output_item.done", "output_index": 0, "item": item})
	event(p.w, "response.completed", o{"type": "response.completed", "response": o{"id": "r1", "usage": o{"input_tokens": 1, "input_tokens_details": nil, "output_tokens": 1, "output_tokens_details": nil, "total_tokens": 2}}})
}

func (p responses) text(s string) {
	p.item(o{"type": "message", "role": "assistant", "id": "m1", "content": []any{o{"type": "output_text", "text": s}}})
}

func (p responses) call(name string, args json.RawMessage) {
	p.item(o{"type": "function_call", "id": "f1", "call_id": "call_0", "name": name, "arguments": string(args)})
}

type completions struct{ w io.Writer }

func (p completions) chunk(delta o, finish any) {
	event(p.w, "", o{"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "mock", "choices": []any{o{"index": 0, "delta": delta, "finish_reason": finish}}})
}

func (p completions) end(reason string) {
	p.chunk(o{}, reason)
	fmt.Fprint(p.w, "data: [DONE]\n\n")
}

func (p completions) text(s string) {
	p.chunk(o{"role": "assistant", "content": s}, nil)
	p.end("stop")
}

func (p completions) call(name string, args json.RawMessage) {
	p.chunk(o{"role": "assistant", "tool_calls": []any{o{"index": 0, "id": "call_0", "type": "function", "function": o{"name": name, "arguments": string(args)}}}}, nil)
	p.end("tool_calls")
}

type generate struct{ w io.Writer }

func (g generate) part(part o) {
	event(g.w, "", o{"candidates": []any{o{"index": 0, "content": o{"role": "model", "parts": []any{part}}, "finishReason": "STOP"}}, "usageMetadata": o{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}})
}

func (g generate) text(s string) { g.part(o{"text": s}) }

func (g generate) call(name string, args json.RawMessage) {
	g.part(o{"functionCall": o{"name": name, "args": args}})
}

// shelled are the clients whose shell can be set to tada-run under another name, and how.
var shelled = map[string]func(t *testing.T, b *bench, bash string){
	"claude-code": func(t *testing.T, b *bench, bash string) { setenv(b, "CLAUDE_CODE_SHELL", bash) },
	"opencode": func(t *testing.T, b *bench, bash string) {
		path := filepath.Join(b.home, ".config/opencode/opencode.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		write(t, path, strings.Replace(string(text), "{", fmt.Sprintf(`{"shell":%q,`, bash), 1))
	},
	"gemini": func(t *testing.T, b *bench, bash string) {
		setenv(b, "PATH", filepath.Dir(bash)+":"+os.Getenv("PATH"))
	},
}

// TestClientsShell gives the clients tada-run as their shell. The link leads to the test binary, which keeps its
// state where TRANSCRIPT_HOME says. make test-clients.
func TestClientsShell(t *testing.T) {
	if os.Getenv("TEST_CLIENTS") == "" {
		t.Skip("starts agent programs that are installed on this machine; to run it: make test-clients")
	}
	for _, c := range clients {
		set := shelled[c.name]
		if set == nil {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			c.find(t)
			b := newBench(t)
			server := httptest.NewServer(b.model)
			defer server.Close()
			c.setup(t, b, server.URL)
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			bash := filepath.Join(b.home, "links/bash")
			write(t, filepath.Join(b.home, "links/x"), "")
			if err := os.Symlink(self, bash); err != nil {
				t.Fatal(err)
			}
			setenv(b, "TRANSCRIPT_HOME", b.state)
			set(t, b, bash)
			if got := b.run(t, c, "mkdir -p sub; cd sub; echo hello > ran; echo said 4\"2\""); !strings.Contains(got, "said 42") {
				t.Errorf("an allowed command: %s", got)
			}
			if _, err := os.Stat(filepath.Join(b.work, "sub/ran")); err != nil {
				t.Error(err)
			}
			if got := b.run(t, c, "touch never; cat closed/x"); !strings.Contains(got, "restricted_path") {
				t.Errorf("a denied command: %s", got)
			}
			if _, err := os.Stat(filepath.Join(b.work, "never")); err == nil {
				t.Error("a denied command ran")
			}
			if got := b.run(t, c, "git push --force origin main"); !strings.Contains(got, "tadactl show") {
				t.Errorf("a question: %s", got)
			}
			if n := strings.Count(b.ctl(t, "pending"), "\n"); n != 1 {
				t.Errorf("%d questions; the client's own housekeeping needs none:\n%s", n, b.ctl(t, "pending"))
			}
			b.ctl(t, "audit", "verify", "--complete")
		})
	}
}
