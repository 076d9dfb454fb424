package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A client is an agent program that is installed on this machine, and how it is made to use a model
// on loopback.
type client struct {
	name  string // of the platform
	bin   string
	tool  func(command string) toolCall // how its model asks for a command
	setup func(t *testing.T, b *bench, url string)
	argv  []string
	env   []string

	// It sometimes loses the end of an output, without us too.
	losesEnds bool
	lacks     []string // the doors that it does not have
	ends      bool     // where a hook blocks, its answer ends, and the model is not told why

	program string // where it is; empty for the first that is found
}

// A bench is one client's machine: an account with a home of its own, a workspace, and both
// programs.
type bench struct {
	home, work, bin, passwd string
	opt                     string   // what is below /opt
	before                  []string // the words that start the client, in front of its own
	model                   *model
}

var clients = []client{
	{
		name: "claude-code", bin: "claude",
		tool: func(c string) toolCall {
			return toolCall{name: "Bash", args: o{"command": c, "description": "x"}}
		},
		argv: []string{"-p", "go", "--dangerously-skip-permissions", "--model",
			"claude-sonnet-4-5"},
		env: []string{"IS_SANDBOX=1", "ANTHROPIC_API_KEY=x", "DISABLE_AUTOUPDATER=1",
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1"},
		setup: func(t *testing.T, b *bench, url string) {
			setenv(b, "ANTHROPIC_BASE_URL", url)
		},
	},
	{
		name: "codex", bin: "codex",
		tool: func(c string) toolCall { return toolCall{name: "exec_command", args: o{"cmd": c}} },
		argv: []string{"exec", "--skip-git-repo-check",
			"--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust", "go"},
		env: []string{"MOCK_KEY=x"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".codex/config.toml"),
				fmt.Sprintf("model = \"mock\"\nmodel_provider = \"mock\"\n"+
					"[model_providers.mock]\nname = \"mock\"\nbase_url = %q\n"+
					"env_key = \"MOCK_KEY\"\nwire_api = \"responses\"\n", url+"/v1"))
		},
	},
	{
		name: "opencode", bin: "opencode",
		tool: func(c string) toolCall {
			return toolCall{name: "bash", args: o{"command": c, "description": "x"}}
		},
		argv: []string{"run", "--model", "mock/mock", "go"},
		env:  []string{"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1"},
		setup: func(t *testing.T, b *bench, url string) {
			// it installs a plugin of its own at each start
			write(t, filepath.Join(b.home, ".config/opencode/.npmrc"), "fetch-retries=0\n")
			write(t, filepath.Join(b.home, ".config/opencode/opencode.json"),
				fmt.Sprintf(`{"permission":{"bash":"allow","external_directory":"allow"},"provider":{"mock":{"npm":"@ai-sdk/openai-compatible","name":"mock","options":{"baseURL":%q,"apiKey":"x"},"models":{"mock":{"name":"mock"}}}}}`, url+"/v1"))
		},
	},
	{
		name: "kilo", bin: "kilo",
		tool: func(c string) toolCall {
			return toolCall{name: "bash", args: o{"command": c, "description": "x"}}
		},
		argv: []string{"run", "--model", "mock/mock", "go"},
		env:  []string{"KILO_DISABLE_AUTOUPDATE=1", "KILO_DISABLE_MODELS_FETCH=1"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".config/kilo/.npmrc"), "fetch-retries=0\n")
			write(t, filepath.Join(b.home, ".config/kilo/kilo.json"),
				fmt.Sprintf(`{"$schema":"https://app.kilo.ai/config.json","permission":`+
					`{"bash":"allow","external_directory":"allow"},"provider":{"mock":`+
					`{"npm":"@ai-sdk/openai-compatible","name":"mock","options":{"baseURL":%q,`+
					`"apiKey":"x"},"models":{"mock":{"name":"mock"}}}}}`, url+"/v1"))
		},
	},
	{
		name: "gemini", bin: "gemini",
		tool: func(c string) toolCall {
			return toolCall{name: "run_shell_command", args: o{"command": c, "description": "x"}}
		},
		argv: []string{"--yolo", "--skip-trust", "-m", "gemini-2.5-flash", "-p", "go"},
		env:  []string{"GEMINI_API_KEY=x", "GEMINI_CLI_NO_RELAUNCH=true"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".gemini/settings.json"),
				`{"security":{"auth":{"selectedType":"gemini-api-key"}},"privacy":{"usageStatisticsEnabled":false}}`)
			setenv(b, "GOOGLE_GEMINI_BASE_URL", url)
		},
	},
	{
		name: "qwen", bin: "qwen",
		tool: func(c string) toolCall {
			return toolCall{name: "run_shell_command",
				args: o{"command": c, "description": "x", "is_background": false}}
		},
		argv: []string{"--yolo", "--auth-type", "openai", "-p", "go"},
		env:  []string{"OPENAI_API_KEY=x", "OPENAI_MODEL=mock", "QWEN_CODE_NO_RELAUNCH=true"},
		// libuv, in node, ends a terminal that hung up after a read that did not fill its buffer.
		// The kernel returns at most 4,095 bytes, and less while it still moves what was written,
		// so the last output of a command is lost if the command ends before the client has read
		// it.
		losesEnds: true,
		lacks:     []string{"hook"}, // it cannot change a command: TestClientsQwenHook
		setup: func(t *testing.T, b *bench, url string) {
			// A terminal, as if a person were there: with -p alone it reads two pipes, and drops
			// what is in them when the command ends.
			write(t, filepath.Join(b.home, ".qwen/settings.json"),
				`{"privacy":{"usageStatisticsEnabled":false},"general":{"disableAutoUpdate":true},"tools":{"shell":{"enableInteractiveShell":true}}}`)
			setenv(b, "OPENAI_BASE_URL", url+"/v1")
		},
	},
	{
		name: "copilot", bin: "copilot",
		tool: func(c string) toolCall {
			return toolCall{name: "bash",
				args: o{"command": c, "description": "x", "mode": "sync", "initial_wait": 30}}
		},
		argv: []string{"-p", "go", "--allow-all-tools", "--allow-all-paths", "--no-color",
			"--no-auto-update"},
		env: []string{"COPILOT_MODEL=mock", "COPILOT_PROVIDER_API_KEY=x", "COPILOT_OFFLINE=true",
			"COPILOT_AUTO_UPDATE=false"},
		setup: func(t *testing.T, b *bench, url string) {
			setenv(b, "COPILOT_PROVIDER_BASE_URL", url+"/v1")
		},
	},
	{
		name: "droid", bin: "droid",
		tool: func(c string) toolCall {
			return toolCall{name: "Execute", args: o{"command": c, "summary": "x"}}
		},
		lacks: []string{"shell", "both"},
		argv:  []string{"exec", "--skip-permissions-unsafe", "-m", "custom:mock-0", "go"},
		env: []string{"FACTORY_API_KEY=fk-x", "FACTORY_DISABLE_KEYRING=true",
			"FACTORY_DROID_AUTO_UPDATE_ENABLED=false"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".factory/settings.json"),
				fmt.Sprintf(`{"customModels":[{"model":"mock","id":"custom:mock-0","index":0,`+
					`"displayName":"mock","baseUrl":%q,"apiKey":"x","maxOutputTokens":4096,`+
					`"provider":"generic-chat-completion-api"}]}`, url+"/v1"))
		},
	},
	{
		name: "cline", bin: "cline",
		tool: func(c string) toolCall {
			return toolCall{name: "run_commands", args: o{"commands": []string{c}}}
		},
		lacks: []string{"shell", "both"},
		ends:  true,
		argv:  []string{"please go on"},
		env:   []string{"CLINE_NO_AUTO_UPDATE=1"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".cline/data/settings/providers.json"),
				fmt.Sprintf(`{"version":1,"lastUsedProvider":"openai-compatible","modes":{},`+
					`"providers":{"openai-compatible":{"settings":{"provider":"openai-compatible",`+
					`"apiKey":"x","model":"mock","baseUrl":%q},"tokenSource":"manual",`+
					`"updatedAt":"2026-11-29T22:19:46.347Z"}}}`, url+"/v1"))
		},
	},
	{
		name: "pi", bin: "pi",
		tool: func(c string) toolCall { return toolCall{name: "bash", args: o{"command": c}} },
		argv: []string{"-p", "--tools", "+codemode", "--model", "mock/mock", "go"},
		env:  []string{"PI_OFFLINE=1"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".pi/agent/models.json"),
				fmt.Sprintf(`{"providers":{"mock":{"baseUrl":%q,"apiKey":"x",`+
					`"api":"openai-completions","models":[{"id":"mock"}]}}}`, url+"/v1"))
		},
	},
	{
		name: "continue-cli", bin: "cn",
		tool:  func(c string) toolCall { return toolCall{name: "Bash", args: o{"command": c}} },
		lacks: []string{"hook", "both"},
		argv:  []string{"-p", "--auto", "go"},
		setup: func(t *testing.T, b *bench, url string) {
			write(t, filepath.Join(b.home, ".continue/config.yaml"), "name: mock\n"+
				"version: 0.0.1\nschema: v1\nmodels:\n  - name: mock\n    provider: openai\n"+
				"    model: mock\n    apiKey: x\n    apiBase: "+url+"/v1\n    roles: [chat]\n"+
				"    capabilities: [tool_use]\n"+
				// it would summarise what a small model cannot keep
				"    defaultCompletionOptions: {contextLength: 1000000, maxTokens: 4096}\n")
		},
	},
}

