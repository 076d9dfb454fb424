package resolve

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/pathguard/pathname"
	"github.com/tada-run/tada-run/pathguard/walk"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// one is a script with a single effect on a name.
func one(right command.Right, flags command.Flags, dir, text string) *shellparse.Script {
	return effects(shellparse.Effect{Right: right, Flags: flags,
		Name: shellparse.Name{Text: text, Static: true, Dir: dir}, Command: -1})
}

func effects(list ...shellparse.Effect) *shellparse.Script {
	return &shellparse.Script{Text: "x", Canonical: "x", Effects: list}
}

func runs(commands ...shellparse.Command) *shellparse.Script {
	return &shellparse.Script{Text: "x", Canonical: "x", Commands: commands}
}

func resolved(t testing.TB, s *shellparse.Script, c Caller) *Plan {
	t.Helper()
	plan, err := Resolve(s, c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { plan.Close() })
	return plan
}

func sumOf(text string) string {
	h := sha256.Sum256([]byte(text))
	return hex.EncodeToString(h[:])
}

// TestResolveFollow: opening follows a link, unlinking and renaming take the link itself.
func TestResolveFollow(t *testing.T) {
	root := hermetic.Tree(t, "d/f", "l -> d/f", "dl -> d")
	tests := []struct {
		right command.Right
		flags command.Flags
		name  string
		real  string
	}{
		{command.Read, 0, "l", "d/f"}, {command.Write, 0, "l", "d/f"},
		{command.Write, command.Append, "l", "d/f"}, {command.Write, command.Meta, "l", "d/f"},
		{command.Read, command.NoFollow, "l", "l"}, {command.Delete, 0, "l", "l"},
		{command.Delete, command.Recursive, "dl", "dl"},
		{command.Delete, command.Recursive, "dl/", "d"}, {command.Delete, 0, "dl/f", "d/f"},
		{command.Create, 0, "dl/new", "d"}, {command.Create, command.Link, "l", "d/f"},
		{command.Exec, 0, "l", "d/f"},
	}
	for _, tt := range tests {
		plan := resolved(t, one(tt.right, tt.flags, root, tt.name), Caller{Dir: root})
		if got := plan.Targets[0].Real; got != root+"/"+tt.real {
			t.Errorf("%v %v %q: %q", tt.right, tt.flags, tt.name, got)
		}
	}
}

// TestResolveMissing binds the nearest directory that exists and keeps what is missing.
func TestResolveMissing(t *testing.T) {
	root := hermetic.Tree(t, "d/")
	plan := resolved(t, one(command.Write, 0, root, "d/new/sub/file"), Caller{Dir: root})
	got := plan.Targets[0]
	if got.Exists || got.Real != root+"/d" || got.Missing != "new/sub/file" || got.File() == nil ||
		got.Path() != root+"/d/new/sub/file" {
		t.Errorf("%+v", got)
	}
	var st unix.Stat_t
	if unix.Fstat(int(got.File().Fd()), &st) != nil || got.ID.Ino != st.Ino {
		t.Error("the parent is not the one that is held")
	}
}

// TestResolveNoDir: a directory that does not exist is judged by its text, and a relative
// one is no ground at all.
func TestResolveNoDir(t *testing.T) {
	plan := resolved(t, one(command.Write, 0, "/nowhere/w", "../x/./y"),
		Caller{Dir: "/nowhere/w", Home: "/home/dev"})
	if got := plan.Targets[0].Path(); got != "/nowhere/x/y" || plan.Workspace != "/nowhere/w" ||
		plan.DirFile() != nil {
		t.Errorf("%q in %q", got, plan.Workspace)
	}
	if _, err := Resolve(effects(), Caller{Dir: "w"}); err != ErrNoDir {
		t.Errorf("relative: %v", err)
	}
}

