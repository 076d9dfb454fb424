package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/tada-run/tada-run/integration/hook"
)

// A Place is where a platform keeps what this package writes.
type Place struct {
	Platform string
	folder   string // below the home
	variable string // an environment variable that the platform takes for the folder
	file     string
	reads    syntax
	lists    []list
	extras   []extra
	managed  []string // settings of the machine, which the platform puts above the person's
	Note     string   // what a person has to do besides
}

// An extra is a member that the platform wants in its file, or writes there itself, which would
// change a protected file.
type extra struct {
	name  string
	value any
	by    string // the member that the platform does not read without it; "" for none
}

// A list is one list of hooks in the file.
type list struct {
	path    []string
	element func(line string, timeout time.Duration) any
}

// slack is added to how long a decision may take: the platform must not give up first. Half of it
// is what the guard of the line lets pass before it answers by itself, the other half what it may
// need for that on a busy machine.
const slack = 20 * time.Second

// places are the user-wide settings of each platform. A project's own are written by whoever wrote
// the project.
var places = []Place{
	{
		Platform: "claude-code", folder: ".claude", variable: "CLAUDE_CONFIG_DIR", file: "settings.json",
		reads:   syntax{byteOrderMark: true},
		lists:   []list{{[]string{"hooks", "PreToolUse"}, matched("*", time.Second)}},
		managed: []string{"/etc/claude-code/managed-settings.json"},
	},
	{
		Platform: "codex", folder: ".codex", variable: "CODEX_HOME", file: "hooks.json",
		lists:   []list{{[]string{"hooks", "PreToolUse"}, matched("", time.Second)}},
		managed: []string{"/etc/codex/requirements.toml", "/etc/codex/managed_config.toml"},
		Note: "codex silently skips a hook until you trust it: start codex once and trust it there (/hooks).\n" +
			"No hook sees text typed into a running command (write_stdin); that command's sandbox still holds.\n" + codexRoots,
	},
	{
		Platform: "gemini", folder: ".gemini", variable: "", file: "settings.json",
		reads:   syntax{comments: true},
		lists:   []list{{[]string{"hooks", "BeforeTool"}, matched("*", time.Millisecond)}},
		managed: []string{"/etc/gemini-cli/settings.json", "/etc/gemini-cli/system-defaults.json"},
	},
	{
		Platform: "qwen", folder: ".qwen", variable: "QWEN_HOME", file: "settings.json",
		reads:   syntax{comments: true, byteOrderMark: true},
		lists:   []list{{[]string{"hooks", "PreToolUse"}, qwenMatched}},
		extras:  []extra{{"$version", 4, ""}},
		managed: []string{"/etc/qwen-code/settings.json", "/etc/qwen-code/system-defaults.json"},
		Note: "Qwen Code's hook cannot change a command. Make tada-run its shell, too: tadactl shell install qwen\n" +
			"Without that, each command is blocked once, with the lines that the agent has to run instead.",
	},
	{
		Platform: "copilot", folder: ".copilot", variable: "COPILOT_HOME", file: "hooks/tada-run.json",
		lists:  []list{{[]string{"hooks", "PreToolUse"}, single}},
		extras: []extra{{"version", 1, "hooks"}},
	},
	{
		Platform: "cursor", folder: ".cursor", variable: "", file: "hooks.json",
		lists: []list{
			{[]string{"hooks", "preToolUse"}, failClosed}, {[]string{"hooks", "beforeShellExecution"}, failClosed},
			{[]string{"hooks", "beforeMCPExecution"}, failClosed}, {[]string{"hooks", "beforeReadFile"}, failClosed},
		},
		extras:  []extra{{"version", 1, "hooks"}},
		managed: []string{"/etc/cursor/hooks.json"},
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

// qwenMatched is matched in seconds, which Qwen Code takes for milliseconds from 1000 on.
func qwenMatched(line string, timeout time.Duration) any {
	if timeout >= 1000*time.Second {
		return matched("*", time.Millisecond)(line, timeout)
	}
	return matched("*", time.Second)(line, timeout)
}

// single is a hook as Copilot CLI writes it.
func single(line string, timeout time.Duration) any {
	return struct {
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int64  `json:"timeoutSec"`
	}{"command", line, int64(timeout / time.Second)}
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
	return filepath.Join(p.Folder(home, getenv), p.file)
}

// Folder is where the person's settings of the platform are.
func (p Place) Folder(home string, getenv func(string) string) string {
	if p.variable != "" && getenv(p.variable) != "" {
		return getenv(p.variable)
	}
	return filepath.Join(home, p.folder)
}

// Managed are the settings of the machine that the platform puts above those in the file.
func (p Place) Managed() []string { return p.managed }

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
	return hook.Guard(h.Wait+h.Each+slack/2) + strings.Join(quoted, " ") + blocking
}

// Argv is what the platform starts.
func (h Hook) Argv(platform string) []string {
	if p, _ := Of(platform); len(p.lists) == 0 {
		return h.words(platform) // by its plugin
	}
	return []string{"/bin/sh", "-c", h.Line(platform)}
}

const blocking = " || exit 2"

// ours reports whether a value of the settings is a registration of this program, whatever version
// wrote it.
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
		if len(data) > 0 && !isPlugin(data) {
			return nil, fmt.Errorf("tadactl did not write it, %w; move it away, then run this again", ErrUnread)
		}
		return []byte(Plugin(h)), nil
	}
	if err := p.read(data); err != nil {
		return nil, err
	}
	return p.install(data, h)
}

