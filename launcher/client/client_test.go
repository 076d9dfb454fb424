package client

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
)

// clientIn is an agent's program in an account of its own, called with some variables.
func clientIn(t *testing.T, agent string, env map[string]string) *Client {
	t.Helper()
	home := t.TempDir()
	if env == nil {
		env = map[string]string{}
	}
	files := Files{Home: home, State: filepath.Join(home, ".tada"),
		Policy: pathguard.Default(pathguard.Account{Home: home, UID: os.Getuid()})}
	return &Client{Agent: agent, files: files, dir: filepath.Join(home, ownFolder, agent, "w"),
		env: env, needs: needsOf(agent)}
}

func lay(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// An agent contacts its vendor, and the hosts in its own variables and in the person's settings;
// the keys are its own, and those that its settings name.
func TestClientContacts(t *testing.T) {
	for name, test := range map[string]struct {
		agent string
		env   map[string]string
		file  string
		text  string
		hosts []string
		keys  []string
	}{
		"plain": {"claude", nil, "", "", []string{"api.anthropic.com:443"}, nil},
		"own key": {"claude", map[string]string{"ANTHROPIC_API_KEY": "x",
			"OPENAI_API_KEY": "y", "AWS_SECRET_ACCESS_KEY": "z"}, "", "",
			[]string{"api.anthropic.com:443"}, []string{"ANTHROPIC_API_KEY"}},
		"other base": {"claude",
			map[string]string{"ANTHROPIC_BASE_URL": "https://me:pw@gw.test/v1?x"}, "", "",
			[]string{"gw.test:443"}, nil},
		"not its base": {"claude", map[string]string{"OPENAI_BASE_URL": "https://gw.test"}, "", "",
			[]string{"!gw.test"}, nil},
		"a port": {"claude", map[string]string{"ANTHROPIC_BASE_URL": "http://127.0.0.1:8080"}, "",
			"", []string{"127.0.0.1:8080"}, nil},
		"IPv6": {"claude", map[string]string{"ANTHROPIC_BASE_URL": "http://[::1]:8080/x"},
			"", "", []string{"[::1]:8080"}, nil},
		"many hosts": {"claude", map[string]string{"ANTHROPIC_BASE_URL": "http://*.test"}, "",
			"", []string{"!test"}, nil},
		"a net": {"claude", map[string]string{"ANTHROPIC_BASE_URL": "http://0.0.0.0%2f0"},
			"", "", []string{"!0.0"}, nil},
		"no address": {"claude", map[string]string{"ANTHROPIC_BASE_URL": "file:///etc/passwd"},
			"", "", []string{"!passwd"}, nil},
		"TOML": {"codex", map[string]string{"GW_KEY": "x", "OTHER_KEY": "y"},
			".codex/config.toml", "[model_providers.gw]\nbase_url = \"https://gw.test/v1\"\n" +
				"env_key = 'GW_KEY'\nurl = \"https://no.test\"\n",
			[]string{"gw.test:443", "!no.test"}, []string{"GW_KEY"}},
		"JSON": {"opencode", map[string]string{"GROQ_API_KEY": "x"},
			".config/opencode/opencode.json",
			`{"provider":{"a":{"options":{"baseURL":"http://gw.test:1234/v1"}}}}`,
			[]string{"gw.test:1234", "api.groq.com:443"}, []string{"GROQ_API_KEY"}},
		"no variable": {"codex", map[string]string{"LD_PRELOAD; x": "y"}, ".codex/config.toml",
			"env_key = \"LD_PRELOAD; x\"\n", []string{"api.openai.com:443"}, nil},
		"another place": {"codex", map[string]string{"CODEX_HOME": "HOME/elsewhere"},
			"elsewhere/config.toml", "base_url = \"https://gw.test/v1\"\n", []string{"gw.test:443"},
			nil},
	} {
		c := clientIn(t, test.agent, test.env)
		for name, value := range c.env {
			c.env[name] = strings.ReplaceAll(value, "HOME", c.files.Home)
		}
		if test.file != "" {
			lay(t, filepath.Join(c.files.Home, test.file), test.text)
		}
		c.contacts()
		for _, want := range test.hosts {
			not, isNot := strings.CutPrefix(want, "!")
			if isNot == slices.ContainsFunc(c.Hosts, func(h string) bool {
				return h == want || isNot && strings.Contains(h, not) &&
					!strings.Contains(h, "anthropic") && !strings.Contains(h, "claude") &&
					!strings.Contains(h, "openai.com")
			}) {
				t.Errorf("%s: hosts %q, want %q", name, c.Hosts, want)
			}
		}
		if !slices.Equal(c.Keys, test.keys) {
			t.Errorf("%s: keys %q, want %q", name, c.Keys, test.keys)
		}
	}
}

// The program gets its keys, and the place of its own folder instead of the caller's; no other
// secret comes back.
func TestClientEnvironment(t *testing.T) {
	c := clientIn(t, "gemini", map[string]string{"GEMINI_API_KEY": "k", "GEMINI_CLI_HOME": "/x",
		"GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_API_KEY": "no"})
	c.contacts()
	got := c.Environment([]string{"HOME=/h", "GEMINI_CLI_HOME=/x", "GEMINI_CLI_HOME_2=/y"})
	want := []string{"HOME=/h", "GEMINI_CLI_HOME_2=/y", "GEMINI_CLI_HOME=" + c.dir,
		"GEMINI_API_KEY=k", "GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := c.Removed([]string{"ANTHROPIC_API_KEY", "GEMINI_API_KEY"}); !slices.Equal(got,
		[]string{"ANTHROPIC_API_KEY"}) {
		t.Errorf("it does not get %q", got)
	}
	if got := (*Client)(nil).Environment([]string{"A=1"}); !slices.Equal(got, []string{"A=1"}) {
		t.Errorf("%q for a command", got)
	}
}

// What is put into the session's own folder is the person's as it is now. Whatever an earlier
// session has left there, nothing outside of it changes, and nothing that policy keeps is copied.
func TestFurnish(t *testing.T) {
	c := clientIn(t, "claude", nil)
	in := func(name string) string { return filepath.Join(c.dir, name) }
	out := func(name string) string { return filepath.Join(c.files.Home, name) }
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			return err.Error()
		}
		return string(text)
	}
	lay(t, out(".claude/settings.json"), "settings 1")
	lay(t, out(".claude/agents/a.md"), "agent")
	lay(t, out(".claude/.credentials.json"), "login")
	lay(t, out(".claude.json"),
		`{"theme":"dark","mcpServers":{"x":{"env":{"TOKEN":"secret"}}},"oauthAccount":{"a":1}}`)
	lay(t, out(".ssh/id_rsa"), "secret")
	furnish := func() {
		t.Helper()
		c.Logins = nil
		for _, n := range c.of("login") {
			if c.files.may(c.outer(n.words[0])) {
				c.Logins = append(c.Logins, c.outer(n.words[0]))
			}
		}
		if _, err := c.Furnish(); err != nil {
			t.Fatal(err)
		}
	}
	furnish()
	for name, want := range map[string]string{
		".claude/settings.json": "settings 1", ".claude/agents/a.md": "agent",
		".claude/.credentials.json": "login",
		".claude/.claude.json":      `{"oauthAccount":{"a":1},"theme":"dark"}`,
	} {
		if got := read(in(name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}

	// A session has written there, and the person has changed what is hers.
	lay(t, in(".claude/.claude.json"), "its own")
	lay(t, in(".claude/projects/p.jsonl"), "conversation")
	lay(t, out(".claude/settings.json"), "settings 2")
	for _, link := range [][2]string{{".ssh/id_rsa", ".claude/settings.json"},
		{".ssh", ".claude/commands"}, {".ssh", ".claude/agents"}} {
		if err := os.RemoveAll(in(link[1])); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(out(link[0]), in(link[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(out(".claude/CLAUDE.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../.ssh/id_rsa", out(".claude/CLAUDE.md")); err != nil {
		// a link of the person's leads to a secret
		t.Fatal(err)
	}
	furnish()
	for name, want := range map[string]string{
		".claude/settings.json": "settings 2", ".claude/agents/a.md": "agent",
		".claude/.claude.json": "its own", ".claude/projects/p.jsonl": "conversation",
	} {
		if got := read(in(name)); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	for _, name := range []string{".claude/CLAUDE.md", ".claude/commands"} {
		if _, err := os.Lstat(in(name)); err == nil {
			t.Errorf("%s is there", name)
		}
	}
	if got := read(out(".ssh/id_rsa")); got != "secret" {
		t.Errorf("outside of its folder a file is %q", got)
	}

	// The person has taken hers away.
	if err := os.RemoveAll(out(".claude")); err != nil {
		t.Fatal(err)
	}
	furnish()
	for _, name := range []string{".claude/settings.json", ".claude/agents",
		".claude/.credentials.json"} {
		if _, err := os.Lstat(in(name)); err == nil {
			t.Errorf("%s is still there", name)
		}
	}

	// A folder that leads elsewhere is refused.
	if err := os.RemoveAll(in(".claude")); err != nil {
		t.Fatal(err)
	}
	lay(t, out(".claude/settings.json"), "settings 3")
	if err := os.Symlink(out(".ssh"), in(".claude")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Furnish(); err == nil || !strings.Contains(err.Error(), "rm -r") {
		t.Errorf("%v", err)
	}
	if entries, err := os.ReadDir(out(".ssh")); err != nil || len(entries) != 1 {
		t.Errorf("outside of its folder there is %v, %v", entries, err)
	}
}

// Of a folder that other programs look for by the same variable, they find what they would have
// found.
func TestFurnishRest(t *testing.T) {
	c := clientIn(t, "opencode", nil)
	lay(t, filepath.Join(c.files.Home, ".config/git/config"), "git")
	lay(t, filepath.Join(c.files.Home, ".config/opencode/opencode.json"), "{}")
	lay(t, filepath.Join(c.files.Home, ".config/opencode/secret.txt"), "no")
	if _, err := c.Furnish(); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{".config/git/config": true,
		".config/opencode/opencode.json": true, ".config/opencode/secret.txt": false,
		".local/state/tada-run": false} {
		if _, err := os.Stat(filepath.Join(c.dir, name)); (err == nil) != want {
			t.Errorf("%s: %v, want it there: %v", name, err, want)
		}
	}
}

// An agent may have what every command may read, and its own credentials under their own name;
// nothing by a link, and nothing restricted.
func TestMayHave(t *testing.T) {
	c := clientIn(t, "codex", nil)
	at := func(name string) string { return filepath.Join(c.files.Home, name) }
	for _, name := range []string{".codex/config.toml", ".codex/auth.json", ".ssh/id_rsa",
		".tada/config.yaml"} {
		lay(t, at(name), "x")
	}
	if err := os.Symlink(at(".ssh/id_rsa"), at(".codex/linked.json")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{".codex/config.toml": true, ".codex/auth.json": true,
		".codex/linked.json": false, ".tada/config.yaml": false, ".codex/none": false} {
		if got := c.files.may(at(name)); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// What the table adds comes before the words of the user, and only behind the agent's own name.
func TestClientArguments(t *testing.T) {
	const off = "-c features.daemon_auto_start=false"
	for words, want := range map[string]string{
		"codex":                     "codex " + off,
		"/usr/bin/codex exec x":     "/usr/bin/codex " + off + " exec x",
		"node /usr/bin/codex":       "node /usr/bin/codex",
		"npx codex":                 "npx codex",
		"claude --resume codex x y": "claude --resume codex x y",
	} {
		c := clientIn(t, "codex", nil)
		if strings.HasPrefix(words, "claude") {
			c = clientIn(t, "claude", nil)
		}
		if got := strings.Join(c.Arguments(strings.Fields(words)), " "); got != want {
			t.Errorf("%s: %s, want %s", words, got, want)
		}
	}
	if got := (*Client)(nil).Arguments([]string{"codex"}); len(got) != 1 {
		t.Error(got)
	}
}

// Who starts Codex with a sandbox of its own is told that it cannot have one in a session.
func TestClientAdvice(t *testing.T) {
	for words, file := range map[string]string{
		"codex -s danger-full-access": "",
		"codex exec --yolo":           "",
		"codex":                       "sandbox_mode = \"danger-full-access\"\n",
		"! codex":                     "sandbox_mode = \"read-only\"\n",
		"! codex -s workspace-write":  "",
		"claude":                      "",
	} {
		c := clientIn(t, strings.Fields(strings.TrimPrefix(words, "! "))[0], nil)
		for _, n := range c.of("copy") {
			lay(t, c.outer(n.words[0]), file)
		}
		got := c.Advice(strings.Fields(words))
		if told := got != ""; told != strings.HasPrefix(words, "!") {
			t.Errorf("%s, %q: %q", words, file, got)
		}
	}
}

// What a program unpacks for itself is in the session's own folder: in a shared directory it may
// make no hidden names.
func TestUnpackedIsTheSessionsOwn(t *testing.T) {
	for _, agent := range []string{"opencode", "claude"} {
		c := clientIn(t, agent, nil)
		if _, err := c.Furnish(); err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(c.dir, "unpacked")
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() ||
			!slices.Contains(c.Environment(nil), "BUN_TMPDIR="+dir) {
			t.Errorf("%s: %v, %q", agent, err, c.Environment(nil))
		}
	}
}
