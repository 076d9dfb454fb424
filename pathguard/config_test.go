package pathguard

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/pathguard/hosts"
	"github.com/tada-run/tada-run/shellparse/command"
)

func writeConfig(t testing.TB, text string, mode os.FileMode) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	os.Chmod(name, mode) // past the umask
	return name
}

func loadText(t testing.TB, text string) (Policy, error) {
	t.Helper()
	return Load(Account{Home: "/home/dev", UID: os.Getuid()},
		ConfigFile{Path: writeConfig(t, text, 0o600), Layer: UserLayer})
}

// sample is the example of the source document, whole.
const sample = `
ai:
  provider: glm
  api_key: your-key
  model: glm-5
  base_url: https://open.bigmodel.cn/api

security:
  # comment
  command_level: dangerous
  restricted_paths:
    - /etc
    - /usr/bin
    - /System
  readonly_paths:
    - ~/.ssh
    - ~/.gnupg
  allow_shell: true
  allow_terminal_takeover: true
`

// C-5.1, C-5.3: the sample loads, and "~" is the account's home.
func TestConfigSample(t *testing.T) {
	p, err := loadText(t, sample)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.ReadOnlyPaths(),
		[]string{"/home/dev/.ssh", "/home/dev/.gnupg"}; !reflect.DeepEqual(got, want) {
		t.Errorf("readonly %q, want %q", got, want)
	}
	if got, want := p.RestrictedPaths(),
		[]string{"/etc", "/usr/bin", "/System"}; !reflect.DeepEqual(got, want) {
		t.Errorf("restricted %q, want %q", got, want)
	}
}

// C-5.2, A-2.6.1: an empty configuration, however it is empty, has the defaults.
func TestConfigDefaults(t *testing.T) {
	want := Settings{AllowShell: true, AllowTerminalTakeover: true, Protect: []string{"TODO.md"},
		Network: NetOff, Registries: hosts.Names(), Require: Base,
		Approval: Approval{FromRisk: 3, Offline: Allow}}
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "null\n", "security:\n", "{}",
		"security: {}\nrules:\n"} {
		p, err := loadText(t, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if !reflect.DeepEqual(p.Settings(), want) {
			t.Errorf("%q: %+v", text, p.Settings())
		}
	}
	if got := Default(Account{}).Settings(); !reflect.DeepEqual(got, want) {
		t.Errorf("Default: %+v", got)
	}
	if p, err := Load(Account{},
		ConfigFile{Path: "/nowhere/config.yaml", Layer: UserLayer}); err != nil ||
		p.Settings().Level != (Level{}) {
		t.Errorf("a missing file: %v", err)
	}
}

