package pathguard

import (
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// TestOneFileManyMounts: hidden and kept means the file, by any mounted name: of the home, of a
// part of it, of what is above it, of a file, of the state, and of what stays as it is in the
// workspace; a second mount of the home below what may be written is none of it.
func TestOneFileManyMounts(t *testing.T) {
	if os.Getenv("TADA_TEST_MOUNTS") == "" {
		inMountNamespace(t)
		return
	}
	g, root := desk(t, "", "home/dev/.ssh/id_rsa", "home/dev/.tada/config.yaml", "home/dev/.bashrc",
		"home/dev/notes", "w/.vscode/tasks.json", "w/.env",
		"m/home/", "m/ssh/", "m/key", "m/whole/", "m/state/", "m/w/", "w/in/", "m/blank name/")
	mounted := [][2]string{{"home", "m/home"}, {"home/dev/.ssh", "m/ssh"},
		{"home/dev/.ssh/id_rsa", "m/key"}, {"", "m/whole"}, {"home/dev/.tada", "m/state"},
		{"w", "m/w"}, {"home/dev", "w/in"}, {"home/dev", "m/blank name"}}
	for _, m := range mounted {
		if err := unix.Mount(root+"/"+m[0], root+"/"+m[1], "", unix.MS_BIND, ""); err != nil {
			t.Fatal(m, err)
		}
	}
	t.Cleanup(func() { // or the directory cannot be removed
		for _, m := range slices.Backward(mounted) {
			unix.Unmount(root+"/"+m[1], unix.MNT_DETACH)
		}
	})
	m := root + "/m/"
	g.expect(t, Ask, "cat "+m+"home/dev/.ssh/id_rsa", "cat "+m+"ssh/id_rsa", "cat "+m+"key",
		"cat "+m+"whole/home/dev/.ssh/id_rsa", "cat in/.ssh/id_rsa",
		"cat '"+m+"blank name/.ssh/id_rsa'",
		"cat "+m+"w/.env", "echo x > in/.bashrc", "grep -r x "+m+"home")
	g.expect(t, Deny, "cat "+m+"state/config.yaml", "cat "+m+"home/dev/.tada/config.yaml",
		"cat in/.tada/config.yaml")
	g.expect(t, Allow, "cat "+m+"home/dev/notes", "cat notes", "echo x > x")
	f, _, _ := fenceOf(t, g, root, "./unread")
	for _, name := range []string{"home/dev/.ssh", "m/home/dev/.ssh", "m/ssh", "m/key",
		"m/whole/home/dev/.ssh", "w/in/.ssh", "m/blank name/.ssh", "m/state", "m/home/dev/.tada",
		"w/.env", "m/w/.env", "m/whole/w/.env"} {
		if !slices.ContainsFunc(f.Hide,
			func(h string) bool { return pathname.Within("@/"+name, h) }) {
			t.Errorf("%s is not hidden: %q", name, f.Hide)
		}
	}
	if got := mirrored([]Grant{{Path: root + "/w", Tree: true}}); !slices.Equal(got,
		[]string{root + "/w/in"}) {
		t.Errorf("what is mounted in the workspace and is not part of it: %q", got)
	}
	for _, name := range []string{"w/.vscode", "m/w/.vscode"} {
		if !slices.Contains(f.ReadOnly, "@/"+name) {
			t.Errorf("%s is not kept: %q", name, f.ReadOnly)
		}
	}
	if slices.Contains(f.ReadOnly, "@/w") ||
		slices.ContainsFunc(f.Hide, func(h string) bool {
			return pathname.Within("@/home/dev/notes", h)
		}) {
		t.Errorf("too much: %q %q", f.ReadOnly, f.Hide)
	}
}

// TestHardLinks: a hard link to a secret is the secret. A file that has a name outside the
// workspace is written in place after a question only; to replace it, and to write one whose names
// are all inside, asks nothing.
func TestHardLinks(t *testing.T) {
	g, root := desk(t, "", "home/dev/.ssh/id_rsa", "home/dev/.tada/config.yaml", "home/dev/n",
		"w/.env", "w/one", "w/sub/x", "w/plain", "store/pkg")
	for name, link := range map[string]string{"home/dev/.ssh/id_rsa": "w/key",
		"home/dev/.tada/config.yaml": "w/conf", "home/dev/n": "w/n", "w/one": "w/sub/two",
		"store/pkg": "w/pkg", "w/.env": "home/dev/e"} {
		if err := os.Link(root+"/"+name, root+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	g.expect(t, Ask, "cat key", "cp key x", "cat ~/e", "echo x > n", "echo x >> pkg", "tee pkg",
		"truncate -s 0 n", "chmod 600 pkg", "dd if=plain of=n")
	g.expect(t, Deny, "cat conf", "echo x > conf")
	g.expect(t, Allow, "cat n", "cat pkg", "echo x > one", "echo x >> sub/two", "echo x > plain",
		"rm pkg", "mv plain pkg", "sed -i s/a/b/ pkg", "mv pkg elsewhere")
	r, err := g.AnalyzeShellCommand("echo x > n")
	if err != nil || !slices.Contains(r.Rules, "write.linked") ||
		!strings.Contains(r.Reason, "hard links outside the workspace (1)") {
		t.Errorf("%v %v", r, err)
	}
	f, _, _ := fenceOf(t, g, root, "./unread")
	for _, name := range []string{"@/w/key", "@/w/conf", "@/w/.env"} {
		if !slices.Contains(f.Hide, name) {
			t.Errorf("%s is not hidden: %q", name, f.Hide)
		}
	}
	if slices.Contains(f.Hide, "@/w/n") || slices.Contains(f.Hide, "@/w/one") {
		t.Errorf("too much: %q", f.Hide)
	}
}

// TestLinkedUnread: code that is not read can write any file of the workspace in place, so it asks
// where one has a hard link outside. What says its writes, reads only, or replaces, does not; nor
// do packages and git's objects count, or files whose names are all inside.
func TestLinkedUnread(t *testing.T) {
	g, root := desk(t, "", "home/dev/n", "home/dev/p", "w/a", "w/x.py", "w/package.json",
		"w/Makefile", "w/node_modules/i", "w/.git/objects/i", "w/.venv/i", "w/sub/one")
	unread := []string{"./x.py", "python3 x.py", "python3 -c 'f()'", "npm test", "make",
		"go test ./...", "pytest", "node x.js", "unknown-tool", "cargo build"}
	link := func(from, to string) {
		if err := os.Link(root+"/"+from, root+"/"+to); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []string{"w/node_modules/p", "w/.git/objects/p", "w/.venv/p"} {
		link("home/dev/p", to)
	}
	link("w/sub/one", "w/two")
	for _, line := range unread {
		if r, err := g.AnalyzeShellCommand(line); err != nil ||
			slices.Contains(r.Rules, "code.linked") {
			t.Errorf("%q: %v %v: all its names are inside, or are packages", line, r, err)
		}
	}
	link("home/dev/n", "w/sub/n")
	for _, line := range unread {
		if r, err := g.AnalyzeShellCommand(line); err != nil ||
			!slices.Contains(r.Rules, "code.linked") ||
			!strings.Contains(r.Reason, "outside the workspace (1): sub/n") {
			t.Errorf("%q: %v %v", line, r, err)
		}
	}
	g.expect(t, Allow, "ls", "git status", "git log", "cat sub/n", "echo x > a", "rm sub/n",
		"mv a sub/n", "sed -i s/a/b/ sub/n", "cp sub/n new && mv new sub/n")
	if err := os.Remove(root + "/w/sub/n"); err != nil {
		t.Fatal(err)
	}
	for _, line := range unread {
		if r, err := g.AnalyzeShellCommand(line); err != nil ||
			slices.Contains(r.Rules, "code.linked") {
			t.Errorf("%q after the link has gone: %v %v", line, r, err)
		}
	}
}
