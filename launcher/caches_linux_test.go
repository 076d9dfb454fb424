package launcher

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard"
)

// A cache is made with the folders above it, for this account alone; never through a link, and what
// is in the way is left.
func TestCachesAreMade(t *testing.T) {
	home := t.TempDir()
	for _, err := range []error{os.Mkdir(filepath.Join(home, "elsewhere"), 0o755),
		os.Symlink("elsewhere", filepath.Join(home, "link")),
		os.WriteFile(filepath.Join(home, "file"), nil, 0o600)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	names := []string{home + "/.cache/go-build", home + "/.cache/pip", home + "/link/pip",
		home + "/file/pip", home + "/file"}
	trees, failed := makeCaches(names)
	if failed == nil || !strings.Contains(failed.Error(), names[2]) {
		t.Errorf("%v", failed)
	}
	if len(trees) != 2 || trees[0].Name != names[0] || trees[1].Name != names[1] {
		t.Fatalf("%v", trees)
	}
	for _, p := range trees {
		made, err := p.File.Stat()
		named, namedErr := os.Lstat(p.Name)
		if err != nil || namedErr != nil || !os.SameFile(made, named) ||
			made.Mode() != os.ModeDir|0o700 {
			t.Errorf("%s: %v %v %v", p.Name, made, err, namedErr)
		}
		p.File.Close()
	}
	if left, _ := os.ReadDir(home + "/elsewhere"); len(left) > 0 {
		t.Errorf("made through a link: %v", left)
	}
}

// Of caches nothing is kept for undo: of those that are there already, too.
func TestCachesAreAllListed(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "missing")
	const there = "/usr/share" // not in a shared directory
	l, req := world(t)
	j := judged(t, l, req)
	f := j.policy.Fence(j.Plan)
	f.Write = append(f.Write, pathguard.Grant{Path: there, Tree: true, Cache: true})
	f.Caches = []string{missing}
	p, _, lacks := j.kernelRules(f, nil, "")
	list := names(lacks.caches)
	slices.Sort(list)
	if !slices.Equal(list, []string{missing, there}) {
		t.Errorf("%q", list)
	}
	for _, name := range list {
		if !slices.Contains(names(p.Write), name) {
			t.Errorf("%s is not writable", name)
		}
	}
}
