package gitmeta

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A command among the steps of a rebase runs when a person goes on with it, and not at the moment
// it is written (C-3.1.5).
func TestSteps(t *testing.T) {
	const own = "pick 1111111 one\nexec make test\n"
	for _, test := range []struct{ name, before, after, told, left string }{
		{name: "a rebase that nobody began", after: "pick 1111111 one\nexec ./evil\n",
			told: "exec ./evil", left: "pick 1111111 one\n"},
		{name: "git goes on as it was", before: own,
			after: "exec make test\nexec ./evil\npick 2222222 two\n", told: "exec ./evil",
			left: "exec make test\npick 2222222 two\n"},
		{name: "one letter, tabs and blanks", before: own, after: own + " \tx\t./evil; true \n",
			told: "exec ./evil; true", left: own},
		{name: "the same command twice", before: own, after: own + "exec make test\n",
			told: "exec make test", left: own},
		{name: "without an end of line", before: own, after: own + "exec ./evil",
			told: "exec ./evil", left: own},
		{name: "more of them", before: own, after: own + "exec a\nexec b\nexec c\n",
			told: `"exec a" and 2 more`, left: own},
		{name: "a step is done", before: own, after: "exec make test\n", left: "exec make test\n"},
		{name: "other steps, and words that only begin alike", before: own,
			after: own + "pick 2 exec x\nexecute\nxyz a\n# exec a\n",
			left:  own + "pick 2 exec x\nexecute\nxyz a\n# exec a\n"},
		{name: "too long to be read", before: own, after: strings.Repeat("#", maxFile+1),
			told: "exec ", left: own},
	} {
		t.Run(test.name, func(t *testing.T) {
			root := t.TempDir()
			if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			todo := filepath.Join(root, ".git", "rebase-merge", "git-rebase-todo")
			if test.before != "" {
				write(t, todo, test.before, 0o644)
			}
			s := Look([]string{root}, Most)
			write(t, todo, test.after, 0o644)
			changes, _ := undo(t, s)
			var told []string
			for _, c := range changes {
				told = append(told, c.String())
			}
			if all := strings.Join(told, "\n"); test.told == "" && all != "" ||
				!strings.Contains(all, test.told) {
				t.Errorf("told %q, want %q", all, test.told)
			}
			left, _ := os.ReadFile(todo)
			if string(left) != test.left {
				t.Errorf("left %q, want %q", left, test.left)
			}
			if again := s.Changes(); len(again) != 0 {
				t.Errorf("still there: %v", again)
			}
		})
	}
}

// The folder may be a link to one that lies elsewhere.
func TestStepsElsewhere(t *testing.T) {
	root, other := t.TempDir(), t.TempDir()
	if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	s := Look([]string{root}, Most)
	write(t, filepath.Join(other, "git-rebase-todo"), "exec ./evil\n", 0o644)
	link := filepath.Join(root, ".git", "rebase-merge")
	if err := os.Symlink(other, link); err != nil {
		t.Fatal(err)
	}
	if changes, _ := undo(t, s); len(changes) != 1 || changes[0].Kind != Pointer {
		t.Errorf("%v", changes)
	}
	if _, err := os.Lstat(link); err == nil {
		t.Error("the link is still there")
	}
}

// Where a merge is under way, git runs git-merge-STRATEGY, which may be a file of the work tree.
func TestStrategies(t *testing.T) {
	for file, text := range map[string]string{
		"rebase-merge/strategy": "%s\n",
		"sequencer/opts":        "[options]\n\tstrategy = %s\n",
		"config":                "[core]\n\tbare = false\n[pull]\n\ttwohead = %s\n",
	} {
		for value, want := range map[string]int{"x/evil": 1, "ort": 0} {
			root := t.TempDir()
			if out, err := exec.Command("git", "init", "-q", root).CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			s := Look([]string{root}, Most)
			write(t, filepath.Join(root, ".git", file), fmt.Sprintf(text, value), 0o644)
			if changes, _ := undo(t, s); len(changes) != want {
				t.Errorf("%s, %s: %v", file, value, changes)
			}
			if again := s.Changes(); len(again) != 0 {
				t.Errorf("%s, %s, still there: %v", file, value, again)
			}
		}
	}
}
