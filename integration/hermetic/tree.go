package hermetic

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Tree creates files in a new directory: "d/" is a directory, "f" a file, "l -> t" a symlink.
// "@" in a link's target is the directory itself. It returns the directory's real path.
func Tree(t testing.TB, entries ...string) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name, target, link := strings.Cut(e, " -> ")
		full := filepath.Join(root, name)
		os.MkdirAll(filepath.Dir(full), 0o755)
		switch {
		case link:
			err = os.Symlink(strings.ReplaceAll(target, "@", root), full)
		case strings.HasSuffix(name, "/"):
			err = os.MkdirAll(full, 0o755)
		default:
			err = os.WriteFile(full, []byte(name+"\n"), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}