// TestResolveUnknown keeps what is known of a name: its directory, or nothing.
func TestResolveUnknown(t *testing.T) {
	root := hermetic.Tree(t, "d/f")
	plan := resolved(t, effects(
		shellparse.Effect{Right: command.Read, Name: shellparse.Name{Text: "d/f", Dir: root},
			Command: -1},
		shellparse.Effect{Right: command.Read, Name: shellparse.Name{Text: "", Dir: root},
			Command: -1},
		shellparse.Effect{Right: command.Read, Name: shellparse.Name{Text: "x", Static: true},
			Command: -1},
		shellparse.Effect{Right: command.Read, Name: shellparse.Name{Text: "/etc/pa"}, Command: -1},
		shellparse.Effect{Right: command.Read,
			Name:    shellparse.Name{Text: "/x", Static: true, User: "nobody-has-this-name"},
			Command: -1},
		shellparse.Effect{Right: command.Read,
			Name: shellparse.Name{Text: "/x", Static: true, User: "root"}, Command: -1},
	), Caller{Dir: root})
	want := []struct {
		real    string
		unknown bool
	}{{root + "/d", true}, {root, true}, {"", true}, {"/etc", true}, {"", true}, {"/root", false}}
	for i, w := range want {
		if got := plan.Targets[i]; got.Real != w.real || got.Unknown != w.unknown ||
			got.Exists && w.unknown {
			t.Errorf("%d: %+v", i, got)
		}
	}
}

// TestResolveGlob expands as bash does, follows what matches, and binds every match.
func TestResolveGlob(t *testing.T) {
	root := hermetic.Tree(t, "a.txt", "b.txt", ".hidden.txt", "sub/c.txt", "sub/deep/d.txt",
		"link.txt -> /etc/passwd", "br[x].txt", "star*.txt")
	tests := []struct {
		pattern string
		want    string
	}{
		{"*.txt", "/etc/passwd a.txt b.txt br[x].txt star*.txt"}, {".*.txt", ".hidden.txt"},
		{"[ab].txt", "a.txt b.txt"}, {"?.txt", "a.txt b.txt"},
		{"*/*.txt", "sub/c.txt"}, {"sub/*", "sub/c.txt sub/deep"}, {"nothing*", "nothing*"},
		{"sub/../a*", "a.txt"}, {"**/d.txt", "sub/deep/d.txt"},
		{"star\\**", "star*.txt"}, {"br\\[x\\]*", "br[x].txt"}, {"/etc/pass[w]d", "/etc/passwd"},
		{"*/nothing", "*/nothing"}, {"[", "["},
	}
	for _, tt := range tests {
		plan := resolved(t, effects(shellparse.Effect{Right: command.Read,
			Name: shellparse.Name{Text: tt.pattern, Glob: true, Dir: root}, Command: -1}),
			Caller{Dir: root})
		var got []string
		for i := range plan.Targets {
			got = append(got, strings.TrimPrefix(plan.Targets[i].Path(), root+"/"))
		}
		slices.Sort(got)
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%q: %q, want %q", tt.pattern, got, tt.want)
		}
	}
}