func (p Place) install(data []byte, h Hook) ([]byte, error) {
	data, err := p.addExtras(data)
	if err != nil {
		return nil, err
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

func (p Place) addExtras(data []byte) (_ []byte, err error) {
	for _, e := range p.extras {
		if data, err = ensure(data, []string{e.name}, e.value); err != nil {
			return nil, err
		}
	}
	return data, nil
}

func (p Place) register(data []byte, l list, h Hook) ([]byte, error) {
	t, n, err := hooks(data, l)
	if err != nil {
		return nil, err
	}
	element, err := t.render(l.element(h.Line(p.Platform), h.Wait+h.Each+slack), len(l.path)+1)
	if err != nil {
		return nil, err
	}
	for _, v := range n.values {
		if was := t.strict[v.start:v.end]; p.ours(was) {
			if compact(was) == compact([]byte(element)) {
				return data, nil
			}
			return splice(data, v.start, v.end, element), nil
		}
	}
	return t.put(n, len(l.path), element), nil
}

// hooks is the list in the text.
func hooks(data []byte, l list) (*document, *node, error) {
	t, err := parse(data)
	if err != nil {
		return nil, nil, err
	}
	n, depth, err := t.find(l.path)
	if err == nil && (n == nil || depth < len(l.path) || n.open != '[') {
		err = fmt.Errorf("%s is not a list, %w", strings.Join(l.path, "."), ErrUnread)
	}
	return t, n, err
}

// Uninstall returns the file without the hook, nil when nothing else is left of it. Before is the
// file as it was before anything of this program was written into it, nil when there was none or
// that is not known: what was made for the hook goes, and what was there is written as it was.
func (p Place) Uninstall(data, before []byte) ([]byte, error) {
	if len(p.lists) == 0 {
		if isPlugin(data) {
			return nil, nil
		}
		return data, nil
	}
	was := known(before)
	for _, l := range p.lists {
		with := data
		for {
			t, n, err := hooks(data, l)
			if t == nil {
				return nil, err
			}
			i := -1
			if err == nil { // else it is somebody else's way to write it
				i = slices.IndexFunc(n.values, func(v *node) bool { return p.ours(t.strict[v.start:v.end]) })
			}
			if i < 0 {
				break
			}
			data = t.cut(n, i)
		}
		if bytes.Equal(with, data) {
			continue
		}
		var err error
		if data, err = unmake(data, was, l.path); err != nil || data == nil {
			return nil, err
		}
		if data, err = p.dropExtras(data, was); err != nil || data == nil {
			return nil, err
		}
	}
	return data, nil
}

// known is a document that was there before, nil where that is not known.
func known(before []byte) *document {
	if before == nil {
		return nil
	}
	t, err := parse(before)
	if err != nil {
		return nil
	}
	return t
}

// dropExtras takes out what addExtras added.
func (p Place) dropExtras(data []byte, before *document) ([]byte, error) {
	for _, e := range p.extras {
		t, err := parse(data)
		if err != nil {
			return nil, err
		}
		path := []string{e.name}
		n, value := t.at(path), fmt.Sprintf("%#v", e.value)
		if n == nil || string(t.raw(n)) != value {
			continue
		}
		if own := before.at(path); own != nil {
			data = splice(data, n.start, n.end, string(before.raw(own))) // a null
			continue
		}
		if by := []string{e.by}; t.at(by) != nil && before.at(by) == nil {
			continue // somebody else's hooks need it now
		}
		if data, err = unmake(t.cut(t.root, index(t.root, path)), before, nil); err != nil || data == nil {
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
	without, err := p.Uninstall(data, nil)
	if err != nil {
		return Missing, err
	}
	with, err := p.install(data, h)
	if err == nil && !bytes.Equal(without, data) {
		err = p.read(data) // there, and not in force
	}
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
