package watch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/sandbox/gitmeta"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/command"
)

// The bound of the search is spent on the workspace first and on nothing twice.
func TestGitRoots(t *testing.T) {
	for _, test := range []struct{ write, workspace, want string }{
		{"/w/node_modules/a /w/sub /w /root/.cache /tmp", "/w", "/w /root/.cache"},
		{"/c /home/me/proj /home/me/proj/x", "/home/me/proj", "/home/me/proj /c"},
		{"/home/me/proj/x /home/me/projection", "/home/me/proj",
			"/home/me/proj/x /home/me/projection"},
		{"/tmp /var/tmp", "", ""}, {"/ /w", "/w", "/"}, {"/tmp/w /tmp", "/tmp/w", "/tmp/w"},
	} {
		var write []sandbox.Path
		for _, name := range strings.Fields(test.write) {
			write = append(write, sandbox.Path{Name: name})
		}
		if got := strings.Join(gitRoots(write, test.workspace), " "); got != test.want {
			t.Errorf("%s in %s: %s", test.write, test.workspace, got)
		}
	}
}

// A plan of which every write is known is searched after when it brings whole folders.
func TestLookAtGitExact(t *testing.T) {
	for _, test := range []struct {
		name  string
		flags command.Flags
		want  bool
	}{{"cp", command.Recursive, true}, {"cp", 0, false}, {"/bin/mv", 0, true},
		{"touch", 0, false}} {
		b := Before{Exact: true, Plan: &pathguard.Plan{
			Script:  &shellparse.Script{Commands: []shellparse.Command{{Name: test.name}}},
			Targets: []pathguard.Target{{Flags: test.flags}},
		}}
		b.Profile.Write = []sandbox.Path{{Name: t.TempDir()}}
		got := b.lookAtGit()
		if (got != nil) != test.want {
			t.Errorf("%+v", test)
		}
	}
}

// gitRun is a run over dir of which only the search for what git would run is there.
func gitRun(dir string) (*gitmeta.Snapshot, Before, After) {
	return gitmeta.Look([]string{dir}, maxGitNames), Before{Plan: &pathguard.Plan{}},
		After{Receipt: sandbox.Receipt{Level: sandbox.Strong}}
}

