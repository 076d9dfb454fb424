package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The same command of an agent must result in the same plan, whichever way it comes. A program has
// these ways: its shell is tada-run, its hook asks, both, or it calls the tool of a server.

// A caller is one agent's program with its ways: how it calls its shell, as that was captured, and
// what else it sends.
type caller struct {
	name   string
	shell  string // the text that it gives its shell, for the command "COMMAND"
	event  object
	marks  []string
	called string // to a server
}

type object = map[string]any

// captured is the command that has no quotes of its own in the texts of testdata/clients.
const captured = "make -j2 && ls -l | head -3"

func callers(t *testing.T) (list []caller) {
	t.Helper()
	list = []caller{
		{name: "claude-code", event: bashEvent("PreToolUse", "Bash"),
			marks: []string{"CLAUDECODE=1", "CLAUDE_CODE_SESSION_ID=ID",
				"CLAUDE_CODE_SSE_PORT=PORT", "AI_AGENT=claude-code_VERSION_harness"},
			called: "claude-code"},
		{name: "codex", event: bashEvent("PreToolUse", "Bash"),
			marks: []string{"CODEX_CI=1", "CODEX_SESSION_ID=ID", "CODEX_THREAD_ID=ID",
				"CODEX_TOOL_CALL_ID=CALL", "CODEX_VERSION=VERSION"}, called: "codex-mcp-client"},
		{name: "opencode", event: object{"hook_event_name": "tool.execute.before", "tool": "bash",
			"sessionID": "ID", "callID": "CALL", "args": object{"command": "COMMAND"}},
			marks: []string{"OPENCODE=1", "AGENT=1", "OPENCODE_PID=PORT",
				"npm_config_user_agent=opencode/VERSION bun/1.VERSION linux x64"},
			called: "opencode"},
		{name: "gemini", event: bashEvent("BeforeTool", "run_shell_command"),
			marks:  []string{"GEMINI_CLI=1", "GEMINI_SESSION_ID=ID"},
			called: "gemini-cli-mcp-client"},
		{name: "qwen", event: bashEvent("PreToolUse", "run_shell_command"),
			marks: []string{"QWEN_CODE=1", "QWEN_SESSION_ID=ID"}, called: "qwen-cli-mcp-client"},
		{name: "copilot", event: bashEvent("PreToolUse", "Bash"),
			marks:  []string{"COPILOT_CLI=1", "COPILOT_AGENT_SESSION_ID=ID"},
			called: "github-copilot-developer"},
	}
	for i := range list {
		texts := shellTexts(t, list[i].name)
		list[i].shell = texts[len(texts)-1]
	}
	return list
}

func bashEvent(event, tool string) object {
	return object{"hook_event_name": event, "session_id": "ID", "tool_use_id": "CALL",
		"tool_name": tool, "tool_input": object{"command": "COMMAND"}}
}

// shellTexts are what the versions of a program wrote, each once and the newest last, with COMMAND
// for the command.
func shellTexts(t *testing.T, client string) (list []string) {
	t.Helper()
	for _, version := range captures(t, client) {
		found := false
		for _, text := range version.texts() {
			if strings.Contains(text, captured) {
				text = strings.ReplaceAll(text, captured, "COMMAND")
				list = append(slices.DeleteFunc(list,
					func(other string) bool { return other == text }), text)
				found = true
				break
			}
		}
		if !found && len(version.Shell) > 0 { // some use only their own shell
			t.Fatalf("the capture of %s %v has no %q", client, version.Versions, captured)
		}
	}
	return list
}

// A variation is what differs between calls, starts and versions of a program, and has no effect on
// what a command does.
type variation struct{ ID, Call, Version, Tmp, Port, Name string }

var variations = []variation{
	{"01a209e1-c675-7173-9372-c0fb1b355e8e", "toolu_01AAAA", "2.1.330", "/tmp", "40001", "1a2b"},
	{"11b309e1-d675-8173-a372-d0fb1b355e8f", "call_7", "2.2.0", "/tmp/claude-1000", "51234",
		"ffe0"},
}

func (v variation) in(text string) string {
	return strings.NewReplacer("=ID", "="+v.ID, `"ID"`, `"`+v.ID+`"`, "CALL", v.Call, "VERSION",
		v.Version, "PORT", v.Port).Replace(text)
}