// C-3.1.1, C-3.1.7, C-3.1.8, A-2.6.1: every key is read, with the type it has.
func TestConfigKeys(t *testing.T) {
	p, err := loadText(t, `
security:
  command_level: never
  restricted_paths: [/secret, "~", ~/x/, "**/vault", /a/../b]
  allow_shell: false
  allow_terminal_takeover: false
  tamper_proof: true
  protect: [TODO.md, ".claude/**"]
network: {default: list, allow: [Example.com, "*.example.org"]}
sandbox: {require: strong}
private_tmp: true
fleet: {offline: ask}
rules:
  commands:
    - {program: terraform, args: [apply], flags: [-auto-approve], verdict: deny, message: not from here}
  paths:
    - {path: ~/notes, access: [read, write], verdict: allow}
  hosts:
    - {host: "*.corp.example", verdict: ask}
`)
	if err != nil {
		t.Fatal(err)
	}
	want := Settings{
		Level: Level{Never: true}, RestrictedPaths: []string{"/secret", "~", "~/x", "**/vault",
			"/b"}, TamperProof: true,
		Protect: []string{"TODO.md", ".claude/**"}, Network: NetList,
		NetworkAllow: []string{"example.com", "*.example.org"},
		NetworkReach: []string{"example.com", "*.example.org"},
		Registries:   hosts.Names(),
		Require:      Strong, PrivateTmp: true,
		Approval: Approval{FromRisk: 3, Offline: Ask},
		Rules: Rules{
			Commands: []CommandRule{{Program: "terraform", Args: []string{"apply"},
				Flags: []string{"-auto-approve"}, Verdict: Deny, Message: "not from here"}},
			Paths: []PathRule{{"~/notes", []command.Right{command.Read, command.Write}, Allow, ""}},
			Hosts: []HostRule{{"*.corp.example", Ask, ""}},
		},
	}
	if got := p.Settings(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// TestConfigRefused lists what a configuration may not say, each with the line to look at.
func TestConfigRefused(t *testing.T) {
	tests := []struct {
		text string
		line int
		msg  string
	}{
		{"security:\n  comand_level: always\n", 2,
			`unknown key "comand_level" in security; did you mean command_level? known: command_level`},
		{"secuirty: {}\n", 1, "unknown key"},
		{"security:\n  allow_shell: true\n  allow_shell: false\n", 3,
			`duplicate key "allow_shell"`},
		{"security: {}\nsecurity: {}\n", 2, "duplicate key"},
		{"security:\n  command_level: sometimes\n", 2,
			`must be always or dangerous or never, not "sometimes"`},
		{"security:\n  command_level: [always]\n", 2, "must be always"},
		{"security:\n  tamper_proof: \"yes\"\n", 2, `must be true or false, not "yes"`},
		{"security:\n  tamper_proof: 1\n", 2, "must be true or false"},
		{"security:\n  tamper_proof: yes\n", 2, "must be true or false"},
		{"security:\n  allow_shell: TRUE\n", 2, "must be true or false"},
		{"security:\n  allow_shell:\n", 2, "must be true or false"},
		{"security:\n  restricted_paths: /etc\n", 2, "must be a list"},
		{"security:\n  restricted_paths: [1]\n", 2, "must be a word"},
		{"security:\n  restricted_paths: [\"\"]\n", 2, "must be a word"},
		{"security:\n  restricted_paths: [etc]\n", 2, `path "etc" must start with`},
		{"security:\n  restricted_paths:\n  - /ok\n  - ~dev/x\n", 4, "must start with"},
		{"security:\n  restricted_paths: [\"/a\\0b\"]\n", 2, "must be a word"},
		{"security: [1]\n", 1, "must be a mapping"},
		{"- 1\n", 1, "must be a mapping"},
		{"network: {default: maybe}\n", 1, "must be list or off or on"},
		{"network: {allow: [\"http://x/\"]}\n", 1, "must be a name"},
		{"sandbox: {require: none}\n", 1, "must be strong or base"},
		{"rules:\n  commands:\n  - {program: rm}\n", 3, "needs program and verdict"},
		{"rules:\n  commands:\n  - {verdict: ask}\n", 3, "needs program and verdict"},
		{"rules:\n  commands: {}\n", 2, "must be a list"},
		{"rules:\n  paths:\n  - {path: /x, access: [fly], verdict: ask}\n", 3, "access must be"},
		{"rules:\n  paths:\n  - {path: /x, verdict: perhaps}\n", 3, "must be deny or ask or allow"},
		{"rules:\n  hosts:\n  - {verdict: ask}\n", 3, "needs host and verdict"},
		{"a: &x 1\nb: *x\n", 1, "unknown key"},
		{"security: &s {allow_shell: true}\n<<: *s\n", 2, "a key must be a plain word"},
		{"security:\n  protect: *nothing\n", 0, "nothing"},
		{"security: {}\n---\nsecurity: {}\n", 2, "a second document"},
		{"security:\n\tallow_shell: true\n", 2, "indent with spaces"},
		{"security: {\n", 0, ""},
		{"\x00", 0, ""},
		{"\xffsecurity: {}", 0, ""},
		{strings.Repeat("[", 12000), 0, ""},
	}
	for _, tt := range tests {
		_, err := loadText(t, tt.text)
		var e *ConfigError
		if !errors.As(err, &e) {
			t.Errorf("%.40q: %v", tt.text, err)
			continue
		}
		if tt.line > 0 && e.Line != tt.line || !strings.Contains(err.Error(), tt.msg) {
			t.Errorf("%.40q: line %d (want %d): %v", tt.text, e.Line, tt.line, err)
		}
	}
}

// TestConfigFile refuses a file that another user could have written, and one that is not regular.
func TestConfigFile(t *testing.T) {
	load := func(name string, layer Layer, uid int) error {
		_, err := Load(Account{Home: "/home/dev", UID: uid}, ConfigFile{Path: name, Layer: layer})
		return err
	}
	ok := writeConfig(t, "security: {}\n", 0o600)
	read := writeConfig(t, "security: {}\n", 0o644)
	group := writeConfig(t, "security: {}\n", 0o664)
	world := writeConfig(t, "security: {}\n", 0o602)
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	os.Symlink(ok, link)
	big := writeConfig(t, strings.Repeat("#\n", MaxConfig/2+1), 0o600)
	me := os.Getuid()
	tests := []struct {
		name  string
		layer Layer
		uid   int
		msg   string // "" loads
	}{
		{ok, UserLayer, me, ""},
		{link, UserLayer, me, ""},
		{ok, UserLayer, me + 1, "must be owned by uid"},
		{read, UserLayer, me, ""},
		{read, WorkspaceLayer, me, ""},
		{group, UserLayer, me, "mode 0664"},
		{world, UserLayer, me, "mode 0602"},
		{group, WorkspaceLayer, me, ""}, // it can only tighten
		{ok, WorkspaceLayer, me + 1, ""},
		{link, WorkspaceLayer, me, "cannot be opened"},
		{fifo, UserLayer, me, "not a regular file"},
		{fifo, WorkspaceLayer, me, "not a regular file"},
		{t.TempDir(), UserLayer, me, "not a regular file"},
		{big, UserLayer, me, "larger than 1 MiB"},
		{ok + "/below", UserLayer, me, ""}, // ENOTDIR: there is none
	}
	if me != 0 {
		tests = append(tests, tests[0])
		tests[len(tests)-1].layer, tests[len(tests)-1].msg = FloorLayer, "must be owned by uid 0"
	}
	for _, tt := range tests {
		err := load(tt.name, tt.layer, tt.uid)
		switch {
		case tt.msg == "" && err != nil:
			t.Errorf("%s layer %d uid %d: %v", tt.name, tt.layer, tt.uid, err)
		case tt.msg != "" && (err == nil || !strings.Contains(err.Error(), tt.msg) ||
			!strings.Contains(err.Error(), tt.name)):
			t.Errorf("%s layer %d uid %d: %v, want %q", tt.name, tt.layer, tt.uid, err, tt.msg)
		}
	}
}

// TestWhoMayWriteTheConfiguration: of all modes exactly those are refused in which another user can
// write, for the file and for every directory above it, and the command that the refusal names
// mends it.
func TestWhoMayWriteTheConfiguration(t *testing.T) {
	root := t.TempDir()
	home := filepath.Join(root, "a", "b")
	name := filepath.Join(home, "config.yaml")
	link := filepath.Join(root, "link.yaml")
	if err := errors.Join(os.MkdirAll(home, 0o755), os.WriteFile(name, nil, 0o600),
		os.Symlink(name, link)); err != nil {
		t.Fatal(err)
	}
	check := func(path, changed string, mode os.FileMode) {
		t.Helper()
		file := ConfigFile{Path: path, Layer: UserLayer}
		_, err := Load(Account{Home: "/home/dev", UID: os.Getuid()}, file)
		if sticky := mode&os.ModeSticky != 0; mode&0o022 == 0 || sticky {
			if err != nil {
				t.Fatalf("%s with mode %v: %v", changed, mode, err)
			}
			return
		}
		var e *ConfigError
		_, fix, ok := strings.Cut(fmt.Sprint(err), "; try: ")
		if !errors.As(err, &e) || !ok || fix != fmt.Sprintf("chmod go-w %q", changed) {
			t.Fatalf("%s with mode %v: %v", changed, mode, err)
		}
		if out, err := exec.Command("sh", "-c", fix).CombinedOutput(); err != nil {
			t.Fatalf("%s: %s", fix, out)
		}
		if _, err := Load(Account{Home: "/home/dev", UID: os.Getuid()}, file); err != nil {
			t.Fatalf("after %s: %v", fix, err)
		}
	}
	for mode := os.FileMode(0o400); mode <= 0o777; mode++ { // what its owner can read
		if mode&0o400 == 0 {
			continue
		}
		os.Chmod(name, mode)
		check(name, name, mode)
	}
	os.Chmod(name, 0o600)
	missing := filepath.Join(home, "none", "config.yaml")
	for _, dir := range []string{home, filepath.Dir(home)} {
		for mode := os.FileMode(0); mode <= 0o77; mode++ {
			for _, sticky := range []os.FileMode{0, os.ModeSticky} {
				for _, path := range []string{name, missing, link} {
					os.Chmod(dir, 0o700|mode|sticky)
					check(path, dir, 0o700|mode|sticky)
				}
			}
		}
		os.Chmod(dir, 0o755)
	}
}

// FuzzConfig: whatever the bytes, there is a policy or a *ConfigError, and never a panic.
func FuzzConfig(f *testing.F) {
	for _, text := range []string{sample, "", "security: {command_level: never}",
		"rules: {paths: [{path: '~/[', verdict: ask}]}",
		"network: {default: list, allow: ['*.a']}", "a: &a [*a]", "? {a: b}\n: c\n", "!!binary x",
		"security: !!map {}", "- - - -", "%YAML 1.2\n---\n{}"} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file := ConfigFile{Path: "fuzz", Layer: UserLayer}
		set, err := decode(file, text, defaults())
		if err == nil {
			_, err = compile(Account{Home: "/home/dev"}, set, nil)
			if err == nil {
				return
			}
			t.Fatalf("decode took what compile refuses: %v", err)
		}
		var e *ConfigError
		if !errors.As(err, &e) || e.Msg == "" {
			t.Fatalf("%T %v", err, err)
		}
	})
}

// A workspace can bring a long configuration. What it takes to read it grows with its length, not
// with the square of it.
func TestLongConfiguration(t *testing.T) {
	base, err := Load(Account{Home: "/home/dev", EnvHome: "/home/dev"})
	if err != nil {
		t.Fatal(err)
	}
	for list, entry := range map[string]string{
		"rules: {commands: [%s]}": "{program: p, verdict: ask}, ",
		"rules: {paths: [%s]}":    "{path: /p, verdict: ask}, ",
		"rules: {hosts: [%s]}":    "{host: p.test, verdict: ask}, ",
		"expect: [%s]":            "{command: ls, verdict: ask}, ",
	} {
		takes := func(n int) uint64 {
			file := WorkspaceConfig("/w")
			file.Draft = fmt.Appendf(nil, list, strings.Repeat(entry, n))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := base.Tighten(file); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if few, many := takes(1000), takes(8000); many > 12*few {
			t.Errorf("%s: 1,000 entries take %d bytes, 8,000 take %d", list, few, many)
		}
	}
}
