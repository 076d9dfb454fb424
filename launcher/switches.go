package launcher

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// hookSwitches are the settings by which agent programs stop calling hooks. A line is the program,
// the level of the settings, a file, the key and the value that switches off: a boolean, ~TEXT for
// a list with an element that has the text, or * for any: what starts a hook through a shell then
// runs something else first, which can end it. A file begins with ~/ in the home, with ./ in a
// folder of the workspace, or with / for the machine's.
const hookSwitches = `
claude-code user     ~/.claude/settings.json                     disableAllHooks        true
claude-code project  ./.claude/settings.json                     disableAllHooks        true
claude-code local    ./.claude/settings.local.json               disableAllHooks        true
claude-code project  ./.claude/settings.json                     env.LD_PRELOAD         *
claude-code local    ./.claude/settings.local.json               env.LD_PRELOAD         *
claude-code managed  /etc/claude-code/managed-settings.json      disableAllHooks        true
claude-code managed  /etc/claude-code/managed-settings.json      allowManagedHooksOnly  true
claude-code managed  /etc/claude-code/managed-settings.d/*.json  disableAllHooks        true
claude-code managed  /etc/claude-code/managed-settings.d/*.json  allowManagedHooksOnly  true
codex       user     ~/.codex/config.toml                        features.hooks         false
codex       user     ~/.codex/config.toml                        features.codex_hooks   false
codex       project  ./.codex/config.toml                        features.hooks         false
codex       project  ./.codex/config.toml                        features.codex_hooks   false
codex       managed  /etc/codex/config.toml                      features.hooks         false
codex       managed  /etc/codex/config.toml                      features.codex_hooks   false
codex       managed  /etc/codex/managed_config.toml              features.hooks         false
codex       managed  /etc/codex/requirements.toml                features.hooks         false
codex       managed  /etc/codex/requirements.toml                allow_managed_hooks_only true
gemini      user     ~/.gemini/settings.json                     hooksConfig.enabled    false
gemini      user     ~/.gemini/settings.json                     hooksConfig.disabled   ~hook run gemini
gemini      project  ./.gemini/settings.json                     hooksConfig.enabled    false
gemini      project  ./.gemini/settings.json                     hooksConfig.disabled   ~hook run gemini
gemini      managed  /etc/gemini-cli/settings.json               hooksConfig.enabled    false
gemini      managed  /etc/gemini-cli/settings.json               hooksConfig.disabled   ~hook run gemini
gemini      managed  /etc/gemini-cli/system-defaults.json        hooksConfig.enabled    false
gemini      user     ~/.gemini/.env                              BASH_ENV               *
gemini      user     ~/.gemini/.env                              LD_PRELOAD             *
gemini      project  ./.gemini/.env                              BASH_ENV               *
gemini      project  ./.gemini/.env                              LD_PRELOAD             *
gemini      project  ./.env                                      BASH_ENV               *
gemini      project  ./.env                                      LD_PRELOAD             *
qwen        user     ~/.qwen/.env                                BASH_ENV               *
qwen        user     ~/.qwen/.env                                LD_PRELOAD             *
qwen        project  ./.qwen/.env                                BASH_ENV               *
qwen        project  ./.qwen/.env                                LD_PRELOAD             *
qwen        project  ./.env                                      BASH_ENV               *
qwen        project  ./.env                                      LD_PRELOAD             *
qwen        user     ~/.qwen/settings.json                       disableAllHooks        true
qwen        project  ./.qwen/settings.json                       disableAllHooks        true
qwen        managed  /etc/qwen-code/settings.json                disableAllHooks        true
qwen        managed  /etc/qwen-code/system-defaults.json         disableAllHooks        true
copilot     user     ~/.copilot/hooks/tada-run.json              disableAllHooks        true
`

// A HookSwitch is one line of the table.
type HookSwitch struct{ Platform, Level, File, Key, value string }

// HookSwitches is the table.
var HookSwitches = sync.OnceValue(func() (list []HookSwitch) {
	for line := range strings.Lines(hookSwitches) {
		if f := strings.Fields(line); len(f) >= 5 {
			list = append(list, HookSwitch{f[0], f[1], f[2], f[3], strings.Join(f[4:], " ")})
		}
	}
	return list
})

// Files are the files of a switch that there may be: for a person with this home, whose settings of
// the platform are in folder, in the directory and in those above it up to the top of its
// workspace.
func (s HookSwitch) Files(home, folder, dir, top string) (list []string) {
	switch name := s.File; {
	case strings.HasPrefix(name, "~/"):
		if folder != "" {
			_, inside, _ := strings.Cut(name[2:], "/")
			return []string{filepath.Join(folder, inside)}
		}
		return []string{filepath.Join(home, name[2:])}
	case strings.HasPrefix(name, "./"):
		for {
			list = append(list, filepath.Join(dir, name))
			up := filepath.Dir(dir)
			if dir == top || up == dir || !strings.HasPrefix(dir, top+"/") {
				return list
			}
			dir = up
		}
	default:
		list, _ = filepath.Glob(name)
		return list
	}
}

// Off reports whether settings that were read switch the hooks off, the hook of this program among
// them.
func (s HookSwitch) Off(settings map[string]any) bool {
	var v any = settings
	for _, name := range strings.Split(s.Key, ".") {
		o, _ := v.(map[string]any)
		v = o[name]
	}
	if part, ok := strings.CutPrefix(s.value, "~"); ok {
		list, _ := v.([]any)
		return slices.ContainsFunc(list, func(each any) bool { text, _ := each.(string); return strings.Contains(text, part) })
	}
	return v != nil && (s.value == "*" || fmt.Sprint(v) == s.value)
}