// made are the names in a text that a program invents.
var made = pattern(`claude-[0-9a-f]{4}-cwd|gemini-shell-[0-9A-Za-z]{6}|snapshot-bash-[0-9]+-[0-9a-z]+|[0-9a-f-]{36}\.[0-9]{19}`)

// wrap returns the text for a command, with the names that a program invents.
func (c caller) wrap(p *office, v variation, command string) string {
	if i := strings.Index(c.shell, "COMMAND"); i > 0 && c.shell[i-1] == '\'' {
		command = strings.ReplaceAll(command, "'", `'"'"'`)
	}
	text := made().ReplaceAllStringFunc(c.shell, func(name string) string {
		switch {
		case strings.HasPrefix(name, "claude-"):
			return "claude-" + v.Name + "-cwd"
		case strings.HasPrefix(name, "gemini-"):
			return "gemini-shell-x" + v.Name + "Z"
		case strings.HasPrefix(name, "snapshot-"):
			return "snapshot-bash-" + v.Port + "-" + v.Name + "ab"
		}
		return v.ID + "." + "17954621210858829" + v.Port[:2]
	})
	return strings.NewReplacer("/base/bin", filepath.Dir(p.link()), "/base/h", p.home,
		"/tmp/claude-", v.Tmp+"/claude-", "COMMAND", command).Replace(text)
}

// environ is the environment of the program's commands.
func (c caller) environ(v variation) (env []string) {
	for _, mark := range c.marks {
		env = append(env, v.in(mark))
	}
	return append(env, "TMPDIR="+v.Tmp)
}

// An office is where an agent's program works for a person: a workspace, with the program's files
// in the home.
type office struct {
	*place
	home string
	mask string // what the program was started behind
}

// A door runs the command of an agent, and returns what the model receives.
type door struct {
	name string
	run  func(p *office, c caller, v variation, command string) string
}

var doors = []door{
	{"shell", func(p *office, c caller, v variation, command string) string {
		return p.as(c, v, p.link(), "-c", c.wrap(p, v, command))
	}},
	{"hook", func(p *office, c caller, v variation, command string) string {
		line, refused := p.hooked(c, v, command)
		if refused != "" {
			return refused
		}
		if line == command { // it found the shell that sandboxes the command
			return p.as(c, v, p.link(), "-c", c.wrap(p, v, line))
		}
		return p.as(c, v, "/bin/bash", "-c",
			strings.ReplaceAll(c.wrap(p, v, line), p.link(), "/bin/bash"))
	}},
	{"both", func(p *office, c caller, v variation, command string) string {
		line, refused := p.hooked(c, v, command)
		if refused != "" {
			return refused
		}
		return p.as(c, v, p.link(), "-c", c.wrap(p, v, line))
	}},
	{"server", func(p *office, c caller, v variation,
		command string) string {
		return p.served(c, v, command)
	}},
}

func (p *office) link() string { return filepath.Join(filepath.Dir(p.state), "bin", "bash") }

// as runs a program as the agent's program would, without input.
func (p *office) as(c caller, v variation, argv ...string) string {
	p.t.Helper()
	cmd := p.command("")
	if cmd.Path, cmd.Args = argv[0], argv; p.mask != "" {
		cmd = p.command(p.mask + `exec "$0" "$@"`)
		cmd.Args = append(cmd.Args, argv...)
	}
	cmd.Env = append(slices.Clone(p.env), c.environ(v)...)
	out, _ := cmd.CombinedOutput()
	return string(out)
}

// hooked asks the hook, and returns the line that it goes on with, or the refusal.
func (p *office) hooked(c caller, v variation, command string) (line, refused string) {
	p.t.Helper()
	raw, _ := json.Marshal(c.event)
	var event object
	if err := json.Unmarshal([]byte(v.in(string(raw))), &event); err != nil {
		p.t.Fatal(err)
	}
	event["cwd"] = p.dir
	for _, name := range []string{"tool_input", "args"} {
		if args, ok := event[name].(object); ok {
			args["command"] = command
		}
	}
	raw, _ = json.Marshal(event)
	cmd := p.command("tadactl hook run " + c.name)
	cmd.Env, cmd.Stdin = append(slices.Clone(p.env), c.environ(v)...),
		strings.NewReader(string(raw))
	out, err := cmd.Output()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		told := string(failed.Stderr)
		_, lines, instead := strings.Cut(told, "as one command:\n") // and the model runs them
		lines, _, _ = strings.Cut(lines, "\naudit=")
		return lines, map[bool]string{false: told}[instead]
	}
	found := changed().FindSubmatch(out)
	if found == nil {
		return command, ""
	}
	if err := json.Unmarshal(found[1], &line); err != nil {
		p.t.Fatal(err)
	}
	return line, ""
}