// has reports whether the commands of a client can come through a door.
func (c client) has(door string) bool { return !slices.Contains(c.lacks, door) }

// hooked reports whether it has a hook at all.
func (c client) hooked() bool {
	return agents.First(agents.OfPlatform(c.name), "settings") != ""
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

// chosen returns the clients in the directories of TADA_CLIENTS, every release of each, or without
// it the first in PATH.
func chosen() (list []client) {
	for _, c := range clients {
		for _, dir := range filepath.SplitList(os.Getenv("TADA_CLIENTS")) {
			if c.program = filepath.Join(dir, c.bin); executable(c.program) {
				list = append(list, c)
			}
		}
		if p, err := exec.LookPath(c.bin); err == nil && os.Getenv("TADA_CLIENTS") == "" {
			c.program = p
			list = append(list, c)
		}
	}
	return list
}

// find returns the program.
func (c client) find(t *testing.T) string {
	t.Helper()
	for _, other := range chosen() {
		if c.program == "" && other.name == c.name {
			c.program = other.program
		}
	}
	if c.program == "" {
		t.Skipf("%s is not installed; to try it: make test-clients CLIENTS=latest", c.bin)
	}
	return c.program
}

// packages returns the directory of an npm program, with its packages. Any other program is where
// it is.
func packages(program string) string {
	if dir, _, ok := strings.Cut(program, "/node_modules/.bin/"); ok {
		return dir
	}
	return "/opt"
}

// seen returns where a program is on the bench.
func (b *bench) seen(program string) string {
	if rest, ok := strings.CutPrefix(program, b.opt); ok {
		return "/opt" + rest
	}
	return program
}

var versions sync.Map // by program

// version returns the first number in the program's version output.
func (c client) version(t *testing.T) string {
	t.Helper()
	program := c.find(t)
	if v, ok := versions.Load(program); ok {
		return v.(string)
	}
	out, err := exec.Command(program, "--version").CombinedOutput()
	found := regexp.MustCompile(`[0-9]+\.[0-9]+\.[0-9]+`).Find(out)
	if err != nil || found == nil {
		t.Fatalf("%s --version: %v\n%s", c.bin, err, out)
	}
	versions.Store(program, string(found))
	return string(found)
}

// build makes both programs, once for all benches.
var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp(os.Getenv("HOME"), "built-")
	if err != nil {
		return "", err
	}
	if out, err := exec.Command("go", "build", "-o", dir+"/",
		"../cmd/...").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

// newBench makes the account: its home and its login shell are in a passwd file, which the programs
// see in place of the machine's. So they get nothing that a person would not have set up.
func newBench(t *testing.T, c client, shell string) *bench {
	t.Helper()
	c.note(t)
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		t.Fatal(err)
	}
	// Not in a folder for temporary files: Codex makes no helper programs below it, and every
	// command may write there.
	base, err := os.MkdirTemp(account.HomeDir, "tada-clients-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(base) })
	b := &bench{home: filepath.Join(base, "h"), work: filepath.Join(base, "w"),
		bin: filepath.Join(base, "bin"), passwd: filepath.Join(base, "passwd"),
		opt: packages(c.find(t)), model: &model{}}
	write(t, filepath.Join(b.work, ".git/HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(base, "closed/x"), "secret\n")
	write(t, filepath.Join(b.work, "build/x"), "")
	write(t, filepath.Join(b.home, ".tada/config.yaml"),
		deletionsAsk+"security: {restricted_paths: ["+base+"/closed]}\n")
	built, err := build()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tada-run", "tadactl"} {
		raw, err := os.ReadFile(filepath.Join(built, name))
		if err != nil {
			t.Fatal(err)
		}
		program(t, filepath.Join(b.bin, name), string(raw))
	}
	if err := os.Symlink("tada-run", filepath.Join(b.bin, "bash")); err != nil {
		t.Fatal(err)
	}
	b.login(t, shell)
	server := httptest.NewServer(b.model)
	t.Cleanup(server.Close)
	c.setup(t, b, server.URL)
	return b
}

// login makes the account, with its login shell.
func (b *bench) login(t *testing.T, shell string) {
	t.Helper()
	write(t, b.passwd, "root:x:0:0:root:"+b.home+":"+strings.ReplaceAll(shell, "BIN", b.bin)+"\n")
}

// command is a program on the bench. It sees the passwd file, and its packages below /opt, through
// mounts of its own, for which an ordinary user becomes the owner of a user namespace. Programs in
// the home of another account would be asked about.
func (b *bench) command(t *testing.T, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), "/bin/sh",
		append([]string{"-c", `mount --bind "$0" /etc/passwd && mount --bind "$1" /opt && shift && exec "$@"`, b.passwd, b.opt, name}, args...)...)
	cmd.Dir, cmd.WaitDelay = b.work, time.Second
	cmd.Env = []string{"HOME=" + b.home, "PATH=" + os.Getenv("PATH"), "TERM=xterm", "LANG=C.UTF-8",
		"SHELL=/bin/bash"}
	ownMounts(cmd)
	return cmd
}

