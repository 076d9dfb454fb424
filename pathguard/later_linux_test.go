package pathguard

import (
	"os"
	"slices"
	"testing"
)

func TestLaterIn(t *testing.T) {
	root := makeTree(t, "a.txt", ".github/workflows/ci.yml", "sub/.envrc", ".git/hooks/pre-commit")
	if got, want := LaterIn(root), []string{root + "/.github/workflows"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, name := range []string{".envrc", ".mcp.json", "AGENTS.md", "CLAUDE.md", ".vscode"} {
		if err := os.Symlink("/nowhere", root+"/"+name); err != nil { // a link that leads nowhere yet is one too
			t.Fatal(err)
		}
		if got := LaterIn(root); !slices.Contains(got, root+"/"+name) {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := LaterIn(root + "/no-such-folder"); len(got) > 0 {
		t.Errorf("got %q", got)
	}
}