var changed = pattern(`"command":("(?:[^"\\]|\\.)*")`)

// served lets a server run the command.
func (p *office) served(c caller, v variation, command string) string {
	p.t.Helper()
	var in strings.Builder
	for i, call := range []object{
		{"method": "initialize", "params": object{"protocolVersion": "2025-06-18",
			"capabilities": object{},
			"clientInfo":   object{"name": c.called, "version": v.Version}}},
		{"method": "notifications/initialized"},
		{"method": "tools/call", "params": object{"name": "run_command",
			"arguments": object{"command": command, "call_id": v.Call}}},
	} {
		call["jsonrpc"] = "2.0"
		if i != 1 {
			call["id"] = i
		}
		raw, _ := json.Marshal(call)
		fmt.Fprintf(&in, "%s\n", raw)
	}
	r, w, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	defer r.Close()
	cmd := p.command("tadactl mcp")
	cmd.Env, cmd.Stdin = append(slices.Clone(p.env), c.environ(v)...), r
	out, err := cmd.StdoutPipe()
	if err != nil {
		p.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	_, _ = w.WriteString(in.String())
	told := json.NewDecoder(out)
	var answer string
	for {
		var m struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := told.Decode(&m); err != nil {
			answer = err.Error()
			break
		}
		if m.ID != nil && *m.ID == 2 {
			answer = string(m.Result) + string(m.Error)
			break
		}
	}
	w.Close()
	_ = cmd.Wait()
	return answer
}

// newDoors returns a place with the programs as they are installed, and something about which a
// person is asked. The home contains what the agent's program saved at its start.
func newDoors(t *testing.T) *office {
	t.Helper()
	p := &office{place: newPlace(t).asking()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tada-run", "tadactl"} {
		// the hook looks for the one beside the other
		path := filepath.Join(filepath.Dir(p.link()), name)
		if err := errors.Join(os.Remove(path), linkOrCopy(self, path)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("tada-run", p.link()); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{".git", "build"} {
		write(t, filepath.Join(p.dir, dir, "x"), "")
	}
	// Commands may write to folders for temporary files, so what was saved in such a home would
	// count as untrusted. This home is no such folder.
	account, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		t.Fatal(err)
	}
	if p.home, err = os.MkdirTemp(account.HomeDir, "tada-doors-"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(p.home) })
	p.env = append(p.env, "HOME="+p.home)
	return p
}

// question returns the only open plan; hash is "" if there are more.
func (p *office) question() (id, hash string) {
	p.t.Helper()
	var list []struct {
		ID   string
		Hash string `json:"plan_hash"`
	}
	if text := p.run("tadactl pending --json"); json.Unmarshal([]byte(text), &list) != nil {
		p.t.Fatal(text)
	}
	if len(list) != 1 {
		return "", ""
	}
	return list[0].ID, list[0].Hash
}

// What the versions of a program put around a command does not change its plan: all of them ask the
// same question.
func TestVersions(t *testing.T) {
	t.Parallel()
	for _, c := range callers(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newDoors(t)
			write(t, filepath.Join(p.dir, "build/x"), "")
			for i, text := range shellTexts(t, c.name) {
				c.shell = text
				if said := doors[0].run(p, c, variations[i%2],
					"rm -r build"); !strings.Contains(said, "tadactl approve") {
					t.Errorf("%s\ndoes not ask: %s", text, said)
				}
				if _, hash := p.question(); hash == "" {
					t.Fatalf("%s\nasks another question:\n%s", text, p.run("tadactl pending"))
				}
			}
		})
	}
}

