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
	stronger []string // other files of the folder, which the platform puts above the first
	path     []string // the member with the shell; nil where no settings of the platform name one
}

// Paths are the files in which the platform looks for its shell, the one that counts most first.
// One that is there is edited; without any the last one is made.
func (p ShellPlace) Paths(home string, getenv func(string) string) []string {
	usual := p.Path(home, getenv)
	var paths []string
	for _, name := range p.stronger {
		paths = append(paths, filepath.Join(filepath.Dir(usual), name))
	}
	return append(paths, usual)
}

// shellPlaces: two platforms have a setting, the others have none.
var shellPlaces = []ShellPlace{
	{Place: places[0], path: []string{"env", "CLAUDE_CODE_SHELL"}},
	{Place: Place{
		Platform: "opencode", folder: ".config/opencode", variable: "OPENCODE_CONFIG_DIR", file: "opencode.json",
		reads:   syntax{true, true, true},
		extras:  []extra{{"$schema", "https://opencode.ai/config.json", ""}},
		managed: []string{"/etc/opencode/opencode.json", "/etc/opencode/opencode.jsonc"},
	}, stronger: []string{"opencode.jsonc"}, path: []string{"shell"}},
	{Place: Place{Platform: "gemini", Note: "Gemini CLI uses the first bash in PATH and has no setting for it. Start it with\n" +
		"    PATH=FOLDER:$PATH gemini\n" +
		"or add to your shell's startup file\n" +
		"    alias gemini='PATH=FOLDER:$PATH gemini'"}},
	{Place: Place{Platform: "qwen", Note: "Qwen Code uses the first bash in PATH and has no setting for it. Start it with\n" +
		"    PATH=FOLDER:$PATH qwen\n" +
		"or add to your shell's startup file\n" +
		"    alias qwen='PATH=FOLDER:$PATH qwen'"}},
	{Place: Place{Platform: "copilot", Note: "Copilot CLI uses the bash that COPILOT_BASH_PATH names and has no setting for it. Start it with\n" +
		"    COPILOT_BASH_PATH=FOLDER/bash copilot\n" +
		"or add to your shell's startup file\n" +
		"    export COPILOT_BASH_PATH=FOLDER/bash"}},
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

// Advice is what a person has to do where there is no setting; folder is the one with the link,
// runner is tada-run.
func (p ShellPlace) Advice(folder, runner string) string {
	return strings.NewReplacer("FOLDER", folder, "RUNNER", runner).Replace(p.Note)
}

// Install returns the file with link as the shell.
func (p ShellPlace) Install(data []byte, link string) ([]byte, error) {
	if err := p.read(data); err != nil {
		return nil, err
	}
	return p.install(data, link)
}

func (p ShellPlace) install(data []byte, link string) ([]byte, error) {
	data, err := ensure(data, p.path, link)
	if err == nil {
		data, err = p.addExtras(data)
	}
	if err != nil {
		return nil, err
	}
	t, n, err := p.value(data)
	if err != nil || p.is(t, n, link) {
		return data, err
	}
	if data[n.start] != '"' {
		return nil, fmt.Errorf("%s is not a text, %w", strings.Join(p.path, "."), ErrUnread)
	}
	raw, err := json.Marshal(link)
	return splice(data, n.start, n.end, string(raw)), err
}

// Uninstall returns the file without it, nil when nothing else is left of it. A shell that is not
// ours stays; the one that ours took the place of comes back. Before is as with [Place.Uninstall].
func (p ShellPlace) Uninstall(data []byte, link string, before []byte) ([]byte, error) {
	if installed, err := p.Installed(data, link); !installed || err != nil {
		return data, err
	}
	t, n, err := p.value(data)
	if err != nil {
		return nil, err
	}
	was := known(before)
	if own := was.at(p.path); own != nil {
		data = splice(data, n.start, n.end, string(was.raw(own)))
	} else {
		around := p.path[:len(p.path)-1]
		object := t.at(around)
		if data, err = unmake(t.cut(object, index(object, p.path)), was, around); err != nil || data == nil {
			return nil, err
		}
	}
	return p.dropExtras(data, was)
}

// Installed reports whether the file names link as the shell.
func (p ShellPlace) Installed(data []byte, link string) (bool, error) {
	if len(data) == 0 || p.path == nil {
		return false, nil
	}
	t, n, err := p.value(data)
	return err == nil && n != nil && p.is(t, n, link), err
}

// value is the member with the shell, nil when it is not there.
func (p ShellPlace) value(data []byte) (*document, *node, error) {
	t, err := parse(data)
	if err != nil {
		return nil, nil, err
	}
	n, depth, err := t.find(p.path)
	if err != nil || depth < len(p.path) {
		return t, nil, err
	}
	return t, n, nil
}

func (p ShellPlace) is(t *document, n *node, link string) bool {
	var have string
	return json.Unmarshal(t.raw(n), &have) == nil && filepath.Clean(have) == filepath.Clean(link)
}