// ctl runs tadactl for the person.
func (b *bench) ctl(t *testing.T, args ...string) string {
	t.Helper()
	out, err := b.command(t, filepath.Join(b.bin, "tadactl"), args...).CombinedOutput()
	if err != nil {
		t.Fatalf("tadactl %q: %v\n%s", args, err, out)
	}
	return string(out)
}

// play lets the client's model ask for some tools, one after the other, and returns the result of
// each as the model received it.
func (b *bench) play(t *testing.T, c client, calls ...toolCall) []string {
	t.Helper()
	return b.playIn(t, c, b.before, calls...)
}

// playIn is play with the client started by another program, whose words come before its own.
func (b *bench) playIn(t *testing.T, c client, before []string, calls ...toolCall) []string {
	t.Helper()
	b.model.begin(calls)
	cmd, out := b.start(t, c, before)
	timer := time.AfterFunc(8*time.Minute, func() { _ = cmd.Process.Kill() })
	err := cmd.Wait()
	timer.Stop()
	results := b.model.results()
	if len(results) != len(calls) {
		requests := b.model.requests()
		t.Fatalf("%s: the model was told of %d calls out of %d: %v\n%s\nrequests:\n%s", c.name,
			len(results), len(calls), err, out.String(), requests[:min(len(requests), 4000)])
	}
	return results
}

