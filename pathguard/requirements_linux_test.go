package pathguard

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard/intent"
	"github.com/tada-run/tada-run/pathguard/resolve"
)

// desk is a guard for an account in a directory of its own: home/dev with a workspace in it.
func desk(t testing.TB, config string, entries ...string) (Guard, string) {
	t.Helper()
	return deskOf(t, "dev", config, entries...)
}

func deskOf(t testing.TB, user, config string, entries ...string) (Guard, string) {
	t.Helper()
	root := hermetic.Tree(t, append([]string{"home/" + user + "/", "w/.git/", "w/src/a.go"},
		entries...)...)
	home := root + "/home/" + user
	set, err := decode(ConfigFile{Path: "test", Layer: UserLayer},
		[]byte(strings.ReplaceAll(config, "@", root)), defaults())
	if err != nil {
		t.Fatal(err)
	}
	p, err := compile(Account{Home: home, EnvHome: home, UID: os.Getuid()}, set, nil)
	if err != nil {
		t.Fatal(err)
	}
	return Guard{Policy: p, Caller: resolve.Caller{Dir: root + "/w", Home: home, UID: os.Getuid(),
		Root: root + "/w",
		Env:  map[string]string{"HOME": home, "PATH": "/usr/bin:/bin"}}}, root
}

func (g Guard) expect(t *testing.T, d Decision, lines ...string) {
	t.Helper()
	for _, line := range lines {
		r, err := g.AnalyzeShellCommand(line)
		if err != nil || r.Verdict != d {
			t.Errorf("%q: %v, want %v (%v) %s", line, r.Verdict, d, err, r.Reason)
		}
		if r.Allowed != (d == Allow) && err == nil || r.RequiresAuth != (d == Ask) && err == nil ||
			r.Allowed && r.RequiresAuth {
			t.Errorf("%q: allowed %v, requires_auth %v", line, r.Allowed, r.RequiresAuth)
		}
	}
}

// C-1.2, C-7.2.4, C-10.2: the caller's own judgement raises a verdict and never lowers one.
func TestC1_2_Intent(t *testing.T) {
	g, _ := desk(t, "")
	for hint, want := range map[string][2]Decision{"": {Allow, Deny}, "safe": {Allow, Deny},
		"dangerous": {Ask, Deny}, "anything": {Ask, Deny}} {
		g.Caller.Intent = intent.Intent{Hint: hint}
		g.expect(t, want[0], "ls")
		g.expect(t, want[1], "rm -rf ~")
	}
	g.Caller.Intent = intent.Intent{NeedsConfirm: true, Reason: "drops a table"}
	if r, _ := g.AnalyzeShellCommand("ls"); r.Verdict != Ask ||
		!strings.Contains(r.Warning, "drops a table") {
		t.Errorf("%+v", r)
	}
	for text, ok := range map[string]bool{`{"needs_confirm":true}`: true,
		`{"hint":"safe","commands":[{"cmd":"ls"}],"reason":""}`: true, `{}`: true,
		`{"needs_confirm":"yes"}`: false, `{"allow":true}`: false, `{} {}`: false, ``: false,
		`[]`: false, `{"hint":`: false, strings.Repeat(" ", 1<<20+1): false} {
		if _, err := intent.Parse(strings.NewReader(text)); (err == nil) != ok {
			t.Errorf("%.30q: %v", text, err)
		}
	}
}

// C-3.1.2, C-3.1.3, C-3.1.4: the three levels.
func TestC3_1_Levels(t *testing.T) {
	always, _ := desk(t, "security: {command_level: always}")
	always.expect(t, Ask, "ls", "git status", "rm -rf src")
	always.expect(t, Deny, "rm -rf /")
	dangerous, _ := desk(t, "security: {command_level: dangerous}")
	dangerous.expect(t, Allow, "ls")
	dangerous.expect(t, Ask, "rm -rf src")
	never, _ := desk(t, "security: {command_level: never}")
	never.expect(t, Allow, "ls")
	never.expect(t, Deny, "rm -rf src", "echo x > /etc/x")
}

