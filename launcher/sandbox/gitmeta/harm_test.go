package gitmeta

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/integration/hermetic"
)

// write makes a file with its folders.
func write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(name[:strings.LastIndexByte(name, '/')], 0o755); err != nil {
		t.Fatal(err)
	}
	if err := hermetic.WriteProgram(name, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// undo takes back everything and returns where things were moved to.
func undo(t *testing.T, s *Snapshot) (changes []Change, aside string) {
	t.Helper()
	changes = s.Changes()
	for _, c := range changes {
		to, err := s.Undo(c)
		if err != nil {
			t.Errorf("%v: %v", c, err)
		}
		if to != "" {
			aside = to
		}
	}
	return changes, aside
}

func content(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Nothing is lost that cannot be brought back: a hook too large to keep, a configuration that was
// broken by hand, what a person made beside a run in the background.
func TestUndoLosesNothing(t *testing.T) {
	large := "#!/bin/sh\n" + strings.Repeat("#", 3<<20)
	for _, test := range []struct {
		name                string
		careful             bool
		file, before, after string
		was, is             os.FileMode
		want                string // "" is absent
		wantMode            os.FileMode
		aside               string
	}{
		{"large hook, new mode", false, "hooks/pre-push", large, large, 0o644, 0o755, large, 0o644,
			""},
		{"large hook, other mode", false, "hooks/pre-push", large, large, 0o700, 0o755, large,
			0o755, ""},
		{"large hook, other content", false, "hooks/pre-push", large, "#!/bin/sh\n", 0o755, 0o755,
			"", 0, "#!/bin/sh\n"},
		{"small hook", false, "hooks/pre-push", "#!/bin/sh\n", "x", 0o755, 0o755, "#!/bin/sh\n",
			0o755, ""},
		{"hook that was none", false, "hooks/pre-push", "mine", "yours", 0o644, 0o755, "yours",
			0o644, ""},
		{"new hook", false, "hooks/pre-push", "", "x", 0, 0o755, "", 0, ""},
		{"new hook, careful", true, "hooks/pre-push", "", "x", 0, 0o755, "", 0, "x"},
		{"small hook, careful", true, "hooks/pre-push", "#!/bin/sh\n", "x", 0o755, 0o755, "", 0,
			"x"},
		{"broken configuration", false, "config", "[user]\nname=x\n", "[user]\nname=y\n[alias\n",
			0o644, 0o644, "[user]\nname=x\n", 0o644, "[user]\nname=y\n[alias\n"},
		{"configuration that was broken", false, "config", "[user\n", "[user\nname\n", 0o644, 0o644,
			"[user\nname\n", 0o644, ""},
		{"setting, careful", true, "config", "[user]\n", "[user]\nname=y\n[core]\nfsmonitor=x\n",
			0o644, 0o644, "[user]\nname=y\n[core]\n\n", 0o644,
			"[user]\nname=y\n[core]\nfsmonitor=x\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			name := dir + "/.git/" + test.file
			write(t, dir+"/.git/HEAD", "x", 0o644)
			if test.was != 0 {
				write(t, name, test.before, test.was)
			}
			s := Look([]string{dir}, Most)
			s.Careful = test.careful
			write(t, name, test.after, test.is)
			_, aside := undo(t, s)
			st, err := os.Stat(name)
			switch {
			case test.want == "" && err == nil:
				t.Errorf("still there: %q", content(t, name))
			case test.want != "" && (err != nil || content(t, name) != test.want ||
				st.Mode() != test.wantMode):
				t.Errorf("%v, %v", err, st)
			}
			if (aside != "") != (test.aside != "") {
				t.Fatalf("moved aside to %q", aside)
			}
			if aside != "" {
				if st, err := os.Stat(aside); err != nil || content(t, aside) != test.aside ||
					st.Mode()&0o111 != 0 {
					t.Errorf("%q: %v, %v", aside, st, err)
				}
			}
		})
	}
}

// What the sandbox kept cannot have come from the command.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/.git/hooks/pre-push", "x", 0o755)
	s := Look([]string{dir}, Most)
	s.Kept = []string{dir + "/.git/hooks"}
	write(t, dir+"/.git/hooks/post-commit", "x", 0o755)
	write(t, dir+"/.git/hooks2/hooks/x", "x", 0o755)
	if got := s.Changes(); len(got) != 0 {
		t.Error(got)
	}
	s.Kept = nil
	if got := s.Changes(); len(got) != 1 {
		t.Error(got)
	}
}

