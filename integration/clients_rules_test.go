package integration

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// clientRules say for each client how a person forbids touch and wants to be asked about mkdir, at
// each level of its settings. A file below ETC is the machine's.
var clientRules = map[string]struct {
	levels map[string]map[string]string // by level, what files there are with which text
	// it asks a person who is not there, so nothing runs; otherwise the session ends
	asks bool
	// instead of the client's own words, which drop the rules; with these a denial ends its answer
	argv []string
}{
	"claude-code": {asks: true, levels: map[string]map[string]string{
		"user":    {"h/.claude/settings.json": claudeRules},
		"project": {"w/.claude/settings.json": claudeRules},
		"local":   {"w/.claude/settings.local.json": claudeRules},
		"managed": {"etc/claude-code/managed-settings.json": claudeRules},
	}},
	"codex": {asks: true, levels: map[string]map[string]string{
		"user": {"h/.codex/rules/default.rules": codexRules},
		"project": {"w/.codex/rules/default.rules": codexRules,
			"h/.codex/config.toml": "[projects.\"WORK\"]\ntrust_level = \"trusted\"\n"},
		"managed": {"etc/codex/rules/default.rules": codexRules},
	}},
	"opencode": {levels: map[string]map[string]string{
		"user":    {"h/.config/opencode/opencode.jsonc": openCodeRules},
		"project": {"w/opencode.json": openCodeRules},
		"managed": {"etc/opencode/opencode.json": openCodeRules},
	}},
	"kilo": {levels: map[string]map[string]string{
		"user":    {"h/.config/kilo/kilo.jsonc": openCodeRules},
		"project": {"w/kilo.json": openCodeRules},
		"managed": {"etc/kilo/kilo.json": openCodeRules},
	}},
	"gemini": {asks: true, levels: map[string]map[string]string{ // takes none from a project
		"user":    {"h/.gemini/policies/own.toml": geminiRules},
		"managed": {"etc/gemini-cli/policies/own.toml": geminiRules},
	}},
	"qwen": {levels: map[string]map[string]string{ // as --yolo it runs what it would ask about
		"user":    {"h/.qwen/settings.json": qwenRules},
		"project": {"w/.qwen/settings.json": qwenRules},
		"managed": {"etc/qwen-code/settings.json": qwenRules},
	}},
	"droid": {levels: map[string]map[string]string{
		"user":    {"h/.factory/settings.json": droidRules},
		"project": {"w/.factory/settings.json": droidRules},
		"managed": {"etc/factory/settings.json": droidRules},
	}},
	"continue-cli": {argv: []string{"-p", "go"}, levels: map[string]map[string]string{
		"user": {"h/.continue/permissions.yaml": continueRules},
	}},
	// Copilot CLI takes rules only from its command line: TestClientsGivenRules.
}

const (
	qwenRules     = `{"permissions":{"deny":["Bash(touch *)"],"ask":["Bash(mkdir *)"]}}`
	claudeRules   = `{"permissions":{"deny":["Bash(touch:*)"],"ask":["Bash(mkdir:*)"]}}`
	openCodeRules = `{"permission":{"bash":{"*":"allow","touch *":"deny","mkdir *":"ask"}}}`
	codexRules    = "prefix_rule(pattern=[\"touch\"], decision=\"forbidden\")\n" +
		"prefix_rule(pattern=[\"mkdir\"], decision=\"prompt\")\n"
	droidRules    = `{"commandBlocklist":["touch"]}`
	continueRules = "exclude:\n  - Bash(*touch*)\nallow:\n  - Bash\n"
	geminiRules   = "[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"touch\"\n" +
		"decision = \"deny\"\npriority = 900\n" +
		"[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = \"mkdir\"\n" +
		"decision = \"ask_user\"\npriority = 900\n"
)

