package settings

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// A ShellPlace is where a platform keeps which shell it starts its commands with.
type ShellPlace struct {
	Place
	path []string // the member with the shell; nil where no settings of the platform name one
}

// shellPlaces: two platforms have a setting, two have none.
var shellPlaces = []ShellPlace{
	{Place: places[0], path: []string{"env", "CLAUDE_CODE_SHELL"}},
	{Place: Place{Platform: "opencode", folder: ".config/opencode", variable: "OPENCODE_CONFIG_DIR", file: "opencode.json"}, path: []string{"shell"}},
	{Place: Place{Platform: "gemini", Note: "Gemini CLI uses the first bash in PATH and has no setting for it. Start it with\n" +
		"    PATH=FOLDER:$PATH gemini\n" +
		"or add to your shell's startup file\n" +
		"    alias gemini='PATH=FOLDER:$PATH gemini'"}},
	{Place: Place{Platform: "codex", Note: "Codex always uses the account's login shell from /etc/passwd, so this changes every login. For an account\n" +
		"that only runs Codex, as root:\n" +
		"    mkdir -p /usr/local/lib/tada; ln -s RUNNER /usr/local/lib/tada/bash\n" +
		"    echo /usr/local/lib/tada/bash >> /etc/shells; chsh -s /usr/local/lib/tada/bash ACCOUNT\n" +
		codexRoots + "\n" +
		"For other accounts use the hook: tadactl hook install codex"}},
}

// ShellOf returns the place of a platform, and false for one whose shell cannot be set.
func ShellOf(platform string) (ShellPlace, bool) {
	i := slices.IndexFunc(shellPlaces, func(p ShellPlace) bool { return p.Platform == platform })
	if i < 0 {
		return ShellPlace{}, false
	}
	return shellPlaces[i], true
}

// ShellPlatforms are the platforms that ShellOf knows, for a message.
func ShellPlatforms() string {
	var names []string
	for _, p := range shellPlaces {
		names = append(names, p.Platform)
	}
	return strings.Join(names, "|")
}

// HasSetting reports whether the platform has a file that names its shell.
func (p ShellPlace) HasSetting() bool { return p.path != nil }

// Advice is what a person has to do where there is no setting; folder is the one with the link, runner is tada-run.
func (p ShellPlace) Advice(folder, runner string) string {
	return strings.NewReplacer("FOLDER", folder, "RUNNER", runner).Replace(p.Note)
}

// Install returns the file with link as the shell.
func (p ShellPlace) Install(data []byte, link string) ([]byte, error) {
	data, err := ensure(data, p.path, link)
	if err == nil && p.Platform == "opencode" { // it writes that into its file when it is not there, and would change what is protected
		data, err = ensure(data, []string{"$schema"}, "https://opencode.ai/config.json")
	}
	if err != nil {
		return nil, err
	}
	n, err := p.value(data)
	if err != nil || p.is(data, n, link) {
		return data, err
	}
	if data[n.start] != '"' {
		return nil, fmt.Errorf("%s is not a text, so it was left as it is", strings.Join(p.path, "."))
	}
	raw, err := json.Marshal(link)
	return splice(data, n.start, n.end, string(raw)), err
}

// Uninstall returns the file without it. A shell that is not ours stays.
func (p ShellPlace) Uninstall(data []byte, link string) ([]byte, error) {
	if installed, err := p.Installed(data, link); !installed || err != nil {
		return data, err
	}
	root, err := parse(data)
	if err != nil {
		return nil, err
	}
	last := len(p.path) - 1
	around, _, err := root.find(p.path[:last])
	if err != nil {
		return nil, err
	}
	return prune(cut(data, around, slices.Index(around.names, p.path[last])), p.path[:last])
}

// Installed reports whether the file names link as the shell.
func (p ShellPlace) Installed(data []byte, link string) (bool, error) {
	if len(data) == 0 || p.path == nil {
		return false, nil
	}
	n, err := p.value(data)
	return err == nil && n != nil && p.is(data, n, link), err
}

// value is the member with the shell, nil when it is not there.
func (p ShellPlace) value(data []byte) (*node, error) {
	root, err := parse(data)
	if err != nil {
		return nil, err
	}
	n, depth, err := root.find(p.path)
	if err != nil || depth < len(p.path) {
		return nil, err
	}
	return n, nil
}

func (p ShellPlace) is(data []byte, n *node, link string) bool {
	var have string
	return json.Unmarshal(data[n.start:n.end], &have) == nil && filepath.Clean(have) == filepath.Clean(link)
}
