package tamper

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"TODO.md", "a.md", "a/b.md", "a/b/c.md", "a/x/b/c.md",
		".git/hooks/h", "a/.git/config", "d/e.txt", "we[ird"} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(root, name), nil, 0o644))
	}
	must(t, os.Symlink("a", filepath.Join(root, "link")))
	for pattern, want := range map[string]string{
		"TODO.md": "TODO.md", "no.md": "no.md", "*.md": "TODO.md a.md",
		"**/*.md": "TODO.md a.md a/b.md a/b/c.md a/x/b/c.md",
		"a/*":     "a/b.md", "a/**": "a/b.md a/b/c.md a/x/b/c.md",
		"a/**/b/*.md": "a/b/c.md a/x/b/c.md",
		"**/b/**":     "a/b/c.md a/x/b/c.md",
		"a":           "a/b.md a/b/c.md a/x/b/c.md", "**/**/**/c.md": "a/b/c.md a/x/b/c.md",
		"*/b.md": "a/b.md", "no/*": "", "d/[a-f].txt": "d/e.txt",
		"[": "", "**": "TODO.md a.md a/b.md a/b/c.md a/x/b/c.md d/e.txt link we[ird",
		".git/hooks/*": ".git/hooks/h", "../*": "x", "link": "link",
	} {
		names, err := match(root, pattern)
		must(t, err)
		var rel []string
		for _, n := range names {
			r, _ := filepath.Rel(root, n)
			rel = append(rel, r)
		}
		if pattern == "../*" { // outside: what it finds there are files, and there are none
			want = ""
		}
		if got := strings.Join(rel, " "); got != want {
			t.Errorf("%q: %q, want %q", pattern, got, want)
		}
	}
}