// C1: in every way of calling the client's own rules hold as without us, at every level of its
// settings: what they deny or ask about does not run, and what they do not name runs through
// tada-run. make test-clients.
func TestClientsRules(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		for level, files := range clientRules[c.name].levels {
			for _, door := range []string{"plain", "shell", "hook", "both"} {
				if door != "plain" && !c.has(door) {
					continue
				}
				t.Run(c.name+"/"+level+"/"+door, func(t *testing.T) {
					if own := clientRules[c.name].argv; own != nil {
						c.argv, c.ends = own, true
					}
					b := newBench(t, c, loginShell(c, door))
					b.before = b.rules(t, files)
					if door != "plain" {
						b.open(t, c, door)
					}
					calls := []toolCall{c.tool("echo one; touch denied"),
						c.tool("echo said 4'2'; echo > ran"), c.tool("touch 'denied'")}
					if clientRules[c.name].asks {
						calls = append(calls, c.tool("mkdir asked"))
					}
					got := b.each(t, c, calls...)
					if b.exists("denied") || b.exists("asked") {
						t.Errorf("the person's own rules do not hold: %q", got)
					}
					if !b.exists("ran") || !strings.Contains(got[1], "said 42") {
						t.Errorf("what no rule names does not run: %s", got[1])
					}
				})
			}
		}
	}
}

// rules writes files of the person and of the machine, and returns the words that must start the
// client for it to see the latter.
func (b *bench) rules(t *testing.T, files map[string]string) (before []string) {
	t.Helper()
	base := filepath.Dir(b.home)
	for name, text := range files {
		path := filepath.Join(base, name)
		text = strings.ReplaceAll(text, "WORK", b.work)
		if strings.HasPrefix(name, "etc/") && before == nil {
			if os.Getuid() != 0 {
				t.Skip("only root can show a client other settings of the machine")
			}
			if out, err := exec.Command("cp", "-a", "/etc",
				filepath.Join(base, "etc")).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			before = []string{"/bin/sh", "-c",
				`mount --bind "$0/etc" /etc && mount --bind "$0/passwd" /etc/passwd && exec "$@"`,
				base}
		}
		if had, err := os.ReadFile(path); err == nil {
			text = fmt.Sprintf("%s%s", had, text)
			if object, is := strings.CutSuffix(string(had), "}"); is { // one member more
				text = object + "," + strings.TrimPrefix(text, string(had)+"{")
			}
		}
		write(t, path, text)
	}
	return before
}

// With the hook alone, what a person allows in Claude Code runs if tada-run's line is allowed too,
// and nothing else does: the default mode asks. With the shell, the rules are unchanged. make
// test-clients.
func TestClientsAllowRules(t *testing.T) {
	needClients(t)
	for _, mode := range []string{"hook", "hook and shell"} {
		t.Run(mode, func(t *testing.T) {
			c := clients[0]
			c.argv = []string{"-p", "go", "--permission-mode", "default", "--model",
				"claude-sonnet-4-5"}
			b := newBench(t, c, "/bin/bash")
			rules := `"Bash(touch:*)"`
			if mode == "hook" {
				rules += fmt.Sprintf(`,"Bash(%s:*)","Bash(exit)"`, filepath.Join(b.bin, "tada-run"))
			}
			write(t, filepath.Join(b.home, ".claude/settings.json"),
				`{"permissions":{"allow":[`+rules+`]}}`)
			b.ctl(t, "hook", "install", c.name)
			if mode != "hook" {
				b.ctl(t, "shell", "install", c.name)
			}
			got := b.play(t, c, c.tool("touch allowed"), c.tool("cp allowed copied"))
			if !b.exists("allowed") {
				t.Errorf("what is allowed does not run: %s", got[0])
			}
			if b.exists("copied") || !strings.Contains(got[1], "approval") {
				t.Errorf("what nobody allowed runs: %s", got[1])
			}
		})
	}
}

// What Codex refuses by itself, it also refuses with the hook. make test-clients.
func TestClientsCodexRefuses(t *testing.T) {
	needClients(t)
	c := clients[1]
	b := newBench(t, c, "/bin/bash")
	b.ctl(t, "hook", "install", c.name)
	if got := b.play(t, c, c.tool("rm -f build/x"))[0]; !strings.Contains(got, "rejected") ||
		!b.exists("build/x") {
		t.Errorf("%s", got)
	}
}

