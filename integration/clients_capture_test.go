package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// captureShell notes how it was called and the names in its environment, in a file with the time in
// its name, and then executes the real shell.
const captureShell = `#!/bin/bash
{ printf '%s\0' "$0" "$@"; printf '\0'; compgen -e; } > LOG/$EPOCHREALTIME.$$
exec -a "$0" /bin/bash "$@"
`

// captureHook notes its input in the same way, and then executes the real hook.
const captureHook = `#!/bin/bash
test "$1 $2" = "hook run" || exec TADACTL "$@"
log=LOG/$EPOCHREALTIME.$$
cat > $log
exec TADACTL "$@" < $log
`

// TestClientsCapture writes what each client passes to its shell and its hook to testdata/clients:
// make capture-clients.
func TestClientsCapture(t *testing.T) {
	needClients(t)
	if os.Getenv("UPDATE") == "" {
		t.Skip("writes testdata/clients; to run it: make capture-clients")
	}
	for _, c := range chosen() {
		t.Run(c.name, func(t *testing.T) {
			version := c.version(t)
			got := capture{Versions: []string{version}}
			got.shell(t, c, version)
			if c.hooked() {
				got.hook(t, c, version)
			}
			got.keep(t, filepath.Join("testdata/clients", c.name))
		})
	}
}

func (got *capture) shell(t *testing.T, c client, version string) {
	b := newBench(t, c, "BIN/bash")
	log := logDir(t, b)
	program(t, filepath.Join(b.bin, "bash"), strings.ReplaceAll(captureShell, "LOG", log))
	for _, name := range []string{"CLAUDE_CODE_SHELL", "SHELL", "COPILOT_BASH_PATH"} {
		setenv(b, name, filepath.Join(b.bin, "bash"))
	}
	if c.name == "pi" { // a setting alone names its shell
		write(t, filepath.Join(b.home, ".pi/agent/settings.json"),
			fmt.Sprintf(`{"shellPath":%q}`, filepath.Join(b.bin, "bash")))
	}
	setenv(b, "PATH", b.bin+":"+os.Getenv("PATH"))
	// The first call may come before Codex is ready, and is then made in another way.
	b.play(t, c, c.tool("sleep 1"), c.tool("true"), c.tool("echo 'it''s' \"$HOME\"; cd sub"),
		c.tool("cat <<'E' | wc -l\none\nE"), c.tool("pwd < /dev/null"),
		c.tool("make -j2 && ls -l | head -3"))
	var given, texts []string
	for _, word := range append(b.command(t, "true").Env,
		append(slices.Clone(c.env), b.model.env...)...) {
		name, _, _ := strings.Cut(word, "=")
		given = append(given, name)
	}
	for _, row := range noted(t, log) {
		words, env, _ := strings.Cut(b.plain(version, row), "\x00\x00")
		for name := range strings.FieldsSeq(env) {
			if !slices.Contains(given, name) && name != "_" && !slices.Contains(got.Env, name) {
				got.Env = append(got.Env, name)
			}
		}
		argv := strings.Split(words, "\x00")
		text := argv[len(argv)-1]
		call := shellCall{Argv: argv[:len(argv)-1]}
		call.fold(texts, text)
		got.Shell, texts = append(got.Shell, call), append(texts, text)
	}
	slices.Sort(got.Env)
}

