package settings

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/integration/hermetic"
)

var registered = Hook{Ctl: "/opt/t/tadactl", Each: 10 * time.Second}

func place(t testing.TB, name string) Place {
	t.Helper()
	p, ok := Of(name)
	if !ok {
		t.Fatalf("no platform %q", name)
	}
	return p
}

// written are documents as people leave them.
var written = []string{
	"{}\n",
	"{\"a\":1}",
	"{\n\t\"z\": [1, 2,   3],\n\t\"a\": {\"b\": \"\\u00e9 // no comment\"},\n\t\"n\": 1e400\n}\n",
	`{"hooks":{"PostToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"mine"}]}]},"env":{}}`,
	"{\n  \"hooks\": {\n    \"PreToolUse\": [\n      {\n        \"matcher\": \"Bash\",\n" +
		"        \"hooks\": [ {\"type\":\"command\",\"command\":\"mine && hook run\"} ]\n" +
		"      }\n    ]\n  }\n}",
	`{"hooks":{"BeforeTool":[{"hooks":[]}],"PreToolUse":[{"hooks":[]}],"preToolUse":[{"command":"x"}]},"version":1}`,
	"  {  }  ",
	"",
	" \n",
	"// nothing yet\n",
	"// nothing yet",
	"\xef\xbb\xbf{\r\n  \"a\": 1, // one\r\n  /* two */\r\n}\r\n",
	"{\n  // mine\n  \"hooks\": {\"PreToolUse\": [ ], \"BeforeTool\": [ /* none */ ], \"preToolUse\": []},\n  \"env\": { }, // empty\n}\n",
	"{\"env\": {\"CLAUDE_CODE_SHELL\": \"/bin/zsh\", \"B\": \"b\"}, \"shell\": \"/bin/zsh\", \"$schema\": \"mine\", \"$version\": 3}",
	"{\"hooks\": null, \"env\": null, \"shell\": null}",
	"{\"hooks\": {\"PreToolUse\": null}, \"env\": {\"CLAUDE_CODE_SHELL\": null}}",
	"{ // last\n}",
	"{ /* a */ \"a\": 1 /* b */ , /* c */ }",
}

// What is not ours keeps every byte, and removing ours restores what was there.
func TestRoundTrip(t *testing.T) {
	for _, text := range written {
		for _, d := range doors {
			with, err := d.install([]byte(text))
			if err != nil {
				t.Errorf("%s, %q: %v", d.name, text, err)
				continue
			}
			if !d.in(with) {
				t.Errorf("%s, %q became %q", d.name, text, with)
			}
			if again, err := d.install(with); err != nil || !bytes.Equal(again, with) {
				t.Errorf("%s: a second time changes %q to %q, %v", d.name, with, again, err)
			}
			without, err := d.uninstall(with, []byte(text))
			if err != nil || string(without) != text && !(text == "" && without == nil) {
				t.Errorf("%s, %q by way of %q: back to %q, %v", d.name, text, with, without, err)
			}
			if same, err := d.uninstall([]byte(text), nil); err != nil ||
				!bytes.Equal(same, []byte(text)) {
				t.Errorf("%s: what was never in %q is taken out: %q, %v", d.name, text, same, err)
			}
		}
	}
}

// A registration by another copy is found, and replaced.
func TestRegistrationMoves(t *testing.T) {
	for _, text := range written {
		for _, p := range places() {
			if len(p.lists) == 0 {
				// a file of our own, which is not merged with another: TestNewFile,
				// TestPluginThrows
				continue
			}
			p.reads = syntax{true, true, true}
			with, err := p.Install([]byte(text), registered)
			if s, stateErr := p.State(with, registered); s != Complete || stateErr != nil ||
				err != nil {
				t.Errorf("%s, %q: %s, %v, %v", p.Platform, with, s, stateErr, err)
			}
			moved := registered
			moved.Ctl = "/usr/bin/tadactl"
			if s, err := p.State(with, moved); s != Other || err != nil {
				t.Errorf("%s elsewhere: %s, %v", p.Platform, s, err)
			}
			other, err := p.Install(with, moved)
			if err != nil || bytes.Count(other, []byte("hook run "+p.Platform)) != len(p.lists) {
				t.Errorf("%s: two registrations: %q, %v", p.Platform, other, err)
			}
			without, err := p.Uninstall(other, nil)
			if s, stateErr := p.State(without, registered); s != Missing || stateErr != nil ||
				err != nil {
				t.Errorf("%s taken out of %q: %q, %s, %v, %v", p.Platform, other, without, s,
					stateErr, err)
			}
		}
	}
}