// C-3.1.5, C-6.2.2, C-7.2.5, C-7.2.12, C-10.3: no access to a restricted path, however it is
// spelled.
func TestC3_1_5_Restricted(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [/etc, ~/vault, '@/deep/in']}",
		"home/dev/vault/key", "deep/in/x", "w/link -> /etc/passwd", "w/dir -> @/home/dev/vault",
		"w/b/c/d/")
	up := strings.Repeat("../", strings.Count(root, "/")+1)
	g.expect(t, Deny, "cat /etc/passwd", "cat /etc/./passwd", "cat //etc//passwd",
		"cat "+up+"etc/passwd", "cat b/../"+up+"etc/passwd", "cat link", "cat < link",
		"cat ~/vault/key",
		"cat $HOME/vault/key", `cat "${HOME}/vault/key"`, "cat dir/key", "cat dir/../vault/key",
		"ls ~/vault", "cd ~/vault && ls", "echo x > ~/vault/new", "cat ~/v*/key", "cat ~/vault/k?y",
		"cat /e?c/passwd", "cat {~/vault,src}/key", "rm -rf "+root+"/deep", "rm -rf ~/vault",
		"cat /proc/self/root/etc/passwd", "cat /proc/self/cwd/link", "grep x -r ~/vault",
		"cp ~/vault/key .",
		"X=~/vault; cat $X/key", "tar cf x.tar ~/vault", "ln -s /etc/passwd l2 && cat l2",
		"sh -c 'cat /etc/passwd'", "cat <<< $(< /etc/passwd)",
		"mv ~/vault ~/other", "chmod -R 700 "+root+"/deep", "find ~/vault -name k",
		"cat ${X:-/etc/passwd}", "env cat /etc/passwd", "xargs -a /etc/passwd echo")
	g.expect(t, Allow, "cat /etcetera", "ls "+root+"/deep", "cat src/a.go", "echo /etc/passwd",
		"git commit -m 'read /etc/passwd'")
}

// C-3.1.6, C-6.2.3, C-7.2.6, C-10.4: a readonly path may be read; writing it asks, with a warning.
func TestC3_1_6_ReadOnly(t *testing.T) {
	g, root := desk(t, "security: {readonly_paths: [~/.ssh, '@/w/vendor']}", "home/dev/.ssh/config",
		"w/vendor/m.go")
	g.expect(t, Allow, "cat vendor/m.go", "ls ~/.ssh")
	g.expect(t, Ask, "echo x > vendor/m.go", "echo x >> ~/.ssh/id_rsa", "rm vendor/m.go",
		"touch vendor/new", "chmod 777 ~/.ssh", "mv vendor v2", "sed -i s/a/b/ vendor/m.go",
		"cp src/a.go vendor/")
	r, err := g.CheckPathAccess("~/.ssh/id_rsa", true)
	if err != nil || !r.RequiresAuth || r.Warning == "" {
		t.Errorf("%+v %v", r, err)
	}
	if r, _ := g.CheckPathAccess(root+"/w/vendor/m.go", false); !r.Allowed {
		t.Errorf("%+v", r)
	}
}

// C-3.2.1, C-3.2.2, C-3.2.3, C-3.2.4, C-7.2.1, C-7.2.2, C-7.2.3, C-7.2.8, C-7.2.9, C-10.5: the
// names of the source document.
func TestC3_2_Checks(t *testing.T) {
	g, _ := desk(t, "security: {restricted_paths: [/etc]}")
	type check struct {
		r   CheckResult
		err error
	}
	got := func(r CheckResult, err error) check { return check{r, err} }
	tests := []struct {
		name string
		got  check
		want Decision
	}{
		{"rm -rf /", got(g.CheckCommand("rm", "-rf", "/")), Deny},
		{"ls", got(g.CheckCommand("ls")), Allow},
		{"ls; rm as a word", got(g.CheckCommand("echo", "; rm -rf /")), Allow},
		{"chmod 777 ~/.ssh", got(g.CheckCommand("chmod", "777", g.Caller.Home+"/.ssh")), Ask},
		{"read /etc/passwd", got(g.CheckPathAccess("/etc/passwd", false)), Deny},
		{"write /etc/passwd", got(g.CheckPathAccess("/etc/passwd", true)), Deny},
		{"read src", got(g.CheckPathAccess("src/a.go", false)), Allow},
		{"write src", got(g.CheckPathAccess("src/a.go", true)), Allow},
		{"ls | grep test", got(g.AnalyzeShellCommand("ls | grep test")), Allow},
		{"cat file > /etc/config", got(g.AnalyzeShellCommand("cat file > /etc/config")), Deny},
	}
	for _, tt := range tests {
		if tt.got.err != nil || tt.got.r.Verdict != tt.want {
			t.Errorf("%s: %v, want %v: %+v %v", tt.name, tt.got.r.Verdict, tt.want, tt.got.r,
				tt.got.err)
		}
	}
	bad := Guard{Policy: g.Policy, Caller: resolve.Caller{Dir: "relative"}}
	if r, err := bad.AnalyzeShellCommand("ls"); err == nil || r.Allowed || r.Verdict != Deny {
		t.Errorf("an error is not closed: %+v %v", r, err)
	}
}

