package settings

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tada-run/tada-run/shellparse/catalog/agents"
)

// A ShellPlace is where a platform stores which shell runs its commands.
type ShellPlace struct {
	Place
	stronger []string // other files of the folder, which take precedence over the first
	path     []string // the member with the shell; nil if the platform has no such setting
}

// Paths returns the files in which the platform looks for its shell, the one with the highest
// precedence first. An existing one is edited; if there is none, the last one is created.
func (p ShellPlace) Paths(home string, getenv func(string) string) []string {
	usual := p.Path(home, getenv)
	var paths []string
	for _, name := range p.stronger {
		paths = append(paths, filepath.Join(filepath.Dir(usual), name))
	}
	return append(paths, usual)
}

// shellPlaces are those with a setting, then the others; last, those that only a login shell
// changes.
var shellPlaces = sync.OnceValue(func() (list []ShellPlace) {
	for f := range agents.Of("shell") {
		n := len(list) - 1
		if n < 0 || list[n].Platform != agents.Platform(f.Agent) {
			list = append(list, shellPlaceOf(f))
			continue
		}
		file := strings.TrimPrefix(f.Words()[0], "~/"+list[n].folder+"/")
		list[n].stronger = append(list[n].stronger, file)
	}
	for _, by := range []string{"path", "variable", "start", "login"} {
		for f := range agents.Of("shellby") {
			if w := append(f.Words(), ""); w[0] == by {
				note := shellNote(f.Agent, w[0], w[1])
				list = append(list, ShellPlace{Place: Place{Platform: agents.Platform(f.Agent),
					Note: note}})
			}
		}
	}
	return list
})

// shellPlaceOf reads the facts about where an agent's settings name its shell.
func shellPlaceOf(f agents.Fact) ShellPlace {
	p, _ := Of(agents.Platform(f.Agent))
	w := f.Words()
	file := strings.TrimPrefix(w[0], "~/"+p.folder+"/")
	if file != p.file { // not the one with the hooks
		p.file, p.lists, p.managed, p.Note = file, nil, nil, ""
		for m := range agents.Of("managed") {
			if words := m.Words(); m.Agent == f.Agent && len(words) > 1 {
				p.managed = append(p.managed, words[0])
			}
		}
	}
	return ShellPlace{Place: p, path: strings.Split(w[1], ".")}
}

// shellNote says how a user makes tada-run the shell of an agent that has no setting for it.
func shellNote(agent, by, variable string) string {
	note := ""
	switch by {
	case "path":
		note = "TITLE uses the first bash in PATH and has no setting for it. Start it with\n" +
			"    PATH=FOLDER:$PATH PROGRAM\n" +
			"or add to your shell's startup file\n" +
			"    alias PROGRAM='PATH=FOLDER:$PATH PROGRAM'"
	case "variable":
		note = "TITLE uses the bash that VARIABLE names and has no setting for it. Start " +
			"it with\n" +
			"    VARIABLE=FOLDER/bash PROGRAM\n" +
			"or add to your shell's startup file\n" +
			"    export VARIABLE=FOLDER/bash"
	case "start":
		note = "TITLE uses the shell that VARIABLE names when it starts and has no setting " +
			"for it. Start it with\n" +
			"    VARIABLE=FOLDER/bash PROGRAM\n" +
			"or add to your shell's startup file\n" +
			"    alias PROGRAM='VARIABLE=FOLDER/bash PROGRAM'"
	case "login":
		note = "TITLE always uses the account's login shell from /etc/passwd, so this " +
			"changes every" +
			" login. For an account\nthat only runs TITLE, as root:\n" +
			"    mkdir -p /usr/local/lib/tada; ln -s RUNNER /usr/local/lib/tada/bash\n" +
			"    echo /usr/local/lib/tada/bash >> /etc/shells;" +
			" chsh -s /usr/local/lib/tada/bash ACCOUNT\n" +
			strings.Join(append(texts(agent, "sandbox"), ""), "\n") +
			"For other accounts use the hook: tadactl hook install PLATFORM"
	}
	return strings.NewReplacer("TITLE", agents.First(agent, "title"),
		"PROGRAM", agents.First(agent, "program"), "VARIABLE", variable,
		"PLATFORM", agents.Platform(agent)).Replace(note)
}

// ShellOf returns the place of a platform, and false for one whose shell cannot be set.
func ShellOf(platform string) (ShellPlace, bool) {
	i := slices.IndexFunc(shellPlaces(), func(p ShellPlace) bool { return p.Platform == platform })
	if i < 0 {
		return ShellPlace{}, false
	}
	return shellPlaces()[i], true
}

// ShellPlatforms returns the platforms that ShellOf knows, for a message.
func ShellPlatforms() string {
	var names []string
	for _, p := range shellPlaces() {
		names = append(names, p.Platform)
	}
	return strings.Join(names, "|")
}

// HasSetting reports whether the platform has a file that names its shell.
func (p ShellPlace) HasSetting() bool { return p.path != nil }

// Advice says what a person has to do if there is no setting; folder is the one with the link,
// runner is tada-run.
func (p ShellPlace) Advice(folder, runner string) string {
	return strings.NewReplacer("FOLDER", folder, "RUNNER", runner).Replace(p.Note)
}

// Why says why the platform's shell cannot be set in a file; "" if it can.
func (p ShellPlace) Why() string {
	if p.HasSetting() {
		return ""
	}
	why, _, _ := strings.Cut(p.Note, ". ")
	return why
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

// Uninstall returns the file without link, or nil if nothing else is left of it. A shell that is
// not ours stays; the one that ours replaced is restored. before is as in [Place.Uninstall].
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
		if data, err = unmake(t.cut(object, index(object, p.path)), was, around); err != nil ||
			data == nil {
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

// value returns the member with the shell, or nil.
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