func TestNewFile(t *testing.T) {
	for _, p := range places() {
		with, err := p.Install(nil, Hook{Ctl: "/o p/tada'ctl", Home: "/s t", Wait: 90 * time.Second,
			Each: 10 * time.Second})
		if err != nil || len(with) == 0 {
			t.Fatalf("%s: %v", p.Platform, err)
		}
		if len(p.lists) > 0 &&
			(!json.Valid(with) || !bytes.Contains(with,
				[]byte(`'/o p/tada'\\''ctl' hook run '--home=/s t' --wait=1m30s `+p.Platform+
					` || exit 2`))) {
			t.Errorf("%s: %s", p.Platform, with)
		}
		if s, err := p.State(with,
			Hook{Ctl: "/o p/tada'ctl", Home: "/s t", Each: 10 * time.Second}); s != Complete ||
			err != nil {
			t.Errorf("%s: however long it waits: %s, %v", p.Platform, s, err)
		}
		if p.patience == 0 && !bytes.Contains(with, []byte("120")) {
			t.Errorf("%s: the platform would give up before the decision: %s", p.Platform, with)
		}
	}
}

// Nothing is installed in a file that a platform cannot read, and the error says where the problem
// is: the platform would ignore the whole file.
func TestUnread(t *testing.T) {
	for text, has := range map[string]syntax{
		"{\n}": {}, "{\n  // mine\n}": {comments: true}, "{\n  \"a\": 1,\n}": {lastCommas: true},
		"\xef\xbb\xbf{}":          {byteOrderMark: true},
		"\xef\xbb\xbf{ /* a */ }": {byteOrderMark: true, comments: true},
	} {
		for _, p := range places() {
			if len(p.lists) == 0 {
				continue // a plugin
			}
			reads := (p.reads.comments || !has.comments) &&
				(p.reads.lastCommas || !has.lastCommas) &&
				(p.reads.byteOrderMark || !has.byteOrderMark)
			_, err := p.Install([]byte(text), registered)
			if reads != (err == nil) || err != nil && !errors.Is(err, ErrUnread) {
				t.Errorf("%s, %q: %v", p.Platform, text, err)
			}
			with, err := p.install([]byte(text), registered)
			if s, stateErr := p.State(with, registered); err != nil || (stateErr == nil) != reads {
				t.Errorf("%s, %q: %s, %v, %v", p.Platform, with, s, stateErr, err)
			}
		}
	}
	p := place(t, "claude-code")
	if _, err := p.Install([]byte("{\n  \"a\": 1, // mine\n}"), registered); err == nil ||
		!strings.Contains(err.Error(), "comments (line 2)") {
		t.Errorf("%v", err)
	}
	for _, text := range []string{"{ // mine\n}", "\xef\xbb\xbf{\"a\": 1,}"} {
		shell, _ := ShellOf("opencode")
		if _, err := shell.Install([]byte(text), "/l/bash"); err != nil {
			t.Errorf("opencode, %q: %v", text, err)
		}
	}
	shell, _ := ShellOf("claude-code")
	if _, err := shell.Install([]byte("{ // mine\n}"), "/l/bash"); !errors.Is(err, ErrUnread) {
		t.Errorf("%v", err)
	}
}

