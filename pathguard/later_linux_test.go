package pathguard

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/pathguard/resolve"
)

// TestLaterEveryName: every name of the table is either kept, which asks when a line names it and
// stays as it is for code that was not read, or is reported when such code makes or changes it, in
// the workspace and in folders of it. What git keeps for itself is not reported.
func TestLaterEveryName(t *testing.T) {
	g, root := desk(t, "", "w/a/b/x")
	read := func(line string) *resolve.Plan {
		t.Helper()
		_, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { plan.Close() })
		return plan
	}
	plan := read("./unread")
	for _, n := range laterNames() {
		if n.runs == "" {
			t.Errorf("%s: who runs it?", n.name)
		}
		if isOne("git", n.tools) {
			continue
		}
		name := strings.ReplaceAll(strings.TrimPrefix(n.name, "**/"), "*", "x")
		g.Caller.Agents = nil
		if n.only != "" { // nowhere else
			g.expect(t, Allow, "echo x > "+name)
			write(t, path.Join(root, "w", name), "one")
			if left := LaterIn(&g.Caller, root+"/w"); len(left) != 0 {
				t.Errorf("%s without its agents: %v", name, left)
			}
			if err := os.Remove(path.Join(root, "w", name)); err != nil {
				t.Fatal(err)
			}
			g.Caller.Agents = func() []string { return strings.Split(n.only, ",")[:1] }
		}
		for _, dir := range []string{"", "a/b/"} {
			full := path.Join(root, "w", dir, name)
			before := LaterIn(&g.Caller, root+"/w")
			write(t, full, "one")
			first := LaterIn(&g.Caller, root+"/w")
			if left := first.Since(before, plan); len(left) != 1 || left[0].Name != full ||
				left[0].Runs != n.runs {
				t.Errorf("%s is new: %v", full, left)
			}
			write(t, full, "another")
			if left := LaterIn(&g.Caller, root+"/w").Since(first, plan); len(left) != 1 ||
				left[0].Name != full {
				t.Errorf("%s changed: %v", full, left)
			}
			g.expect(t, map[bool]Decision{true: Ask, false: Allow}[n.kept], "echo x > "+dir+name)
			f, _, _ := fenceOf(t, g, root, "./unread")
			if kept := slices.Concat(f.ReadOnly, f.Hide); slices.Contains(kept,
				"@/w/"+dir+name) != n.kept {
				t.Errorf("%s%s: kept %v: %q", dir, name, n.kept, f.ReadOnly)
			}
			if err := os.RemoveAll(full); err != nil {
				t.Fatal(err)
			}
			for up := path.Dir(full); up != root+"/w" && up != root+"/w/a/b"; up = path.Dir(up) {
				os.Remove(up)
			}
		}
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(path.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestLaterFolders: a folder that is a later name is one name, and what changes in it is seen.
func TestLaterFolders(t *testing.T) {
	g, root := desk(t, "", "w/.mvn/wrapper/w.properties", "w/.vscode/tasks.json",
		"w/node_modules/x/.envrc", "w/sub/.git/hooks/pre-commit", "w/.codex/worktrees/a/x.go",
		"w/.claude/worktrees/a/.envrc", "w/.claude/settings.json")
	plan := func(line string) *resolve.Plan {
		_, plan, err := g.judge(line)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { plan.Close() })
		return plan
	}
	before := LaterIn(&g.Caller, root+"/w", root+"/w")
	for _, name := range []string{".mvn/wrapper/w.properties", ".mvn/extensions.xml",
		".vscode/tasks.json", "node_modules/x/.envrc", "sub/.git/hooks/pre-commit",
		".codex/worktrees/a/x.go", ".claude/worktrees/a/.envrc", ".claude/hooks/x"} {
		write(t, root+"/w/"+name, "changed")
	}
	write(t, root+"/w/CLAUDE.md", "new")
	if err := os.Symlink("/nowhere", root+"/w/src/AGENTS.md"); err != nil {
		// a link that leads nowhere yet is one too
		t.Fatal(err)
	}
	const agent = ".claude .claude/worktrees/a/.envrc "
	for line, want := range map[string]string{
		"./x":                  agent + ".mvn .vscode CLAUDE.md src/AGENTS.md",
		"mvn -v":               agent + ".vscode CLAUDE.md src/AGENTS.md",
		"./x; touch CLAUDE.md": agent + ".mvn .vscode src/AGENTS.md",
		"git pull":             "CLAUDE.md src/AGENTS.md",
		"./x; touch .claude/x": agent[len(".claude "):] +
			".mvn .vscode CLAUDE.md src/AGENTS.md",
		"./x > .claude/worktrees/a/o": agent + ".mvn .vscode CLAUDE.md src/AGENTS.md"} {
		var got []string
		for _, l := range LaterIn(&g.Caller, root+"/w").Since(before, plan(line)) {
			got = append(got, strings.TrimPrefix(l.Name, root+"/w/"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
