package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Place is where a platform keeps what this package writes.
type Place struct {
	Platform string
	folder   string // below the home
	variable string // an environment variable that the platform takes for the folder
	file     string
	lists    []list
	Note     string // what a person has to do besides
}

// A list is one list of hooks in the file.
type list struct {
	path    []string
	element func(line string, timeout time.Duration) any
}

// slack is added to how long a decision may take: the platform must not give up first.
const slack = 20 * time.Second

// places are the user-wide settings of each platform. A project's own are written by whoever wrote the project.
var places = []Place{
	{
		Platform: "claude-code", folder: ".claude", variable: "CLAUDE_CONFIG_DIR", file: "settings.json",
		lists: []list{{[]string{"hooks", "PreToolUse"}, matched("*", time.Second)}},
	},
	{
		Platform: "codex", folder: ".codex", variable: "CODEX_HOME", file: "hooks.json",
		lists: []list{{[]string{"hooks", "PreToolUse"}, matched("", time.Second)}},
		Note: "codex silently skips a hook until you trust it: start codex once and trust it there (/hooks).\n" +
			"No hook sees text typed into a running command (write_stdin); that command's sandbox still holds.\n" + codexRoots,
	},
	{
		Platform: "gemini", folder: ".gemini", variable: "", file: "settings.json",
		lists: []list{{[]string{"hooks", "BeforeTool"}, matched("*", time.Millisecond)}},
	},
	{
		Platform: "cursor", folder: ".cursor", variable: "", file: "hooks.json",
		lists: []list{
			{[]string{"hooks", "preToolUse"}, failClosed}, {[]string{"hooks", "beforeShellExecution"}, failClosed},
			{[]string{"hooks", "beforeMCPExecution"}, failClosed}, {[]string{"hooks", "beforeReadFile"}, failClosed},
		},
	},
	{Platform: "opencode", folder: ".config/opencode", variable: "OPENCODE_CONFIG_DIR", file: "plugins/tada-run.js"},
}

// codexRoots is what the sandbox of Codex needs, in which it starts tada-run.
const codexRoots = "Codex's own sandbox must allow tada-run to write its record, or no command runs. In config.toml, with your home directory:\n" +
	"    [sandbox_workspace_write]\n    writable_roots = [\"/home/YOU/.tada\"]"

// matched is a hook as Claude Code writes it, and those who followed.
func matched(matcher string, unit time.Duration) func(string, time.Duration) any {
	return func(line string, timeout time.Duration) any {
		return struct {
			Matcher string `json:"matcher"`
			Hooks   []any  `json:"hooks"`
		}{matcher, []any{struct {
			Type    string `json:"type"`
			Command string `json:"command"`
			Timeout int64  `json:"timeout"`
		}{"command", line, int64(timeout / unit)}}}
	}
}

func failClosed(line string, timeout time.Duration) any {
	return struct {
		Command    string `json:"command"`
		Timeout    int64  `json:"timeout"`
		FailClosed bool   `json:"failClosed"`
	}{line, int64(timeout / time.Second), true}
}

// Of returns the place of a platform, and false for one that is not known.
func Of(platform string) (Place, bool) {
	for _, p := range places {
		if p.Platform == platform {
			return p, true
		}
	}
	return Place{}, false
}

// Path is the file, for a person with this home and environment.
func (p Place) Path(home string, getenv func(string) string) string {
	folder := filepath.Join(home, p.folder)
	if p.variable != "" && getenv(p.variable) != "" {
		folder = getenv(p.variable)
	}
	return filepath.Join(folder, p.file)
}

// Holds reports whether a file is the one that the hook belongs in.
func (p Place) Holds(file string) bool { return strings.HasSuffix(file, "/"+p.file) }

// A Hook is what is registered.
type Hook struct {
	Ctl  string        // the absolute path of tadactl
	Home string        // a state directory of its own; "" for the account's
	Wait time.Duration // how long a call may wait for a person
	Each time.Duration // how long a decision may take besides
}

// words are the command line without a shell.
func (h Hook) words(platform string) []string {
	words := []string{h.Ctl, "hook", "run"}
	if h.Home != "" {
		words = append(words, "--home="+h.Home)
	}
	if h.Wait > 0 {
		words = append(words, "--wait="+h.Wait.String())
	}
	return append(words, platform)
}