// A file that programs read differently, or with something else where the hook belongs, is left
// unchanged.
func TestLeftAsItIs(t *testing.T) {
	for _, text := range []string{
		`{"a":1,,}`, `{,}`, `{"a":1,"a":2}`, "{} // a\rb\n", "{} /* a", "[]", "null",
		`{"hooks":[]}`, `{"hooks":{"PreToolUse":{}}}`, `{"hooks":{"PreToolUse":"x"}}`,
		`{"hooks":7}`, "{", "{\"a\": tr/**/ue}", "'a'",
	} {
		p := place(t, "claude-code")
		if out, err := p.Install([]byte(text), registered); err == nil {
			t.Errorf("%q became %q", text, out)
		} else if _, structure := parse([]byte(text)); structure != nil &&
			!errors.Is(err, ErrNotJSON) || structure == nil && !errors.Is(err, ErrUnread) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// FuzzInstall: every accepted file has the hook in it afterwards, and is the same bytes when the
// hook is removed.
func FuzzInstall(f *testing.F) {
	for _, seed := range append(written,
		`{"hooks":{"PreToolUse":[{"hooks":[{"command":"x tadactl hook run codex || exit 2"}]},1]}}`,
		`{"a":"\\\""}`, "{\"hooks\":{\"PreToolUse\":[{}\n//\n]}}") {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p := place(t, "codex")
		p.reads = syntax{true, true, true}
		with, err := p.Install(data, registered)
		if err != nil {
			return
		}
		if s, err := p.State(with, registered); err != nil || s != Complete {
			t.Fatalf("%q became %q: %s, %v", data, with, s, err)
		}
		without, err := p.Uninstall(with, data)
		if err != nil {
			t.Fatalf("%q: %v", with, err)
		}
		if s, err := p.State(without, registered); err != nil || s != Missing {
			t.Fatalf("%q became %q: %s, %v", with, without, s, err)
		}
		if s, err := p.State(data, registered); err == nil && s == Missing &&
			!bytes.Equal(without, data) {
			t.Fatalf("%q came back as %q", data, without)
		}
	})
}

// D-adapt-2: OpenCode's plugin throws to block, and whatever goes wrong throws.
func TestPluginThrows(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the plugin is not tried")
	}
	dir := t.TempDir()
	for _, test := range []struct{ hook, want string }{
		{`printf '{"decision":"go","args":{"command":"wrapped"}}'`, "ran wrapped"},
		{`echo 'tada-run: denied (x): no' >&2; exit 2`, "Tool blocked: tada-run: denied (x): no"},
		{`printf '{"decision":"block","reason":"because"}'`, "Tool blocked: because"},
		{`exit 1`, "Tool blocked: tada-run ended with status 1"},
		{`exit 0`, "Tool blocked: tada-run gave no answer"},
		{`echo '{'`, "Tool blocked: tada-run gave no answer"},
		{`echo null`, "Tool blocked"},
		{`echo '{"decision":"go"}'`, "Tool blocked"},
		{`kill -9 $$`, "Tool blocked: tada-run ended with status null"},
		{`exec sleep 60`, "Tool blocked: tada-run did not answer in time"},
		{"", "Tool blocked: spawn"},
	} {
		ctl := filepath.Join(dir, "tadactl")
		_ = os.Remove(ctl)
		if test.hook != "" {
			if err := hermetic.WriteProgram(ctl, []byte("#!/bin/sh\n"+test.hook+"\n"),
				0o700); err != nil {
				t.Fatal(err)
			}
		}
		text := place(t, "opencode").whole(Hook{Ctl: ctl, Each: 10 * time.Second})
		if strings.HasPrefix(test.hook, "exec sleep") {
			text = strings.Replace(text, "30000", "50", 1)
		}
		if err := os.WriteFile(filepath.Join(dir, "p.mjs"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(node, "--input-type=module", "-e", `
			import { TadaRun } from "./p.mjs"
			const hooks = await TadaRun({ directory: "/w" })
			const output = { args: { command: "ls" } }
			try {
				await hooks["tool.execute.before"]({ tool: "bash", sessionID: "s", callID: "c" }, output)
				console.log("ran " + output.args.command)
			} catch (e) { console.log(e.message) }
			process.exit(0)`)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.HasPrefix(string(out), test.want) {
			t.Errorf("%q: %s (%v), want %q", test.hook, out, err, test.want)
		}
	}
}

// D-adapt-2: pi's extension sends every name that pi would try for the one that the tool was given,
// and throws, which blocks, unless the answer is to go on.
func TestExtensionOfPi(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the extension is not tried")
	}
	dir := t.TempDir()
	ctl := filepath.Join(dir, "tadactl")
	for _, test := range []struct{ path, hook, want string }{
		{"a/b", `printf '{"decision":"go","args":{"path":"c"}}'`, `"path":["a/b"] c`},
		{"@~/x\u00a0y", `printf '{"decision":"go","args":{}}'`, "\"path\":[\"~/x y\"] @~/x\u00a0y"},
		{"it's 1 PM.\u00e9", `printf '{"decision":"go","args":{"path":"c"}}'`,
			"\"path\":[\"it's 1 PM.\u00e9\",\"it's 1\u202fPM.\u00e9\",\"it's 1 PM.e\u0301\"," +
				"\"it\u2019s 1 PM.\u00e9\",\"it\u2019s 1 PM.e\u0301\"] c"},
		{"a", `printf '{"decision":"block","reason":"because"}'`,
			`"path":["a"] Tool blocked: because`},
		{"a", `exit 1`, `"path":["a"] Tool blocked: tada-run ended with status 1`},
	} {
		if err := hermetic.WriteProgram(ctl, []byte("#!/bin/sh\ncat > "+dir+"/sent\n"+
			test.hook+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		text := place(t, "pi").whole(Hook{Ctl: ctl, Each: 10 * time.Second})
		if err := os.WriteFile(filepath.Join(dir, "p.mjs"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(node, "--input-type=module", "-e", `
			import load from "./p.mjs"
			import { readFileSync } from "node:fs"
			const event = { toolName: "read", toolCallId: "c", input: { path: process.argv[1] } }
			const ctx = { cwd: "/w", sessionManager: { getSessionId: () => "s" } }
			let handler
			load({ on: (_, h) => (handler = h) })
			let got
			try {
				await handler(event, ctx)
				got = event.input.path
			} catch (e) { got = e.message }
			const sent = readFileSync("sent", "utf8")
			console.log(/"path":\[.*\]/.exec(sent)[0] + " " + got)`, test.path)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != test.want {
			t.Errorf("%q: %s (%v), want %q", test.path, got, err, test.want)
		}
	}
}

func TestShellPlaces(t *testing.T) {
	for _, test := range []struct{ platform, before, want string }{
		{"opencode", "", "{\n  \"shell\": \"/l/bash\",\n" +
			"  \"$schema\": \"https://opencode.ai/config.json\"\n}\n"},
		{"opencode", `{"shell":"/bin/zsh","$schema":"x"}`, `{"shell":"/l/bash","$schema":"x"}`},
		{"opencode", `{"$schema":"x","shell":"/l/bash"}`, `{"$schema":"x","shell":"/l/bash"}`},
		{"opencode", `{"shell":7}`, ""},
		{"opencode", "{ // mine\n}",
			"{ // mine\n  \"shell\": \"/l/bash\",\n" +
				"  \"$schema\": \"https://opencode.ai/config.json\"\n}"},
		{"claude-code", `{"env":{"A":"b"}}`,
			"{\"env\":{\"A\":\"b\",\n    \"CLAUDE_CODE_SHELL\": \"/l/bash\"}}"},
		{"claude-code", `{"env":[]}`, ""},
	} {
		p, ok := ShellOf(test.platform)
		if !ok {
			t.Fatal(test.platform)
		}
		got, err := p.Install([]byte(test.before), "/l/bash")
		if string(got) != test.want && err == nil || (err == nil) != (test.want != "") {
			t.Errorf("%s %q: %q, %v; want %q", test.platform, test.before, got, err, test.want)
			continue
		}
		if err != nil {
			continue
		}
		if installed, err := p.Installed(got, "/l/bash"); !installed || err != nil {
			t.Errorf("%q: %v, %v", got, installed, err)
		}
		without, err := p.Uninstall(got, "/l/bash", nil)
		if installed, _ := p.Installed(without, "/l/bash"); installed || err != nil {
			t.Errorf("%q: back to %q, %v", got, without, err)
		}
		if other, err := p.Uninstall(got, "/other/bash", nil); err != nil ||
			!bytes.Equal(other, got) {
			t.Errorf("a shell that is not ours is taken out: %q, %v", other, err)
		}
	}
	for _, name := range []string{"gemini", "codex"} {
		if p, ok := ShellOf(name); !ok || p.HasSetting() ||
			!strings.Contains(p.Advice("/l", "/r/tada-run"), "/") ||
			strings.Contains(p.Advice("/l", "/r"), "FOLDER") {
			t.Errorf("%s: %v %v", name, p, ok)
		}
	}
}