// TestResolveProgram finds programs as the shell does, and says when the workspace stands
// before the system.
func TestResolveProgram(t *testing.T) {
	root := hermetic.Tree(t, "bin/ls", "bin/mine", "bin/plain", "one/tool", "two/tool",
		".venv/bin/ls", "run.sh", "dir/")
	for _, name := range []string{"bin/ls", "bin/mine", "one/tool", "two/tool", ".venv/bin/ls",
		"run.sh"} {
		os.Chmod(root+"/"+name, 0o755)
	}
	system := "/usr/bin:/bin"
	ls, _ := filepath.EvalSymlinks("/usr/bin/ls")
	tests := []struct {
		path, name string
		real       string
		shadow     bool
		why        string
	}{
		{system, "ls", ls, false, ""},
		{root + "/bin:" + system, "ls", root + "/bin/ls", true, ""},
		{"bin:" + system, "ls", root + "/bin/ls", true, ""},
		{root + "/.venv/bin:" + system, "ls", root + "/.venv/bin/ls", false, ""}, // on purpose
		{root + "/bin:" + system, "mine", root + "/bin/mine", false, ""},
		{root + "/bin", "plain", "", false, "not found in PATH"}, // not executable
		{root + "/one:" + root + "/two", "tool", root + "/one/tool", false, ""},
		{system, "./run.sh", root + "/run.sh", false, ""},
		{system, "no-such-program", "", false, "not found in PATH"},
		{system, "./dir", root + "/dir", false, ""},
		{system, "./nothing", root + "/nothing", false, "no such file"},
		{"", "run.sh", root + "/run.sh", false, ""}, // an empty component is the directory itself
	}
	for _, tt := range tests {
		plan := resolved(t, runs(shellparse.Command{Name: tt.name, Dir: root}),
			Caller{Dir: root, Root: root, Env: map[string]string{"PATH": tt.path}})
		p := plan.Programs[0]
		if p.Real != tt.real || p.Shadow != "" != tt.shadow || p.Why != tt.why {
			t.Errorf("%s in %s: %q shadow %q why %q", tt.name, tt.path, p.Real, p.Shadow, p.Why)
		}
		if tt.real != "" && tt.why == "" && (p.ID == walk.ID{} || p.File() == nil) {
			t.Errorf("%s is not bound", tt.name)
		}
	}
	os.MkdirAll(root+"/node_modules/.bin", 0o755)
	os.WriteFile(root+"/node_modules/.bin/tsc", nil, 0o755)
	for _, tt := range []struct{ via, name, real, why string }{
		{"npx", "tsc", root + "/node_modules/.bin/tsc", ""},
		{"npm exec", "no-such-program", "", "brought by npm"}, {"npx", "ls", ls, ""},
		{"uvx", "ls", "", "found by uvx"}, {"python3 -m", "http.server", "", "found by python3"},
		{"ssh", "/bin/ls", "", "found by ssh"},
		{"docker run", "no-such-program", "", "found by docker"},
		{"env", "no-such-program", "", "not found in PATH"},
	} {
		plan := resolved(t, runs(shellparse.Command{Name: tt.name, Dir: root,
			Via: []string{"sudo", tt.via}}),
			Caller{Dir: root, Root: root, Env: map[string]string{"PATH": system}})
		if p := plan.Programs[0]; p.Real != tt.real || p.Why != tt.why {
			t.Errorf("%s %s: %q, why %q", tt.via, tt.name, p.Real, p.Why)
		}
	}
	assigned := shellparse.Command{Name: "mine", Dir: root,
		Assign: []shellparse.Assign{{Name: "PATH",
			Value: shellparse.Word{Text: root + "/bin", Static: true}}}}
	if p := resolved(t, runs(assigned),
		Caller{Dir: root}).Programs[0]; p.Real != root+"/bin/mine" || p.Sum != sumOf("bin/mine\n") {
		t.Errorf("PATH given to the command: %+v", p)
	}
}