// isEnv reports whether a file is variables of the environment, one a line.
func isEnv(path string) bool { return filepath.Base(path) == ".env" }

// EnvSettings reads such a file as settings. How a value is written does not matter here.
func EnvSettings(data []byte) map[string]any {
	values := map[string]any{}
	for line := range strings.Lines(string(data)) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
		if name = strings.TrimSpace(name); name != "" {
			values[name] = strings.TrimSpace(value)
		}
	}
	return values
}

// notice is that a file of settings switches the hooks of a platform off; "" where it does not.
func (s HookSwitch) notice(path string) string {
	data, err := readSmall(path)
	if err != nil {
		return ""
	}
	off, word := false, s.Key[strings.LastIndexByte(s.Key, '.')+1:]
	if strings.HasSuffix(path, ".toml") {
		off = regexp.MustCompile(`(?m)^[^#\n]*\b` + word + `["']?[ \t]*=[ \t]*` + s.value + `\b`).Match(data)
	} else if isEnv(path) {
		off = s.Off(EnvSettings(data))
	} else {
		var settings map[string]any
		if err := json.Unmarshal(data, &settings); err != nil && bytes.Contains(data, []byte(word)) {
			return fmt.Sprintf("%s cannot be read as JSON, and may switch the hooks of %s off; see: tadactl hook status %s", path, s.Platform, s.Platform)
		}
		off = s.Off(settings)
	}
	if !off {
		return ""
	}
	return fmt.Sprintf("%s switches the hooks of %s off (%s): its file tools and other tools are not checked; see: tadactl hook status %s", path, s.Platform, s.Key, s.Platform)
}

// HooksOff is what a person has to know at the first call of a conversation: that the workspace
// switches the platform's hooks off. It is "" where it does not, or where that was told in this
// conversation. What the repository brings is read as JSON alone: the other files count only where
// a person trusts the folder, and then there is no hook that could ask here.
func (l *Launcher) HooksOff(platform, dir, conversation string) string {
	return l.off(platform, conversation, func(s HookSwitch) []string {
		if !strings.HasPrefix(s.File, "./") || !strings.HasSuffix(s.File, ".json") {
			return nil
		}
		return s.Files("", "", dir, Top(dir))
	})
}

func (l *Launcher) off(platform, conversation string, files func(HookSwitch) []string) string {
	for _, s := range HookSwitches() {
		if s.Platform != platform {
			continue
		}
		for _, path := range files(s) {
			if notice := s.notice(path); notice != "" && l.tells(notice+"\n"+conversation) {
				return notice
			}
		}
	}
	return ""
}

// hooked reports whether the hook of this program is registered with a platform, in the files of a
// person's that can switch it off or beside them.
func hooked(platform string, outer func(string) string) bool {
	return slices.ContainsFunc(HookSwitches(), func(s HookSwitch) bool {
		if s.Platform != platform || !strings.HasPrefix(s.File, "~/") {
			return false
		}
		file := outer(s.File)
		return slices.ContainsFunc([]string{file, filepath.Join(filepath.Dir(file), "hooks.json")}, func(path string) bool {
			data, err := readSmall(path)
			return err == nil && bytes.Contains(data, []byte("hook run "+platform))
		})
	})
}

// Top is the nearest folder with a repository at or above a directory, the directory itself where
// there is none.
func Top(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// maxProject bounds a file of settings that is read before each command.
const maxProject = 1 << 20

func readSmall(path string) ([]byte, error) {
	info, err := os.Stat(path) // a FIFO would hold the run
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("no file: %w", err)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxProject))
}

// shellMarks are the variables by which a platform's commands are told, and the one with its
// conversation.
var shellMarks = []struct{ platform, mark, conversation string }{
	{"claude-code", "CLAUDECODE", "CLAUDE_CODE_SESSION_ID"},
	{"codex", "CODEX_THREAD_ID", "CODEX_THREAD_ID"},
	{"gemini", "GEMINI_CLI", ""}, // it numbers no conversations
	{"qwen", "QWEN_CODE", "QWEN_CODE_SESSION_ID"},
	{"copilot", "COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"},
}

// unhooked is [Launcher.HooksOff] for a command of an agent whose shell this is. Where the hook is
// registered too, it has also what the person and the machine switch off.
func (l *Launcher) unhooked(req Request) string {
	if req.Shell.Name == "tada-run" {
		return ""
	}
	env := map[string]string{}
	for _, each := range req.Env {
		name, value, _ := strings.Cut(each, "=")
		env[name] = value
	}
	for _, m := range shellMarks {
		if env[m.mark] == "" {
			continue
		}
		if notice := l.HooksOff(m.platform, req.Dir, env[m.conversation]); notice != "" {
			return notice
		}
		agent, _, _ := strings.Cut(m.platform, "-")
		c := &client{home: l.account, env: env, needs: needsOf(agent)}
		if !hooked(m.platform, c.outer) {
			return ""
		}
		return l.off(m.platform, env[m.conversation], func(s HookSwitch) []string {
			if strings.HasPrefix(s.File, "~/") {
				return []string{c.outer(s.File)}
			}
			return s.Files("", "", req.Dir, Top(req.Dir))
		})
	}
	return ""
}
