package pathguard

import (
	"slices"
	"testing"
)

// A tool may change the files that are its own by what it does, and not by a word of the line: a
// file that an option of git names is written like one behind ">".
func TestAWordOfAToolIsAFile(t *testing.T) {
	g, _ := desk(t, "", "w/.git/config", "w/.git/HEAD", "w/.git/hooks/h", "w/.npmrc", "w/a.patch")
	for _, line := range []string{
		"git log --output=.git/config", "git diff --output=.git/hooks/post-commit",
		"git log -1 --format=x --output .git/refs/heads/main", "git show --output=.git/config",
		"git format-patch -1 --output-directory .git/hooks",
		"git format-patch -o .git/hooks HEAD~1",
		"git diff-tree --output=.git/config HEAD", "git stash show --output=.git/config",
		"git archive -o .git/hooks/x HEAD", "git bundle create .git/hooks/x HEAD",
		"git config -f .git/hooks/x a.b c", "cd src && git log --output=../.git/config",
		"git -C src log --output=../.git/config", "git log > .git/config",
	} {
		g.expectAtLeast(t, Ask, line)
	}
	g.expect(t, Allow, "git log --output=out.txt", "git diff --output=a.patch",
		"git commit -am x", "git add .", "git fetch", "git branch x", "git stash")
}

// What git only shows opens its folder to nothing else in the line.
func TestShowingOpensNothing(t *testing.T) {
	g, root := desk(t, "", "w/.git/config", "w/.git/HEAD", "w/.git/hooks/h", "w/x")
	for line, kept := range map[string]string{
		"./x": "@/w/.git", "git status -s; ./x": "@/w/.git", "git log -1 && ./x": "@/w/.git",
		"git branch -vv; git remote -v; git config --list; ./x": "@/w/.git",
		"git diff | ./x": "@/w/.git", "git commit -m x; ./x": "@/w/.git/hooks",
		"git status; git add .; ./x": "@/w/.git/hooks",
	} {
		f, _, _ := fenceOf(t, g, root, line)
		if !slices.Contains(f.ReadOnly, kept) {
			t.Errorf("%q keeps %q, not %q", line, f.ReadOnly, kept)
		}
	}
}