// Whatever is left in the folders, a look keeps a bounded part of it.
func TestMemory(t *testing.T) {
	for name, mode := range map[string]os.FileMode{"no program": 0o644, "programs": 0o755} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, dir+"/.git/HEAD", "x", 0o644)
			before := Look([]string{dir}, Most)
			for i := range 300 {
				sparse(t, fmt.Sprintf("%s/x/.git/hooks/h%d", dir, i), mode)
				sparse(t, fmt.Sprintf("%s/y/%d/.git/config", dir, i), 0o644)
			}
			var start, end runtime.MemStats
			runtime.ReadMemStats(&start)
			s := Look([]string{dir}, Most)
			runtime.GC()
			runtime.ReadMemStats(&end)
			if grown := int64(end.HeapAlloc) - int64(start.HeapAlloc); grown > 16<<20 {
				t.Errorf("%d MiB are kept", grown>>20)
			}
			if taken := end.TotalAlloc - start.TotalAlloc; taken > 64<<20 {
				t.Errorf("%d MiB were taken", taken>>20)
			}
			if got := s.Changes(); len(got) != 0 {
				t.Errorf("%d changes of nothing: %v", len(got), got[0])
			}
			if mode == 0o755 && len(before.Changes()) < 300 {
				t.Error("programs were not seen")
			}
		})
	}
}

func sparse(t *testing.T, name string, mode os.FileMode) {
	write(t, name, "", mode)
	if err := os.Truncate(name, 1<<20); err != nil {
		t.Fatal(err)
	}
}

// What was there before the run is looked at whatever has come since, and the roots' own
// repositories whatever lies around.
func TestNearFirst(t *testing.T) {
	dir := t.TempDir()
	write(t, dir+"/.git/config", "[user]\n", 0o644)
	write(t, dir+"/a/b/.git/config", "[user]\n", 0o644)
	s := Look([]string{dir}, 50)
	if s.Incomplete {
		t.Fatal("incomplete")
	}
	for i := range 200 {
		write(t, fmt.Sprintf("%s/%d", dir, i), "", 0o644)
	}
	write(t, dir+"/.git/config", "[core]\nfsmonitor=x\n", 0o644)
	write(t, dir+"/a/b/.git/config", "[core]\nfsmonitor=x\n", 0o644)
	if got := s.Changes(); len(got) != 2 || !s.Incomplete {
		t.Errorf("%v, incomplete %v", got, s.Incomplete)
	}
}

// Settings that run something only with some values, B-R6.3a.
func TestRuns(t *testing.T) {
	for _, test := range []struct {
		text string
		want bool
	}{
		{"[protocol \"ext\"]allow=user", true}, {"[protocol \"ssh\"]allow=user", false},
		{"[protocol]allow=user", true}, {"[protocol]allow=never", false},
		{"[remote \"x\"]url=ext::sh", true}, {"[remote \"x\"]url=https://[::1]/x", false},
		{"[remote \"x\"]pushurl=fd::3", true}, {"[branch \"x\"]remote=ext::sh", true},
		{"[branch \"x\"]remote=origin", false}, {"[core]worktree=/home", true},
		{"[core]worktree=../x", true},
		{"[lfs \"extension.x\"]clean=x", true}, {"[lfs \"customtransfer.x\"]path=x", true},
		{"[lfs]standalonetransferagent=x", true}, {"[lfs]url=https://x", false},
		{"[sendemail \"x\"]smtpserver=/x", true}, {"[alias]a=log --oneline -5", false},
		{"[alias]a=log --oneline -O/x", true}, {"[alias]a=-c x.y=z log", true},
		{"[alias]a=log --output=x", true}, {"[alias]a=fetch ext::x", true},
		{"[alias]a=\"'!x'\"", true}, {"[alias]a=commit -am", false},
	} {
		settings, err := parse([]byte(test.text))
		if err != nil || len(settings) != 1 {
			t.Fatalf("%q: %v", test.text, err)
		}
		if got := runs(".git", settings[0]); got != test.want {
			t.Errorf("%q: %v", test.text, got)
		}
	}
	for dir, want := range map[string]bool{".git/modules/lib": false, ".git": true,
		"modules": true} {
		if got := runs(dir,
			setting{section: "core", key: "worktree", value: "../../../lib"}); got != want {
			t.Errorf("%q: %v", dir, got)
		}
	}
}