// C7: a patch that Codex takes from a command line is applied if its names are harmless, and asks
// if they are not. make test-clients.
func TestClientsCodexPatch(t *testing.T) {
	needClients(t)
	c := clients[1]
	b := newBench(t, c, "/bin/bash")
	b.ctl(t, "hook", "install", c.name)
	patch := func(before, file string) toolCall {
		return c.tool(before + "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: " + file +
			"\n+hello\n*** End Patch\nEOF\n")
	}
	got := b.play(t, c, c.tool("mkdir sub"), patch("", "one"), patch("cd sub && ", "two"),
		patch("", ".git/hooks/pre-commit"), patch("cd ../closed && ", "x"))
	if !b.exists("one") || !b.exists("sub/two") {
		t.Errorf("a harmless patch is not applied: %s\n%s", got[1], got[2])
	}
	if b.exists(".git/hooks/pre-commit") || !strings.Contains(got[3], "tadactl approve") ||
		!strings.Contains(got[4], "restricted_path") {
		t.Errorf("a patch of what runs later: %s\nof what is restricted: %s", got[3], got[4])
	}
}

// J5: an unknown tool asks, in every client. make test-clients.
func TestClientsUnknownTool(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		if !c.hooked() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "/bin/bash")
			b.ctl(t, "hook", "install", c.name)
			tool := sessionClients[c.name].unknown
			if c.name == "codex" { // all its own tools are known; one of a server is not
				serve := b.serve(t, c).tool("true")
				tool = toolCall{name: strings.Replace(serve.name, "tada", "other", 1),
					args: serve.args}
				config := filepath.Join(b.home, ".codex/config.toml")
				text, _ := os.ReadFile(config)
				write(t, config, strings.Replace(string(text), "mcp_servers.tada",
					"mcp_servers.other", 1))
			}
			got := b.each(t, c, tool)[0]
			if list := b.questions(t); c.ends && len(list) == 1 {
				page := strings.ReplaceAll(b.ctl(t, "show", list[0].ID), "┊", "")
				got = strings.Join(strings.Fields(page), " ") + " tadactl approve"
			}
			if !strings.Contains(got, "is a tool that tada-run does not know") ||
				!strings.Contains(got, "tadactl approve") {
				t.Errorf("%s", got)
			}
		})
	}
}

// ownRefusals are what a client says about a file that it considers outside the workspace; its hook
// is not asked then.
var ownRefusals = map[string]map[string]string{
	"gemini": {".env": "Path not in workspace", ".git/hooks/pre-commit": "Path not in workspace",
		"../closed/x": "Path not in workspace"},
}

// With the hook, the client's own file tools write what they may, are asked about what runs later,
// and are denied what is restricted, inside and outside the workspace. make test-clients.
func TestClientsFiles(t *testing.T) {
	needClients(t)
	loading := slices.Collect(agents.Of("loads"))
	for _, c := range chosen() {
		if !c.hooked() {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, c, "/bin/bash")
			base := filepath.Dir(b.home)
			write(t, filepath.Join(b.home, ".tada/config.yaml"),
				"security: {restricted_paths: ["+base+"/closed, "+b.work+"/shut]}\n")
			write(t, filepath.Join(b.work, "shut/x"), "secret\n")
			if c.name == "qwen" {
				b.shell(t, c)
			}
			b.ctl(t, "hook", "install", c.name)
			tools := sessionClients[c.name]
			rows := []struct {
				tool       func(string) toolCall
				name, told string
			}{
				{tools.write, "made", ""}, {tools.write, ".env", ""},
				{tools.write, ".envrc", "tadactl approve"},
				{tools.write, ".git/hooks/pre-commit", "tadactl approve"},
				{tools.read, "shut/x", "restricted_path"},
				{tools.read, "../closed/x", "restricted_path"},
				{tools.write, "shut/y", "restricted_path"},
			}
			calls := []toolCall{c.tool("true")}
			for _, r := range rows {
				calls = append(calls, r.tool(filepath.Join(b.work, r.name)))
			}
			for i, got := range b.each(t, c, calls...)[1:] {
				r := rows[i]
				if r.name == ".env" &&
					slices.ContainsFunc(loading,
						func(f agents.Fact) bool { return agents.Platform(f.Agent) == c.name }) {
					r.told = "tadactl approve"
				}
				if told := ownRefusals[c.name][r.name]; told != "" {
					r.told = told
				}
				if !c.ends && !strings.Contains(got, r.told) || strings.Contains(got, "secret") {
					t.Errorf("%s: want %q: %s", r.name, r.told, got)
				}
				if made := r.told == "" || r.name == "shut/x" ||
					r.name == "../closed/x"; b.exists(r.name) != made {
					t.Errorf("%s is there: %v: %s", r.name, !made, got)
				}
			}
		})
	}
}