// Line is the command line that a platform gives to a shell.
func (h Hook) Line(platform string) string {
	var quoted []string
	for _, w := range h.words(platform) {
		if strings.Trim(w, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-") != "" {
			w = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		quoted = append(quoted, w)
	}
	return strings.Join(quoted, " ") + blocking
}

const blocking = " || exit 2"

// ours reports whether a value of the settings is a registration of this program, whatever version wrote it.
func (p Place) ours(raw []byte) bool {
	var v struct {
		Command string
		Hooks   []struct{ Command string }
	}
	if json.Unmarshal(raw, &v) != nil {
		return false
	}
	isOurs := func(line string) bool {
		return strings.Contains(line, " hook run ") && strings.HasSuffix(line, " "+p.Platform+blocking)
	}
	return isOurs(v.Command) || len(v.Hooks) == 1 && isOurs(v.Hooks[0].Command)
}

// Install returns the file with the hook in it. It is the same bytes where it was there already.
func (p Place) Install(data []byte, h Hook) ([]byte, error) {
	if len(p.lists) == 0 {
		return []byte(Plugin(h)), nil
	}
	var err error
	if p.Platform == "cursor" {
		if data, err = ensure(data, []string{"version"}, 1); err != nil {
			return nil, err
		}
	}
	for _, l := range p.lists {
		if data, err = ensure(data, l.path, []any{}); err != nil {
			return nil, err
		}
		if data, err = p.register(data, l, h); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (p Place) register(data []byte, l list, h Hook) ([]byte, error) {
	n, err := hooks(data, l)
	if err != nil {
		return nil, err
	}
	text, err := render(l.element(h.Line(p.Platform), h.Wait+h.Each+slack), data, len(l.path)+1)
	if err != nil {
		return nil, err
	}
	for _, v := range n.values {
		if was := data[v.start:v.end]; p.ours(was) {
			if compact(was) == compact([]byte(text)) {
				return data, nil
			}
			return splice(data, v.start, v.end, text), nil
		}
	}
	return put(data, n, len(l.path), text), nil
}

// hooks is the list in the text.
func hooks(data []byte, l list) (*node, error) {
	root, err := parse(data)
	if err != nil {
		return nil, err
	}
	n, depth, err := root.find(l.path)
	if err == nil && (depth < len(l.path) || n.open != '[') {
		err = fmt.Errorf("%s is not a list, so it was left as it is", strings.Join(l.path, "."))
	}
	return n, err
}

// Uninstall returns the file without the hook, nil when the file was nothing else.
func (p Place) Uninstall(data []byte) ([]byte, error) {
	if len(p.lists) == 0 {
		return nil, nil
	}
	for _, l := range p.lists {
		root, err := parse(data)
		if err != nil {
			return nil, err
		}
		if n, depth, err := root.find(l.path); err != nil || depth < len(l.path) || n.open != '[' {
			continue // somebody else's way to write it
		}
		for again := true; again; {
			n, err := hooks(data, l)
			if err != nil {
				return nil, err
			}
			again = false
			for i, v := range n.values {
				if p.ours(data[v.start:v.end]) {
					data, again = cut(data, n, i), true
					break
				}
			}
		}
		if data, err = prune(data, l.path); err != nil {
			return nil, err
		}
	}
	return data, nil
}

// State is how the hook stands in a file.
type State string

// The states.
const (
	Missing  State = "missing"  // it is not there
	Other    State = "other"    // a registration that another version or another place of this program made, or that somebody changed
	Complete State = "complete" // as Install writes it
)

// waits finds for how long a registration lets a call wait.
var waits = regexp.MustCompile(`hook run[^|]* --wait=([0-9hms.]+) |"--wait=([0-9hms.]+)"`)

// State looks at a file as it is, nil when there is none. A registration may wait for any time.
func (p Place) State(data []byte, h Hook) (State, error) {
	if data == nil {
		return Missing, nil
	}
	if found := waits.FindSubmatch(data); found != nil {
		wait, err := time.ParseDuration(string(found[1]) + string(found[2]))
		if err == nil && wait > 0 {
			h.Wait = wait
		}
	}
	if len(p.lists) == 0 {
		if string(data) == Plugin(h) {
			return Complete, nil
		}
		return Other, nil
	}
	without, err := p.Uninstall(data)
	if err != nil {
		return Missing, err
	}
	with, err := p.Install(data, h)
	switch {
	case err != nil:
		return Missing, err
	case bytes.Equal(with, data):
		return Complete, nil
	case !bytes.Equal(without, data):
		return Other, nil
	}
	return Missing, nil
}

func compact(raw []byte) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return ""
	}
	return b.String()
}