// A command that leaves thousands of hooks with unreadable names floods neither the terminal nor
// the record, and has left nothing.
func TestTakeBackIsBounded(t *testing.T) {
	dir := t.TempDir()
	git, b, a := gitRun(dir)
	if err := os.MkdirAll(dir+"/x/.git/hooks", 0o755); err != nil {
		t.Fatal(err)
	}
	for i := range 2700 {
		name := fmt.Sprintf("%s/x/.git/hooks/%s%04d", dir, strings.Repeat("\x01", 246), i)
		if err := hermetic.WriteProgram(name, nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	told := takeBack(git, b, a, &out)
	if n := strings.Count(out.String(), "\n"); n != 13 || out.Len() > 8<<10 ||
		strings.Contains(out.String(), "\x01") {
		t.Errorf("%d lines, %d bytes", n, out.Len())
	}
	record := strings.Join(told, "\n")
	if len(record) > 8<<10 || strings.Contains(record, "\x01") ||
		!strings.Contains(record, "2688 more") {
		t.Errorf("%d bytes are for the record: %s", len(record), told[len(told)-1])
	}
	if left, _ := os.ReadDir(dir + "/x/.git/hooks"); len(left) > 0 {
		t.Errorf("%d are left", len(left))
	}
}

// What the sandbox kept is not taken back, unless the sandbox could not keep it; beside a person
// nothing is deleted.
func TestTakeBackIsCareful(t *testing.T) {
	for _, test := range []struct {
		name       string
		level      sandbox.Level
		lost       []sandbox.Loss
		background bool
		kept       bool
		want       string
	}{
		{"kept", sandbox.Strong, nil, false, true, "post-commit"},
		{"kept at base", sandbox.Base, nil, false, true, "post-commit"},
		{"not kept at base", sandbox.Base, []sandbox.Loss{{Protection: sandbox.Keeping}}, false,
			true, ""},
		{"not kept by this kernel", sandbox.Strong, []sandbox.Loss{{Protection: sandbox.Keeping}},
			false, true, ""},
		{"foreground", sandbox.Strong, nil, false, false, ""},
		{"background", sandbox.Strong, nil, true, false, "post-commit.tada-held"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			hooks := dir + "/.git/hooks"
			if err := os.MkdirAll(hooks, 0o755); err != nil {
				t.Fatal(err)
			}
			git, b, a := gitRun(dir)
			a.Receipt.Level, a.Receipt.Lost, a.Careful = test.level, test.lost, test.background
			if test.kept {
				git.Kept = []string{hooks}
			}
			if err := hermetic.WriteProgram(hooks+"/post-commit", nil,
				0o755); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			takeBack(git, b, a, &out)
			var names []string
			entries, _ := os.ReadDir(hooks)
			for _, e := range entries {
				names = append(names, e.Name())
			}
			if got := strings.Join(names, " "); got != test.want {
				t.Errorf("%s; told: %s", got, out.String())
			}
			if told := out.Len() > 0; told != (test.want != "post-commit") {
				t.Errorf("told: %q", out.String())
			}
		})
	}
}

// A repository that is gone is reported, unless the plan that was judged says that it goes.
func TestTakeBackTellsWhatIsGone(t *testing.T) {
	for _, test := range []struct {
		right command.Right
		name  string // of the target, below the folder
		told  bool
	}{
		{command.Read, "", true}, {command.Delete, "other", true},
		{command.Delete, "proj/.gi", true}, {command.Write, "proj", true},
		{command.Delete, "proj/.git", false}, {command.Delete, "proj", false},
		{command.Delete, "", false},
	} {
		dir := t.TempDir()
		repository := dir + "/proj/.git"
		if err := errors.Join(os.MkdirAll(repository+"/objects", 0o755),
			os.MkdirAll(repository+"/refs", 0o755),
			os.WriteFile(repository+"/HEAD", []byte("ref: refs/heads/main\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		git, b, a := gitRun(dir)
		b.Plan.Targets = []pathguard.Target{{Right: test.right}}
		b.Plan.Targets[0].Real = filepath.Join(dir, test.name)
		if err := os.RemoveAll(dir + "/proj"); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		lines := strings.Join(takeBack(git, b, a, &out), "\n")
		if told := strings.Contains(out.String(), "it was not approved"); told != test.told ||
			!strings.Contains(lines, fmt.Sprintf("%q is gone", repository)) {
			t.Errorf("%+v: %q, for the record %q", test, out.String(), lines)
		}
	}
}

// Steps of a rebase stay only where the line itself gave them.
func TestNamesSteps(t *testing.T) {
	for _, test := range []struct {
		line, steps string
		want        bool
	}{
		{"git rebase --exec 'make test' main", "make test", true},
		{"git rebase --exec='make test' main", "make test", true},
		{"git rebase -x 'make test' -x make main", "make\nmake test", true},
		{"git rebase -xmake main", "make", true},
		{"git rebase -x 'make test' main", "make test\n./evil", false},
		{"git rebase main; ./p", "./evil", false},
		{"git rebase main; ./p -x ./evil", "./evil", false},
		{"git log -x ./evil", "./evil", false},
		{"git log rebase --exec ./evil", "./evil", false},
		{"git stash list rebase -x./evil", "./evil", false},
		{"git rebase -x \"$(cat f)\" main", "./evil", false},
		{"git rebase -x", "", false},
	} {
		script := shellparse.Parse(test.line, shellparse.Options{Dir: "/w"})
		if got := namesSteps(script.Commands, strings.Split(test.steps, "\n")); got != test.want {
			t.Errorf("%s leaves %q: %v", test.line, test.steps, got)
		}
	}
}