// The same command results in the same plan, whatever differs between calls: asked one way, it runs
// once in another, and then asks again.
func TestDoors(t *testing.T) {
	t.Parallel()
	const command = "rm -r build"
	for _, c := range callers(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newDoors(t)
			for i, asks := range doors {
				write(t, filepath.Join(p.dir, "build/x"), "")
				var id, hash string
				for k := range doors { // all of them ask the one question
					d, v := doors[(i+k)%len(doors)], variations[k%2]
					if said := d.run(p, c, v, command); !strings.Contains(said, "tadactl approve") {
						t.Fatalf("%s does not ask: %s", d.name, said)
					}
					if id, hash = p.question(); hash == "" {
						t.Fatalf("%s asks another question than %s:\n%s", d.name, asks.name,
							p.run("tadactl pending"))
					}
				}
				if out := p.answered("tadactl approve --plan " + hash + " " +
					id); strings.Contains(out, "tada-run:") {
					t.Fatal(out)
				}
				runs := doors[(i+1)%len(doors)]
				if said := runs.run(p, c, variations[i%2], command); strings.Contains(said,
					"tadactl") || p.exists("build") {
					t.Errorf("asked by %s, answered, and %s: %s", asks.name, runs.name, said)
				}
			}
			if out := p.run("tadactl audit verify --complete; echo status $?"); !strings.Contains(out, "status 0") {
				t.Error(out)
			}
		})
	}
}

// Anything that can change what a command does results in another plan, in the same way of calling.
func TestDoorsBindWhatMatters(t *testing.T) {
	t.Parallel()
	c := callers(t)[0]
	const command = "rm -r build"
	for name, change := range map[string]func(*office){
		"PATH": func(p *office) {
			p.env = append(p.env, "PATH="+os.Getenv("PATH")+":/opt/other")
		},
		"a variable": func(p *office) { p.env = append(p.env, "GIT_DIR=other") },
		"a folder":   func(p *office) { p.dir = filepath.Join(p.dir, "sub") },
		"umask":      func(p *office) { p.mask = "umask 077; " },
		"TMPDIR":     func(p *office) { p.env = append(p.env, "TMP=/opt/other") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newDoors(t)
			write(t, filepath.Join(p.dir, "sub/build/x"), "")
			if said := doors[0].run(p, c, variations[0], command); !strings.Contains(said,
				"tadactl approve") {
				t.Fatal(said)
			}
			id, _ := p.question()
			change(p)
			if said := doors[0].run(p, c, variations[0], command); !strings.Contains(said,
				"tadactl approve") || strings.Contains(said, id) {
				t.Errorf("the same question: %s", said)
			}
		})
	}
}

func (p *office) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(p.dir, name))
	return err == nil
}

// A command that no shell can read gets the shell's own error, in every way of calling and in a
// session too: nothing would run, so no question is asked.
func TestDoorsTellMistakes(t *testing.T) {
	t.Parallel()
	need(t, "perl")
	for _, c := range callers(t) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := newDoors(t)
			for _, d := range doors {
				for _, command := range []string{"if then", "eval 'if then'",
					"touch ran\nif then"} {
					if said := d.run(p, c, variations[0], command); !strings.Contains(said,
						"syntax error") || strings.Contains(said, "denied") || p.exists("ran") {
						t.Errorf("%s, %q: %s", d.name, command, said)
					}
				}
			}
			// not a script that policy reads
			program(t, filepath.Join(p.dir, "agent"), "#!/usr/bin/perl\nexec('./ask');\n")
			program(t, filepath.Join(p.dir, "ask"),
				"#!/bin/sh\ntada-run 'if then'; echo status $?; tada-run \"eval 'if then'\"; echo status $?; "+quoteArg(p.link())+" -c "+quoteArg(c.wrap(p, variations[0], "if then"))+"\n")
			said := p.run("tada-run --session -- ./agent < /dev/null")
			if strings.Count(said, "syntax error") < 3 || strings.Count(said, "status 2") != 2 ||
				strings.Contains(said, "denied") {
				t.Errorf("in a session: %s", said)
			}
			if out := p.run("tadactl pending"); strings.TrimSpace(out) != "" {
				t.Errorf("it asks: %s", out)
			}
		})
	}
}

func quoteArg(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