// each is play for calls that may be blocked. If the client then ends its answer, each call is made
// in one of its own; "" is for a call of whose result the model is not told.
func (b *bench) each(t *testing.T, c client, calls ...toolCall) (results []string) {
	t.Helper()
	if !c.ends {
		return b.play(t, c, calls...)
	}
	for _, call := range calls {
		b.model.begin([]toolCall{call})
		cmd, _ := b.start(t, c, b.before)
		timer := time.AfterFunc(8*time.Minute, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait() // it may end with an error: the files and the questions are looked at
		timer.Stop()
		results = append(results, strings.Join(b.model.results(), ""))
	}
	return results
}

// start starts the client through another program, in a process group of its own, like a shell.
func (b *bench) start(t *testing.T, c client, before []string) (*exec.Cmd, *bytes.Buffer) {
	t.Helper()
	words := append(append(slices.Clone(before), b.seen(c.find(t))), c.argv...)
	cmd := b.command(t, words[0], words[1:]...)
	cmd.Env = append(append(cmd.Env, c.env...), b.model.env...)
	cmd.SysProcAttr.Setpgid = true
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, &out
}

// try checks that three commands are judged as they should be: one runs, one is denied, one waits
// for a person and runs when the same agent calls it again after the approval.
func (b *bench) try(t *testing.T, c client) {
	t.Helper()
	if got := b.play(t, c, c.tool("mkdir -p sub; cd sub; echo hello > ran; echo said 4'2'"))[0]; !strings.Contains(got, "said 42") {
		t.Errorf("an allowed command: %s", got)
	}
	if !b.exists("sub/ran") {
		t.Error("an allowed command did not run")
	}
	if log := b.ctl(t, "log", "--json"); !strings.Contains(log, "said 4'2'") {
		t.Errorf("the command is not in the log:\n%s", log)
	}
	if got := b.play(t, c, c.tool("touch never; cat ../closed/x"))[0]; !strings.Contains(got,
		"restricted_path") || strings.Contains(got, "secret\n") {
		t.Errorf("a denied command: %s", got)
	}
	if b.exists("never") {
		t.Error("a denied command ran")
	}
	again := c.tool("rm -r build")
	again.before = func() {
		if !b.exists("build/x") {
			t.Error("it ran before it was answered")
		}
		b.approve(t, "rm -r build")
	}
	// The first command of Codex may come before the snapshot of the shell is ready, and is then
	// made in another way.
	if got := b.play(t, c, c.tool("true"), c.tool("rm -r build"), again); !strings.Contains(got[1],
		"tadactl approve") || b.exists("build") {
		t.Errorf("a question: %s\nthe identical command after the yes: %s", got[1], got[2])
	}
	if got := b.ctl(t, "pending"); strings.TrimSpace(got) != "" {
		t.Errorf("the client's own housekeeping asks:\n%s", got)
	}
	b.ctl(t, "audit", "verify", "--complete")
}

func (b *bench) exists(name string) bool {
	_, err := os.Stat(filepath.Join(b.work, name))
	return err == nil
}

// A question waits for an answer.
type question struct {
	ID    string
	Hash  string `json:"plan_hash"`
	about string // as the list of them says it
}

func (b *bench) questions(t *testing.T) (list []question) {
	t.Helper()
	if text := b.ctl(t, "pending", "--json"); json.Unmarshal([]byte(text), &list) != nil {
		t.Fatalf("no list of questions:\n%s", text)
	}
	for line := range strings.Lines(b.ctl(t, "pending")) {
		for i := range list {
			if strings.HasPrefix(line, list[i].ID+" ") {
				_, about, _ := strings.Cut(line, `"`)
				list[i].about = strings.TrimRight(about, "\"\n")
			}
		}
	}
	return list
}

// approve approves the one question about a command, which must show the agent's own command first.
func (b *bench) approve(t *testing.T, command string) {
	t.Helper()
	list := slices.DeleteFunc(b.questions(t), func(q question) bool {
		// other connections of the client itself are questions of its session
		return len(b.before) > 0 && strings.HasPrefix(q.about, "connect ")
	})
	if len(list) != 1 {
		t.Errorf("not one question: %q", list)
		return
	}
	q := list[0]
	page, _, _ := strings.Cut(b.ctl(t, "show", q.ID), "every value by its name")
	if shownFirst(page) != command {
		t.Errorf("the agent's own command is not what is shown first:\n%s", page)
	}
	if n := strings.Count(page, "\n"); n > 30 {
		t.Errorf("%d lines are shown for one short command:\n%s", n, page)
	}
	b.person(t, "approve", "--plan", q.Hash, q.ID)
}

// shownFirst is the command that a page shows first: the agent's own, or what runs. It is behind
// its label, in several lines where it has several stages or is long.
func shownFirst(page string) string {
	first, found := "", false
	for line := range strings.Lines(page) {
		label, text, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch {
		case !found && label != "agent's" && label != "run":
			continue
		case found && label != "":
			return first
		}
		found = true
		text = strings.TrimLeft(text, " ")
		for _, gutter := range []string{"│ ", "┊ "} {
			if number, rest, ok := strings.Cut(text, gutter); ok &&
				strings.Trim(number, "0123456789") == "" {
				text = rest
			}
		}
		first += strings.NewReplacer("⟪", "", "⟫", "").Replace(text)
	}
	return first
}

// approveFirst approves one of the questions.
func (b *bench) approveFirst(t *testing.T) {
	t.Helper()
	list := b.questions(t)
	if len(list) == 0 {
		t.Fatal("no question")
	}
	b.person(t, "approve", "--plan", list[0].Hash, list[0].ID)
}

// needClients skips the test unless the programs were asked for and the machine has namespaces.
func needClients(t *testing.T) {
	t.Helper()
	if os.Getenv("TEST_CLIENTS") == "" {
		t.Skip("starts agent programs that are installed on this machine; to run it: make test-clients")
	}
}

// TestClients runs the installed agent programs, with the hook, against a model on loopback that
// asks for one command at a time, and checks that each is judged, run, recorded, asked about or
// blocked. make test-clients.
func TestClients(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		if !c.hooked() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "/bin/bash")
			if c.name == "qwen" { // its hook can block a command, and cannot change it
				b.shell(t, c)
			}
			t.Log(b.ctl(t, "hook", "install", c.name))
			b.try(t, c)
			if log := b.ctl(t, "log", "--json"); !strings.Contains(log, "?"+c.name) {
				t.Errorf("the log does not say who asked:\n%s", log)
			}
			if os.Getenv("TEST_CLIENTS") == "witness" {
				t.Log(b.model.requests())
			}
		})
	}
}

func clientNamed(name string) client {
	return clients[slices.IndexFunc(clients, func(c client) bool { return c.name == name })]
}
