package resolve

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/pathname"
)

// TestIgnoredNames holds the short reader against what gitignore(5) says about plain names.
func TestIgnoredNames(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "",
		"build":                   "build",
		"build/\r\n/out/\nbin \n": "/out bin build",
		" build\n":                "", // the blank belongs to the name
		"#build\n\\build\n":       "",
		"a/build\nbuild/x\n":      "",
		"b*ld\n**/build\n":        "",
		"src\nnode_modules\n":     "", // not a name that could be build output
		"build\n!build/keep\n":    "",
		"!x\nbuild\n":             "",
		"//build\nbuild//\n":      "",
	} {
		if got := strings.Join(slices.Sorted(maps.Keys(ignoredNames([]byte(text)))),
			" "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// FuzzIgnored: git agrees that a name is ignored wherever this reader says so.
func FuzzIgnored(f *testing.F) {
	git, err := exec.LookPath("git")
	if err != nil {
		f.Skip("git is not installed")
	}
	for _, s := range []string{"build", "/build/\nout", "!a", "#", "build \n bin", "\\ build",
		"build\t", "b\x00", "\xff\nbuild", "\xef\xbb\xbfbuild\n"} {
		f.Add(s)
	}
	dir := f.TempDir()
	if out, err := exec.Command(git, "-C", dir, "init", "-q").CombinedOutput(); err != nil {
		f.Fatalf("%v %s", err, out)
	}
	for _, name := range pathname.PerhapsRegenerable {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(dir+"/.gitignore", []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		for name := range ignoredNames([]byte(text)) {
			c := exec.Command(git, "-C", dir, "check-ignore", "-q",
				strings.TrimPrefix(name, "/")+"/x")
			c.Env = []string{"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
				"HOME=/nowhere"}
			if err := c.Run(); err != nil {
				t.Errorf("%q: git does not ignore %q (%v)", text, name, err)
			}
		}
	})
}