// givenRules say for each client how a person forbids command lines as a whole where the client is
// started, and one that it asks about; BASE is beside the workspace.
var givenRules = map[string]struct {
	argv, denied []string
	files        map[string]string
	asked        string
}{
	"claude-code": {
		argv: []string{"--disallowedTools", "Bash(cd . && touch f0)", "Bash(echo x > f1),Edit",
			"--settings", `{"permissions":{"deny":["Bash(printf 1 | *)"],"ask":["Bash(cp:*)"]}}`},
		denied: []string{"cd . && touch f0", "echo x > f1", "printf 1 | tee f2"},
		asked:  "true; cp build/x f3",
	},
	"copilot": {
		argv: []string{"--deny-tool", "shell(true; touch f0)", "shell(touch)",
			"--deny-tool=shell(echo x > f1)"},
		denied: []string{"true; touch f0", "echo x > f1", "echo one; touch f2"},
	},
	"gemini": {
		argv: []string{"--policy", "BASE/own.toml", "--admin-policy=BASE/policies"},
		files: map[string]string{
			"own.toml": "[[rule]]\ntoolName = \"run_shell_command\"\ndecision = \"deny\"\n" +
				"commandPrefix = \"cd . && touch f0\"\npriority = 900\n",
			"policies/a.toml": "[[rule]]\ntoolName = \"run_shell_command\"\npriority = 900\n" +
				"commandRegex = \"true(?=; touch f1)\"\ndecision = \"deny\"\n" +
				"[[rule]]\ntoolName = \"run_shell_command\"\npriority = 900\n" +
				"commandPrefix = \"cp\"\ndecision = \"ask_user\"\n"},
		denied: []string{"cd . && touch f0", "true; touch f1"},
		asked:  "true; cp build/x f3",
	},
	"qwen": {
		argv:   []string{"--exclude-tools", "Bash(echo x > f0)", "--excludeTools=Bash(touch *)"},
		denied: []string{"echo x > f0", "echo one; touch f1"},
	},
}

// C1: rules that a client was given on its command line hold in every way of calling as without us.
// make test-clients.
func TestClientsGivenRules(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		own, takes := givenRules[c.name]
		for _, door := range []string{"plain", "hook", "both", "session"} {
			if !takes || c.name == "qwen" && (door == "hook" || door == "session") {
				continue // Codex and OpenCode take none; Qwen Code's hook cannot change a command
			}
			t.Run(c.name+"/"+door, func(t *testing.T) {
				b, c := newBench(t, c, loginShell(c, door)), c
				b.rules(t, own.files)
				c.argv = slices.Clone(c.argv)
				for _, word := range own.argv {
					c.argv = append(c.argv, strings.ReplaceAll(word, "BASE", filepath.Dir(b.home)))
				}
				if door != "plain" {
					c = b.open(t, c, door)
				}
				calls := []toolCall{c.tool("echo said 4'2'; echo > ran")}
				for _, line := range own.denied {
					calls = append(calls, c.tool(line))
				}
				if own.asked != "" {
					calls = append(calls, c.tool(own.asked))
				}
				got := b.play(t, c, calls...)
				if found, _ := filepath.Glob(filepath.Join(b.work, "f?")); len(found) > 0 {
					t.Errorf("%q are there, so the person's own rules do not hold: %q", found, got)
				}
				if !b.exists("ran") || !strings.Contains(got[0], "said 42") {
					t.Errorf("what no rule names does not run: %s", got[0])
				}
			})
		}
	}
}

// Claude Code silently uses no shell whose path contains neither bash nor zsh: then a command goes
// through the hook's line. make test-clients.
func TestClientsClaudeShellThatIsNone(t *testing.T) {
	needClients(t)
	c := clients[0]
	b := newBench(t, c, "/bin/bash")
	b.ctl(t, "hook", "install", c.name)
	setenv(b, "SHELL", filepath.Join(b.bin, "tada-run"))
	if got := b.play(t, c, c.tool("echo said 4'2'"))[0]; !strings.Contains(got, "said 42") {
		t.Error(got)
	}
	if log := b.ctl(t, "log", "--kind", "exec", "--json"); !strings.Contains(log, "said 4'2'") {
		t.Errorf("the command ran beside tada-run:\n%s", log)
	}
}