func (got *capture) hook(t *testing.T, c client, version string) {
	b := newBench(t, c, "/bin/bash")
	log, real := logDir(t, b), filepath.Join(filepath.Dir(b.home), "real")
	b.ctl(t, "hook", "install", c.name)
	for _, step := range []func() error{
		func() error { return os.Mkdir(real, 0o700) },
		func() error {
			return os.Rename(filepath.Join(b.bin, "tadactl"), filepath.Join(real, "tadactl"))
		},
		func() error {
			return os.Link(filepath.Join(b.bin, "tada-run"), filepath.Join(real, "tada-run"))
		},
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	program(t, filepath.Join(b.bin, "tadactl"),
		strings.NewReplacer("LOG", log, "TADACTL",
			filepath.Join(real, "tadactl")).Replace(captureHook))
	tools := sessionClients[c.name]
	calls := []toolCall{c.tool("true"), tools.write(filepath.Join(b.work, "made"))}
	if tools.unknown.name != "" {
		calls = append(calls, tools.unknown)
	}
	b.each(t, c, calls...)
	for _, row := range noted(t, log) {
		var payload bytes.Buffer
		if err := json.Indent(&payload, []byte(b.plain(version, row)), "    ", "  "); err != nil {
			t.Fatalf("%v: %s", err, row)
		}
		got.Hook = append(got.Hook, payload.Bytes())
	}
}

// program writes a program in place of the existing file, which may be a link.
func program(t *testing.T, path, text string) {
	t.Helper()
	_ = os.Remove(path)
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700),
		hermetic.WriteProgram(path, []byte(text), 0o700))
	if err != nil {
		t.Fatal(err)
	}
}

func logDir(t *testing.T, b *bench) string {
	t.Helper()
	dir := filepath.Join(filepath.Dir(b.home), "log")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// noted returns the notes in a directory, in their order, except those about the first command.
func noted(t *testing.T, dir string) (rows []string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(filepath.Join(dir, file.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(raw, []byte("sleep 1")) {
			rows = append(rows, string(raw))
		}
	}
	return rows
}

// madeUp are names and numbers that differ from call to call; the replacement of each has the same
// shape.
var madeUp = []struct {
	pattern *regexp.Regexp
	plain   string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`),
		"00000000-0000-0000-0000-000000000000"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\dT\d\d[:-]\d\d([:-]\d\d)?(\.\d+)?Z?`),
		"2000-01-01T00:00:00.000Z"},
	{regexp.MustCompile(`\b20\d\d/\d\d/\d\d/`), "2000/01/01/"},
	{regexp.MustCompile(`\b\d{13}\b`), "0000000000000"},
	{regexp.MustCompile(`\b\d{19}\b`), "0000000000000000000"},
	{regexp.MustCompile(`(snapshot-(?:ba|z)?sh-\d+)-[0-9a-z]+`), "$1-aaaaaa"},
	{regexp.MustCompile(`claude-[0-9a-f]+-cwd`), "claude-0000-cwd"},
	{regexp.MustCompile(`CLAUDE_CODE_END_[0-9a-z]+`), "CLAUDE_CODE_END_a"},
	{regexp.MustCompile(`gemini-shell-[0-9A-Za-z]+`), "gemini-shell-aaaaaa"},
	{regexp.MustCompile(`shell_pgrep_[0-9a-f]+`), "shell_pgrep_0000"},
	{regexp.MustCompile(`ses_[0-9A-Za-z]+`), "ses_a"},
	{regexp.MustCompile(`00Z-[0-9a-f]{8}\.json`), "00Z-aaaaaaaa.json"},
	{regexp.MustCompile(`toolu_\d+_[0-9a-z]+`), "toolu_0_a"},
	{regexp.MustCompile(`run_shell_command[_-]\d+[_-][0-9a-z]+`), "run_shell_command_0_a"},
	{regexp.MustCompile(`_env_snapshot_[0-9a-f_]+__`), "_env_snapshot_0__"},
}

// plain returns a text without what another machine or another call would have differently.
func (b *bench) plain(version, text string) string {
	base := filepath.Dir(b.home)
	for _, r := range [][2]string{{base, "/base"}, {strings.ReplaceAll(base, "/", "-"), "-base"},
		{os.Getenv("PATH"), "/usr/bin:/bin"}, {version, "VERSION"}} {
		text = strings.ReplaceAll(text, r[0], r[1])
	}
	for _, m := range madeUp {
		text = m.pattern.ReplaceAllString(text, m.plain)
	}
	return text
}