// C-3.2.4: the JSON of a result, byte for byte.
func TestC3_2_4_JSON(t *testing.T) {
	g, root := desk(t, "")
	r, err := g.AnalyzeShellCommand("rm -rf src")
	if err != nil {
		t.Fatal(err)
	}
	text, _ := json.Marshal(r)
	want := `{"allowed":false,"requires_auth":true,"warning":"deletes everything below @/w/src","reason":"deletes everything below @/w/src",` +
		`"verdict":"ask","risk":1,"rules":["delete.tree"],"spans":[[7,10]],"effects":["delete tree @/w/src"]}`
	if got := strings.ReplaceAll(string(text), root, "@"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// C-3.3.1: the built-in dangerous commands, plain and in disguise, outside the workspace.
func TestC3_3_1_DangerousCommands(t *testing.T) {
	g, _ := desk(t, "", "home/dev/notes/a")
	found := strings.NewReplacer("~/notes/a", "{}", "~/notes", "{}", "$HOME/notes/a", "{}",
		"/dev/sda1", "{}")
	flagged := func(line, rule string) {
		t.Helper()
		if r, err := g.AnalyzeShellCommand(line); err != nil || r.Verdict > Ask ||
			!slices.Contains(r.Rules, rule) {
			t.Errorf("%q: %v for %q, want %s (%v)", line, r.Verdict, r.Rules, rule, err)
		}
	}
	ways := []string{"%", "/bin/%", "/usr/sbin/%", `\%`, "command %", "env %", "env -i A=b %",
		"sudo %", "doas %", "nice -n 5 %", "timeout -k 1 5 %", "sh -c '%'", `bash -lc "%"`,
		"eval '%'", "{ %; }",
		"(%)", "true && %", "false || %", "echo $(%)", "nohup %", "exec %", "setsid %",
		"if %; then :; fi", "f() { %; }; f", "! %", "time %", "% &"}
	for line, rule := range map[string]string{
		// by the rule of the command itself, in whatever way it is started
		"rm -r ~/notes": "delete.outside", "rm ~/notes/a": "delete.outside",
		"rmdir ~/notes": "delete.outside", "dd if=/dev/zero of=$HOME/notes/a": "disk.fill",
		"mkfs /dev/sda1": "disk.format", "mkfs.ext4 /dev/sda1": "disk.format",
		"mkfs -t ext4 /dev/sda1": "disk.format", "format /dev/sda1": "disk.format",
		"chmod 777 ~/notes": "perm.world-writable", "chown root ~/notes": "perm.owner",
		"userdel bob": "acct.change", "groupdel staff": "acct.change",
	} {
		program, args, _ := strings.Cut(line, " ")
		for _, way := range ways {
			flagged(strings.Replace(way, "%", line, 1), rule)
		}
		for _, way := range []string{"echo " + args + " | xargs " + program,
			"find ~/notes /dev -maxdepth 1 -exec " + found.Replace(line) + " \\;",
			program[:1] + "''" + line[1:], "'" + program + "' " + args,
			"x=" + program + "; $x " + args} {
			flagged(way, rule)
		}
	}
	for _, way := range ways {
		// and the ways themselves are no danger, but those that change who it is
		if line := strings.Replace(way, "%", "ls", 1); !strings.HasPrefix(way, "sudo") &&
			!strings.HasPrefix(way, "doas") && !strings.HasPrefix(way, "/") {
			g.expect(t, Allow, line)
		}
	}
	flagged("find ~/notes -delete", "delete.outside")
	flagged("dd if=x of=/dev/sda", "write.device")
}

func (g Guard) expectAtLeast(t *testing.T, d Decision, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if r, err := g.AnalyzeShellCommand(line); err != nil || r.Verdict > d {
			t.Errorf("%q: %v, want %v or stricter (%v)", line, r.Verdict, d, err)
		}
	}
}

// C-3.3.2: the patterns of the source document as what they mean, not as text.
func TestC3_3_2_DangerousPatterns(t *testing.T) {
	g, root := desk(t, "", "w/.x")
	g.expect(t, Deny, "rm -rf /", "rm  -rf   /", "rm -r -f /", "rm -fr /", "rm / -rf",
		"rm --recursive --force /", "'rm' '-rf' '/'", "rm -rf //", "rm -rf /.", "rm -rf /../",
		"X=/; rm -rf $X", "rm -rf /*",
		"rm -rf ~", "rm -rf $HOME", "rm -rf ~/", "rm -rf "+filepath.Dir(root), "rm -rf /usr",
		"rm -rf /etc", "chmod 777 /", "chmod -R 777 /", "chmod 0777 /", "chown -R x /",
		"rm -rf ~/*", "rm -rf --no-preserve-root /",
		"cd / && rm -rf *", "rm -rf /home/*", "cat x > /dev/sda")
	g.expect(t, Ask, "rm -rf .", "rm -rf *", "rm -rf .git", "rm -rf src", "rm -rf "+root+"/w")
	g.expectAtLeast(t, Ask, "rm -rf .*", "> /", "> /etc/passwd", ": > *")
	g.expect(t, Allow, "rm -rf /tmp/x-of-a-test", "echo x > /tmp/x", "rm src/a.go",
		"rm -rf node_modules dist")
}

// C-3.4.1, C-7.2.13: IsRestricted follows the real path.
func TestC3_4_1_IsRestricted(t *testing.T) {
	g, root := desk(t, "security: {restricted_paths: [/etc]}", "w/link -> /etc",
		"w/deep -> link/ssl", "home/dev/x")
	for name, want := range map[string]bool{"/etc": true, "/etc/": true, "/etc/../etc/passwd": true,
		root + "/w/link": true, "link/passwd": true, "deep/certs": true, "/etcetera": false,
		"/usr/../etc": true, "src": false, "~/x": false, "/": false} {
		if got := g.IsRestricted(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if !(Guard{Caller: resolve.Caller{Dir: "/"}}).IsRestricted("/x") ||
		!(Guard{Policy: g.Policy}).IsRestricted("/x") {
		t.Error("what cannot be resolved is not restricted")
	}
}

// C-3.4.2: IsReadOnly says so for writing only.
func TestC3_4_2_IsReadOnly(t *testing.T) {
	g, _ := desk(t, "security: {readonly_paths: [~/.ssh]}", "home/dev/.ssh/id_rsa")
	if !g.IsReadOnly("~/.ssh/id_rsa", true) || g.IsReadOnly("~/.ssh/id_rsa", false) ||
		g.IsReadOnly("src", true) {
		t.Error("readonly")
	}
}

// C-3.4.3, C-7.2.14: every way of naming a path.
func TestC3_4_3_ExtractPaths(t *testing.T) {
	g, root := desk(t, "", "w/b.txt", "w/sub/c.txt", "home/dev/n")
	w := root + "/w/"
	tests := map[string][]string{
		"cat src/a.go b.txt":                   {w + "src/a.go", w + "b.txt"},
		"sort --output=out b.txt":              {w + "out", w + "b.txt"},
		"cat < b.txt > out 2>> err":            {w + "b.txt", w + "out", w + "err"},
		"cat *.txt":                            {w + "b.txt"},
		"cat ~/n $HOME/n":                      {root + "/home/dev/n", root + "/home/dev/n"},
		"cd sub && cat c.txt":                  {w + "sub", w + "sub/c.txt"},
		"cat '/etc/pass'wd":                    {"/etc/passwd"},
		"cat {b,sub/c}.txt":                    {w + "b.txt", w + "sub/c.txt"},
		"grep -rn --file=b.txt sub":            {w + "b.txt", w + "sub"},
		"cp -t sub b.txt":                      {w + "sub", w + "b.txt"},
		"dd if=b.txt of=out":                   {w + "b.txt", w + "out"},
		"X=b; cat ${X}.txt ${Y:-/etc/passwd}":  {w + "b.txt", "/etc/passwd"},
		"cat <<< hello":                        nil,
		`cat <<< "$(< b.txt)"`:                 {w + "b.txt"},
		"echo b.txt":                           nil,
		"diff <(sort b.txt) <(sort sub/c.txt)": {w + "b.txt", w + "sub/c.txt"},
	}
	for line, want := range tests {
		got, err := g.ExtractPaths(line)
		if err != nil {
			t.Errorf("%q: %v", line, err)
		}
		for _, path := range want {
			if !slices.Contains(got, path) {
				t.Errorf("%q: %q lacks %q", line, got, path)
			}
		}
		if len(want) == 0 && len(got) != 0 {
			t.Errorf("%q: %q, want none", line, got)
		}
	}
}

// C-3.5.1, C-3.5.2, C-6.2.5: operators are not dangerous; where they write may be.
func TestC3_5_Redirections(t *testing.T) {
	g, _ := desk(t, "", "home/x")
	g.expect(t, Allow, "ls | grep test", "ls > out", "ls >> out", "ls 2>&1 | tee log",
		"ls 2>/dev/null", "sort < src/a.go | uniq -c")
	for _, to := range []string{"/etc/x", "/usr/x", "/System/x"} {
		g.expectAtLeast(t, Ask, "ls > "+to, "ls >> "+to, "ls >| "+to, "ls &> "+to, "ls &>> "+to,
			"cat <> "+to, "ls | tee "+to, "dd if=a of="+to, "cp a "+to, "install a "+to, "mv a "+to,
			"ln -s a "+to, "sed -i s/a/b/ "+to, "truncate -s0 "+to)
	}
	g.Caller.Env = maps.Clone(g.Caller.Env)
	g.Caller.Env["HOME"] = "/home/dev" // whose parent is no temporary place
	g.expectAtLeast(t, Ask, "ls > ~/../x", "ls >> ~/../x", "ls &> ~/../x", "ls | tee ~/../x",
		"dd if=a of=$HOME/../x", "cp a ~/../x")
	v, plan, _ := g.judge("cat file > /etc/config")
	plan.Close()
	var e *SecurityError
	if !errors.As(v.Err(English), &e) || e.Type != DangerousShell {
		t.Errorf("%v", v.Err(English))
	}
}

// C-3.5.3, C-7.2.11: whatever the text is, there is an answer.
func TestC3_5_3_AnyText(t *testing.T) {
	t.Parallel()
	g, _ := desk(t, "")
	for _, text := range []string{"", " ", "\t\n", "# only a comment"} {
		if r, err := g.AnalyzeShellCommand(text); !errors.Is(err, ErrEmpty) || r.Allowed {
			t.Errorf("%q: %+v %v", text, r, err)
		}
	}
	for _, text := range []string{"if", "ls |", "'", "$(", "ls\x00x", "echo \xff",
		"ls \r#; rm -rf /", "))((", "a=(1)# rm"} {
		if r, err := g.AnalyzeShellCommand(text); err == nil && r.Allowed {
			t.Errorf("%q is allowed", text)
		}
	}
	many := 300_000
	if testing.Short() {
		many = 30_000
	}
	for _, text := range []string{strings.Repeat("ls;", many), strings.Repeat("x", 1<<20),
		strings.Repeat("(", many/3), "cat " + strings.Repeat("/a ", many)} {
		if r, err := g.AnalyzeShellCommand(text); err == nil && r.Verdict > Allow {
			t.Errorf("%.20q: %v", text, r.Verdict)
		}
	}
}

// C-3.5.4, C-6.2.4, C-7.2.10: without a shell, one command of literal words.
func TestC3_5_4_NoShell(t *testing.T) {
	g, _ := desk(t, "security: {allow_shell: false}")
	g.expect(t, Allow, "ls", "git status", "ls -l src", "echo 'a b'")
	for _, line := range []string{"ls | cat", "ls; ls", "ls && ls", "echo $(ls)", "ls > x", "ls *",
		"A=1 ls", "echo $HOME", "ls &", "(ls)", "ls ~", "echo {a,b}", "! ls", "ls < x",
		"if ls; then ls; fi", "f() { ls; }"} {
		r, err := g.AnalyzeShellCommand(line)
		if err != nil || r.Verdict != Deny || !slices.Contains(r.Rules, "shell.disabled") {
			t.Errorf("%q: %+v %v", line, r, err)
		}
	}
}

// What a build makes again may be deleted without a question. A name that people use for other
// things too counts only where the workspace's .gitignore says so.
func TestRegenerable(t *testing.T) {
	g, root := desk(t, "", "w/build/a.o", "w/tmp/x")
	ignore := func(text string) {
		t.Helper()
		if err := os.WriteFile(root+"/w/.gitignore", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	g.expect(t, Allow, "rm -rf node_modules dist", "rm -rf target")
	g.expect(t, Ask, "rm -rf build", "rm -rf tmp", "rm -rf src")
	ignore("# made\n/build/\ntmp\nsrc\n")
	g.expect(t, Allow, "rm -rf build", "rm -rf ./build tmp")
	g.expect(t, Ask, "rm -rf src")
	ignore("build\n!build/keep\n")
	g.expect(t, Ask, "rm -rf build")
	ignore("b*ld\n")
	g.expect(t, Ask, "rm -rf build")
}

// C-7.2.7, C-10.6: everyday work in the default configuration asks for nothing.
func TestC7_2_7_Everyday(t *testing.T) {
	g, _ := desk(t, "", "w/package.json", "w/Makefile", "w/src/b.go", "w/a.txt", "w/b.txt",
		"w/docs/x.md", "w/scripts/lib.sh", "w/go.mod")
	if err := os.WriteFile(g.Caller.Root+"/.gitignore", []byte("build/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/everyday.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSuffix(line, "\n"); line != "" && line[0] != '#' {
			g.expect(t, Allow, line)
			n++
		}
	}
	if n < 200 {
		t.Errorf("only %d lines", n)
	}
}

// B-R6.1, B-R6.2: two classes; what is not known changes something.
func TestBR6_Class(t *testing.T) {
	g, _ := desk(t, "", "w/tool")
	for line, want := range map[string]Class{"ls": ReadOnly, "cat a | grep b 2>/dev/null": ReadOnly,
		"git status": ReadOnly, "touch a": SideEffecting, "ls > a": SideEffecting,
		"./tool":          SideEffecting,
		"no-such-program": SideEffecting, "ls; touch a": SideEffecting, "$(cat x)": SideEffecting,
		"python3 x.py": SideEffecting, "ls |": SideEffecting, "sort -o a b": SideEffecting} {
		v, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		plan.Close()
		if v.Class != want {
			t.Errorf("%q: %v", line, v.Class)
		}
		if f := g.Policy.Fence(plan); want == ReadOnly &&
			(len(f.Write) != 0 && line != "cat a | grep b 2>/dev/null" || f.Network) {
			// B-R6.3a
			t.Errorf("%q: the fence of a reader is open: %+v", line, f)
		}
	}
}

// E-env-1: no variable loosens a verdict, whatever it is called.
func TestE_env_1(t *testing.T) {
	t.Parallel()
	g, _ := desk(t, "")
	lines := []string{"rm -rf src", "rm -rf /", "echo x > /etc/x", "cat ~/.ssh/id_rsa", "ls",
		"cat /proc/1/environ"}
	before := map[string]Decision{}
	for _, line := range lines {
		r, _ := g.AnalyzeShellCommand(line)
		before[line] = r.Verdict
	}
	for _, name := range []string{"TADA_APPROVE", "TADA_LEVEL", "TADA_HOME", "TADA_ALLOW",
		"TADA_POLICY", "TADA_TOOLSET", "APPROVAL_TTL_SECONDS", "APPROVAL_KEY_PATH",
		"AUDIT_LOG_PATH", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"} {
		for _, value := range []string{"1", "true", "allow", "/", "/etc", g.Caller.Home, "never",
			""} {
			g.Caller.Env[name] = value
			for _, line := range lines {
				if r, err := g.AnalyzeShellCommand(line); err != nil || r.Verdict > before[line] {
					t.Errorf("%s=%s: %q became %v", name, value, line, r.Verdict)
				}
			}
			delete(g.Caller.Env, name)
		}
	}
}

// TestState: the agent can neither reach tada-run's own files nor decide in the person's place.
func TestState(t *testing.T) {
	g, _ := desk(t, "", "home/dev/.tada/config.yaml", "home/dev/.tada/approvals.db")
	g.expect(t, Deny, "cat ~/.tada/config.yaml", "echo x >> ~/.tada/config.yaml", "rm -rf ~/.tada",
		"cp x ~/.tada/approvals.db", "chmod 0 ~/.tada/*", "ls ~/.tada", "mv ~/.tada ~/x",
		"tadactl approve 1", "tadactl inbox", "tadactl tamper accept", "echo y | tadactl approve 1",
		"env tadactl deny 1", "/usr/bin/tadactl approve 1", "echo x > .tada/config.yaml",
		"rm -rf .tada")
	g.expect(t, Allow, "tadactl check ls", "tadactl doctor", "tadactl --help",
		"cat .tada/config.yaml")
}