// TestResolveContents binds by content what tells an interpreter or a tool what to do.
func TestResolveContents(t *testing.T) {
	root := hermetic.Tree(t, "deploy.sh", "Makefile", "package.json", "sub/x",
		"link.sh -> deploy.sh")
	plan := resolved(t, &shellparse.Script{
		Effects: []shellparse.Effect{{Right: command.Read, Flags: command.Source,
			Name: shellparse.Name{Text: "link.sh", Static: true, Dir: root}}},
		Commands: []shellparse.Command{{Name: "bash", Dir: root}, {Name: "make", Dir: root},
			{Name: "npm", Dir: root + "/sub"},
			{Name: "npm", Dir: root}, {Name: "make", Dir: root + "/sub"}},
	}, Caller{Dir: root, Root: root})
	var got []string
	for _, c := range plan.Contents {
		if c.Sum != sumOf(filepath.Base(c.Path)+"\n") {
			t.Errorf("%s: sum %q why %q", c.Path, c.Sum, c.Why)
		}
		got = append(got, filepath.Base(c.Path))
	}
	if want := []string{"deploy.sh", "Makefile", "package.json"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestWorkspace: the nearest directory with a mark, never / and never the home.
func TestWorkspace(t *testing.T) {
	root := hermetic.Tree(t, "home/dev/proj/.git/", "home/dev/proj/sub/deep/", "home/dev/plain/",
		"home/dev/.git/", "home/dev/.ssh/", "home/dev/.config/x/", "home/dev/.dotfiles/.git/",
		"srv/.tada/", "srv/a/", "wt/.git", "wt/x/", "lnk -> home/dev/proj/sub")
	home := root + "/home/dev"
	tests := []struct{ dir, root, want string }{
		{home + "/proj/sub/deep", "", home + "/proj"}, {home + "/proj", "", home + "/proj"},
		{home + "/plain", "", home + "/plain"},
		{home, "", ""}, {root + "/home", "", ""}, {"/", "", ""}, {"/etc", "", ""},
		{"/usr/lib", "", ""}, {"/tmp", "", ""}, {"/var/lib", "", ""}, {"/home/somebody", "", ""},
		{home + "/.ssh", "", ""}, {home + "/.config/x", "", ""},
		{home + "/.dotfiles", "", home + "/.dotfiles"}, {"/etc", "/etc", ""},
		{root + "/srv/a", "", root + "/srv"}, {root + "/wt/x", "", root + "/wt"},
		{root + "/lnk", "", home + "/proj"}, {home, home + "/proj", home + "/proj"},
		{home + "/proj", home, ""}, {home + "/proj", "/", ""},
	}
	for _, tt := range tests {
		plan := resolved(t, effects(), Caller{Dir: tt.dir, Root: tt.root, Home: home})
		if plan.Workspace != tt.want {
			t.Errorf("%s root %q: %q, want %q", tt.dir, tt.root, plan.Workspace, tt.want)
		}
	}
}

// Root in a container works below /root; no other user does, and a service's home is no project.
func TestWorkspaceOfRoot(t *testing.T) {
	for _, tt := range []struct {
		dir, home string
		want      bool
	}{
		{"/root/w", "/root", true}, {"/root/.ssh", "/root", false}, {"/root", "/root", false},
		{"/root/w", "/home/dev", false}, {"/root/w", "", false},
		{"/var/www/site", "/var/www", false}, {"/opt/tool", "/", false}, {"/app", "/root", true},
	} {
		if got := pathname.MayBeWorkspace(tt.dir, tt.home, false); got != tt.want {
			t.Errorf("mayBeWorkspace(%q, home %q) = %v", tt.dir, tt.home, got)
		}
	}
}

// TestResolveHeld holds some hundred files and not thousands, and lets go of every one.
func TestResolveHeld(t *testing.T) {
	root := hermetic.Tree(t)
	for i := range 1000 {
		os.WriteFile(fmt.Sprintf("%s/f%d", root, i), nil, 0o600)
	}
	script := effects(shellparse.Effect{Right: command.Delete,
		Name: shellparse.Name{Text: "f*", Glob: true, Dir: root}, Command: -1})
	script.Commands = []shellparse.Command{{Name: "ls", Dir: root}, {Name: "make", Dir: "/usr"},
		{Name: "./f1", Dir: root}}
	before := openFiles(t)
	plan, err := Resolve(script, Caller{Dir: root})
	if err != nil {
		t.Fatal(err)
	}
	if held := openFiles(t) - before; held > maxHeld+8 || held < 100 {
		t.Errorf("%d files held", held)
	}
	if len(plan.Targets) != 1000+1 { // and /usr, where make would run
		t.Errorf("%d targets", len(plan.Targets))
	}
	plan.Close()
	if left := openFiles(t) - before; left != 0 {
		t.Errorf("%d files left open", left)
	}
}

func openFiles(t *testing.T) int {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

// B-R1.2a: each thing that could change what happens, changed alone, changes the facts; and
// the same plan made twice has the same facts.
func TestFacts(t *testing.T) {
	root := hermetic.Tree(t, "d/f", "g", "l -> d/f", "tool")
	os.Chmod(root+"/tool", 0o755)
	make := func() []byte {
		plan := resolved(t, &shellparse.Script{Text: "x", Canonical: "x",
			Effects: []shellparse.Effect{
				{Right: command.Read, Name: shellparse.Name{Text: "l", Static: true, Dir: root}},
				{Right: command.Read, Flags: command.Source,
					Name: shellparse.Name{Text: "g", Static: true, Dir: root}},
				{Right: command.Write, Name: shellparse.Name{Text: "d/*", Glob: true, Dir: root}},
				{Right: command.Net, Net: &shellparse.Endpoint{Host: "example.com", Static: true}},
			}, Commands: []shellparse.Command{{Name: "./tool", Dir: root}}},
			Caller{Dir: root, UID: 1000})
		return plan.Facts()
	}
	first := make()
	if !bytes.Equal(first, make()) {
		t.Fatal("the same plan has other facts")
	}
	changes := []struct {
		name string
		do   func() error
	}{
		{"a link points elsewhere", func() error {
			os.Remove(root + "/l")
			return os.Symlink("g", root+"/l")
		}},
		{"a script says something else",
			func() error { return os.WriteFile(root+"/g", []byte("GGG\n"), 0o644) }},
		{"a pattern matches more", func() error { return os.WriteFile(root+"/d/new", nil, 0o644) }},
		{"a program is another file", func() error {
			os.WriteFile(root+"/tool2", []byte("tool\n"), 0o755)
			return os.Rename(root+"/tool2", root+"/tool")
		}},
		{"a program says something else",
			func() error { return os.WriteFile(root+"/tool", []byte("TOOL\n"), 0o755) }},
		{"the directory is another one", func() error {
			os.Rename(root, root+".old")
			os.Mkdir(root, 0o755)
			for _, n := range []string{"d", "g", "l", "tool"} {
				os.Rename(root+".old/"+n, root+"/"+n)
			}
			return nil
		}},
	}
	before := first
	for _, c := range changes {
		if err := c.do(); err != nil {
			t.Fatal(err)
		}
		after := make()
		if bytes.Equal(before, after) {
			t.Errorf("%s: the facts are the same", c.name)
		}
		before = after
	}
}

// TestResolveMadeLinks: a script may make a link and go through it in the same breath.
func TestResolveMadeLinks(t *testing.T) {
	root := hermetic.Tree(t, "d/f", "sub/")
	tests := []struct {
		line, want string // where a name of the line is
	}{
		{"ln -s / r && cat r/etc/hostname", "/etc/hostname"},
		{"ln -s / r; cat r/../etc/hostname", "/etc/hostname"},
		{"ln -s d e; ln -s e g; cat g/f", root + "/d/f"},
		{"ln -s d e; rm -rf e", root + "/e"},
		{"ln -s d e; rm -rf e/", root + "/d"},
		{"ln -s d sub; cat sub/d/f", root + "/d/f"},
		{"ln /etc/hostname h; cat h", "/etc/hostname"},
		{"mkdir m; ln -s ../d m/l; cat m/l/f", root + "/d/f"},
		{"ln -s a b; ln -s b a; cat a/x", ""},
	}
	for _, tt := range tests {
		plan := resolved(t, shellparse.Parse(tt.line, shellparse.Options{Dir: root}),
			Caller{Dir: root})
		if !slices.ContainsFunc(plan.Targets,
			func(p Target) bool { return p.Path() == tt.want || tt.want == "" }) {
			t.Errorf("%q: no target is %q: %v", tt.line, tt.want, plan.Targets)
		}
	}
}
