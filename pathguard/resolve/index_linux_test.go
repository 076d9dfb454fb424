package resolve

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/shellparse/command"
)

// J7: a question about a deletion says how much of it git does not have: what was never added, and
// what was changed since.
func TestAmountsOutsideGit(t *testing.T) {
	dir, home := t.TempDir(), t.TempDir()
	put := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	amounts := func(name string) string {
		p := resolved(t, one(command.Delete, command.Recursive, dir, name),
			Caller{Dir: dir, Home: home, Root: dir})
		a := p.Amounts()[filepath.Join(dir, name)]
		if again, ok := ParseAmount(a.Exact()); !ok || again != a {
			t.Errorf("%s: %q is read as %+v", name, a.Exact(), again)
		}
		return a.String()
	}
	for _, name := range []string{"src/a", "src/b", "src/sub/c", "src/with space/é", "src/exe"} {
		put(name, "text\n")
	}
	if got := amounts("src"); got != "5 files, 25 B" {
		t.Errorf("without git: %q", got)
	}
	git("init", "-q")
	git("add", "-A")
	for _, version := range []string{"2", "3", "4"} {
		git("update-index", "--index-version", version)
		if version == "3" {
			put("later", "x")
			git("add", "-N", "later") // needs the flags of version 3
		}
		if got := amounts("src"); got != "5 files, 25 B" {
			t.Errorf("all in git, version %s: %q", version, got)
		}
	}
	git("update-index", "--index-version", "2")
	put("src/new", "text\n")
	put("src/a", "changed\n")
	if err := os.Remove(dir + "/src/b"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a", dir+"/src/b"); err != nil {
		t.Fatal(err)
	}
	put("out/x", "text\n")
	for name, want := range map[string]string{"src": "6 files, 28 B, 3 not in git",
		"src/a": "8 B, not in git", "src/sub": "1 file, 5 B", "src/sub/c": "5 B",
		"out": "1 file, 5 B, not in git", "src/with space": "1 file, 5 B"} {
		if got := amounts(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	put("two/x", "1")
	put("two/y", "1")
	if got := amounts("two"); got != "2 files, 2 B, none of them in git" {
		t.Errorf("%q", got)
	}
}

// What no git wrote is no index, and tells nothing.
func FuzzReadIndex(f *testing.F) {
	dir := f.TempDir()
	cmd := exec.Command("sh", "-c",
		"git init -q && echo x > a && mkdir b && echo y > b/c && git add -A")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		f.Fatalf("%v: %s", err, out)
	}
	text, err := os.ReadFile(dir + "/.git/index")
	if err != nil || len(readIndex(text)) != 2 {
		f.Fatal(err, readIndex(text))
	}
	f.Add(text)
	f.Add(text[:len(text)/2])
	f.Add([]byte("DIRC\x00\x00\x00\x02\xff\xff\xff\xff"))
	f.Fuzz(func(t *testing.T, text []byte) {
		for name := range readIndex(text) {
			if name == "" || strings.Contains(name, "\x00") {
				t.Errorf("%q", name)
			}
		}
	})
}
