package pathguard

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// Build output is what git would not miss: a tracked file in it is the user's work.
func TestIgnoredTracked(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	g, root := desk(t, "", "w/build/a.o", "w/lib/a.rb", "w/sub/out/x", "w/out/x")
	w := root + "/w"
	if err := os.Remove(w + "/.git"); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) {
		t.Helper()
		c := exec.Command(git, append([]string{"-C", w, "-c", "user.name=x", "-c",
			"user.email=x@example"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
	}
	run("init", "-q")
	run("add", "lib")
	if err := os.WriteFile(w+"/.gitignore", []byte("/build\nlib\n/out/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g.expect(t, Allow, "rm -rf build", "rm -rf out", "rm -r ./build/ out/*", "rm -rf build/*")
	g.expect(t, Ask, "rm -rf lib", "rm -rf sub/out")
	run("add", "-f", "build/a.o")
	g.expect(t, Ask, "rm -rf build")
	run("rm", "-q", "--cached", "build/a.o")
	g.expect(t, Allow, "rm -rf build")
	run("update-index", "--index-version", "4")
	g.expect(t, Ask, "rm -rf build")
}

// A worktree and a submodule have their repository elsewhere. It is believed if it points back, so
// that an attacker cannot bring an index that knows of nothing.
func TestIgnoredElsewhere(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	g, root := desk(t, "", "lib/x")
	if err := os.RemoveAll(root + "/w"); err != nil {
		t.Fatal(err)
	}
	run := func(dir string, args ...string) {
		t.Helper()
		c := exec.Command(git, append([]string{"-C", root + dir, "-c", "user.name=x", "-c",
			"user.email=x@example", "-c", "protocol.file.allow=always"}, args...)...)
		c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v %s", args, err, out)
		}
	}
	put(t, root, map[string]string{"main/.gitignore": "build\nbin\n", "main/bin/tracked": "x",
		"main/.git/info/exclude": "logs\n"})
	run("/main", "init", "-q")
	put(t, root, map[string]string{"main/.git/info/exclude": "logs\n"})
	run("/main", "add", "-f", ".gitignore", "bin/tracked")
	run("/main", "commit", "-qm", "x")
	run("/main", "worktree", "add", "-q", "../w")
	run("/main", "submodule", "--quiet", "add", root+"/main", "deps/sub")
	for _, dir := range []string{"/w", "/main/deps/sub"} {
		put(t, root+dir, map[string]string{"build/a.o": "", "logs/l": ""})
		g.Caller.Dir, g.Caller.Root = root+dir, ""
		g.expect(t, Allow, "rm -rf build")
		g.expect(t, Ask, "rm -rf bin", "rm -rf lib")
	}
	g.Caller.Dir, g.Caller.Root = root+"/w", ""
	g.expect(t, Allow, "rm -rf logs")
	put(t, root, map[string]string{"fake/HEAD": "", "fake/gitdir": root + "/elsewhere/.git\n",
		"fake/commondir": ".\n"})
	for _, text := range []string{"gitdir: ../fake\n", "gitdir: ../none\n", "gitdir: \n", "",
		"gitdir: " + strings.Repeat("../", 2000)} {
		put(t, root, map[string]string{"w/.git": text})
		g.expect(t, Ask, "rm -rf build")
	}
}

// What is not a regular file is not opened, and a long one is not believed.
func TestIgnoredFiles(t *testing.T) {
	g, root := desk(t, "", "w/build/x")
	file := filepath.Join(root, "w/.gitignore")
	if err := unix.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	g.expect(t, Ask, "rm -rf build")
	os.Remove(file)
	if err := os.Symlink("elsewhere", file); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/w/elsewhere", []byte("build\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g.expect(t, Ask, "rm -rf build")
	os.Remove(file)
	if err := os.WriteFile(file, []byte("build\n"+strings.Repeat("#\n", (64<<10))),
		0o600); err != nil {
		t.Fatal(err)
	}
	g.expect(t, Ask, "rm -rf build")
}
