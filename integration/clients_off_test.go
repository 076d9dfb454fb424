package integration

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/switches"
)

// switchValues are the values that turn hooks off, by the key of the table in package launcher.
var switchValues = map[string]string{
	"disableAllHooks": "true", "allowManagedHooksOnly": "true", "allow_managed_hooks_only": "true",
	"hooksDisabled": "true",
	"extensions":    `["-extensions/tada-run.js"]`, "shellPath": `"/bin/bash"`,
	"features.hooks":       "false",
	"features.codex_hooks": "false", "hooksConfig.enabled": "false", "hooksConfig.disabled": "",
	"*": "/none.so", "env.*": `"/none.so"`,
	"env.CLAUDE_CODE_SHELL": `"/bin/bash"`, "env.SHELL": `"/bin/bash"`, "shell": `"/bin/bash"`,
	"env.CLAUDE_CODE_SHELL_PREFIX": `"/bin/bash -c"`,
	"env.CLAUDE_CODE_SIMPLE":       `"1"`, "env.CLAUDE_CODE_SAFE_MODE": `"1"`,
	"NODE_OPTIONS":    "--no-warnings",
	"GEMINI_CLI_HOME": "/none", "GEMINI_CLI_SYSTEM_SETTINGS_PATH": "/none",
	"GEMINI_CLI_SYSTEM_DEFAULTS_PATH": "/none",
	"QWEN_HOME":                       "/none", "QWEN_CODE_SYSTEM_SETTINGS_PATH": "/none",
	"QWEN_CODE_SYSTEM_DEFAULTS_PATH": "/none",
}

// switchVariable is one of those that a shell or the loader acts on first.
const switchVariable = "LD_PRELOAD"

// withSwitch returns the text of settings with a switch before it or, for TOML, after it.
func withSwitch(t *testing.T, had, file, key, line string) string {
	t.Helper()
	value, known := switchValues[key]
	if !known {
		t.Fatalf("nobody says which value of %s switches hooks off", key)
	}
	if value == "" {
		value = fmt.Sprintf("[%q]", line)
	}
	key = strings.Replace(key, "*", switchVariable, 1)
	outer, inner, nested := strings.Cut(key, ".")
	switch {
	case filepath.Base(file) == ".env":
		return had + key + "=" + value + "\n"
	case strings.HasSuffix(file, ".toml") && nested:
		return fmt.Sprintf("%s\n[%s]\n%s = %s\n", had, outer, inner, value)
	case strings.HasSuffix(file, ".toml"):
		return fmt.Sprintf("%s = %s\n%s", key, value, had)
	case nested:
		value = fmt.Sprintf("{%q:%s}", inner, value)
	}
	first := fmt.Sprintf("{%q:%s", outer, value)
	if rest, is := strings.CutPrefix(strings.TrimSpace(had), "{"); is && rest != "}" {
		return first + "," + rest
	}
	return first + "}"
}

// C4: if the repository, the person or the machine turns the hooks off, the shell still works:
// commands are judged, the first one of a conversation reports it, and so does hook status. make
// test-clients.
func TestClientsHooksOff(t *testing.T) {
	needClients(t)
	for _, c := range chosen() {
		for _, s := range switches.All() {
			if s.Platform != c.name {
				continue
			}
			t.Run(c.name+"/"+s.Level+"/"+s.Key, func(t *testing.T) {
				b := newBench(t, c, loginShell(c, "both"))
				install := func() {
					b.ctl(t, "hook", "install", c.name)
					if c.has("shell") {
						b.shell(t, c)
					}
				}
				if s.Level != "user" || c.name == "copilot" {
					install()
				}
				base := filepath.Dir(b.home)
				name := strings.NewReplacer("~/", "h/", "./", "w/", "*", "own").Replace(s.File)
				name = strings.TrimPrefix(name, "/")
				line := filepath.Join(b.bin, "tadactl") + " hook run " + c.name
				files := map[string]string{name: withSwitch(t, b.read("../"+name), name, s.Key,
					line)}
				if c.name == "codex" && s.Level == "project" {
					files["h/.codex/config.toml"] = b.read("../h/.codex/config.toml") +
						fmt.Sprintf("\n[projects.%q]\ntrust_level = \"trusted\"\n", b.work)
				}
				for name := range files {
					_ = os.Remove(filepath.Join(base, name)) // the text has what was there
				}
				before := b.rules(t, files)
				if s.Level == "user" && c.name != "copilot" {
					// a change of what was installed is reported as that
					install()
				}
				other := sessionClients[c.name].write(filepath.Join(b.work, ".envrc"))
				if c.name == "codex" { // writes by its shell
					other = toolCall{name: "view_image",
						args: o{"path": filepath.Join(base, "closed/x")}}
				}
				got := b.playIn(t, c, before, c.tool("true"), c.tool("echo said 4'2'"),
					c.tool("cat ../closed/x"), other)
				off := !strings.Contains(got[3], "tada-run")
				if !c.has("shell") { // then only the status says it
					off = false
				} else if c.name == "copilot" && s.Level == "user" {
					// the file is ours, so a change of it is reported as that, and nothing runs
					off = false
					if !strings.Contains(got[0], "TAMPER DETECTED") {
						t.Errorf("a change of our own file: %s", got[0])
					}
				} else if !strings.Contains(got[1], "said 42") ||
					!strings.Contains(got[2], "restricted_path") {
					t.Errorf("an allowed command: %s\na denied one: %s", got[1], got[2])
				} else if !off {
					t.Logf("this release has its hooks all the same: %s", got[3])
				}
				if told := strings.Contains(got[0], "switches the hooks of "+c.name+" off"); off &&
					!told || strings.Contains(got[1], "switches the hooks") {
					t.Errorf("it is told at the first call: %v: %s\n%s", told, got[0], got[1])
				}
				status := append(slices.Clone(before), filepath.Join(b.bin, "tadactl"), "hook",
					"status", c.name)
				out, err := b.command(t, status[0], status[1:]...).Output()
				says, key := "switched off in", strings.Replace(s.Key, "*", switchVariable, 1)
				if s.TakesShell() {
					says = "with another shell"
				}
				if err == nil || !strings.Contains(string(out), says) ||
					!strings.Contains(string(out), key) {
					t.Errorf("hook status: %s, %v", out, err)
				}
			})
		}
	}
}
