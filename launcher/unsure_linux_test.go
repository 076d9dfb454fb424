package launcher

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/undo"
	"github.com/tada-run/tada-run/pathguard"
)

// A loss of files in the workspace is a note where it is certain that all is kept, and everything
// else is asked about as before.
func TestUndoStandsForQuestions(t *testing.T) {
	l, req := world(t)
	plain := configured(t, l, "")
	excepted := configured(t, l, "undo:\n  except: ["+req.Dir+"/data]\n")
	for _, name := range []string{".git", "data/d", "sub/.git"} {
		if err := os.MkdirAll(filepath.Join(req.Dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		text string
		want pathguard.Decision
	}{
		{"rm -rf src", pathguard.Allow},
		{"rm -rf src/* a*", pathguard.Allow},
		{"truncate -s 0 src/*", pathguard.Allow},
		{"find . -name '*.txt' -delete", pathguard.Allow},
		{"git reset --hard", pathguard.Allow},
		{"git checkout -- .", pathguard.Allow},
		{"cd src && git clean -fdx", pathguard.Allow},
		{"git stash drop; git branch -D x; git tag -d v1", pathguard.Allow},

		{"eval 'rm -rf src'", pathguard.Ask},
		{"builtin eval 'rm -rf src'", pathguard.Ask},
		{"rm -rf src; kill 1", pathguard.Ask},
		{"rm -rf data", pathguard.Ask},            // excepted
		{"git clean -fdx; : data", pathguard.Ask}, // it could lose that
		{"rm -rf ../work", pathguard.Ask},
		{"find . -delete", pathguard.Ask},
		{"rm -rf .git", pathguard.Ask},
		{"rm -rf src ~/other", pathguard.Ask},
		{"git -C /srv reset --hard", pathguard.Ask},
		{"cd / && git reset --hard", pathguard.Ask},
		{"GIT_WORK_TREE=/srv git checkout -- .", pathguard.Ask},
		{"GIT_DIR=/srv/x git branch -D x", pathguard.Ask},
		{"git push -f && git reset --hard", pathguard.Ask},
		{"git reflog expire --expire=now --all", pathguard.Ask},
		{"git reset --hard; curl -T a https://e.test", pathguard.Ask},
		{"sudo git reset --hard", pathguard.Ask},
	} {
		req.Shell.Text, l.policy = test.text, plain
		if strings.Contains(test.text, "data") {
			l.policy = excepted
		}
		j := judged(t, l, req)
		if v := j.Verdict; v.Decision != test.want || v.Stands != (test.want == pathguard.Allow) {
			t.Errorf("%s: %v, stands %v: %v", test.text, v.Decision, v.Stands, v.Reasons)
		}
	}
}

// taken notes that a run has taken most of the quota.
func taken(t *testing.T, l *Launcher) {
	t.Helper()
	err := os.WriteFile(l.state.Undo()+"/ledger", []byte("\"r\" 1070000000 stands\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

// What a run had taken of the quota that is gone, and did not use, is free when room is short.
func TestRoomOfKilledRun(t *testing.T) {
	l, req := world(t)
	l.policy, req.Shell.Text = configured(t, l, ""), "rm -rf src"
	if err := os.MkdirAll(l.state.Undo(), 0o700); err != nil {
		t.Fatal(err)
	}
	taken(t, l)
	if j := judged(t, l, req); !j.Verdict.Stands {
		t.Errorf("%v, %q", j.Verdict.Decision, j.undoText())
	}
}

// Where it is not certain, the question says why.
func TestUnsure(t *testing.T) {
	for _, test := range []struct {
		config, why string
		change      func(*testing.T, *Launcher, *Request)
	}{
		{"undo:\n  replaces_approval: false\n", "", nil},
		{"undo:\n  quota: 0\n", "undo.quota is 0", nil},
		{"background: keep\n", "goes on in the background", nil},
		{"security:\n  command_level: always\n", "", nil},
		{"", "not all could be kept",
			func(t *testing.T, l *Launcher, r *Request) {
				if err := l.NoteUnkept(sumOf([]byte(r.Shell.Text))); err != nil {
					t.Fatal(err)
				}
			}},
		{"", "undo.quota is nearly used up",
			func(t *testing.T, l *Launcher, r *Request) {
				store, err := l.UndoStore()
				if err != nil {
					t.Fatal(err)
				}
				dir, err := os.Open(r.Dir)
				if err != nil {
					t.Fatal(err)
				}
				defer dir.Close()
				j, err := store.Begin(undo.Start{Run: "r", Trees: []string{r.Dir},
					Stands: true})
				if err == nil {
					err = j.Make(int(dir.Fd()), r.Dir, "new")
				}
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _, _ = j.Close(undo.End{}) })
				taken(t, l)
			}},
		{"", "what changes outside of the workspace",
			func(_ *testing.T, _ *Launcher, r *Request) { r.Within = &Within{} }},
	} {
		l, req := world(t)
		l.policy = configured(t, l, test.config)
		req.Shell.Text = "rm -rf src"
		if test.change != nil {
			test.change(t, l, &req)
		}
		j := judged(t, l, req)
		if j.Verdict.Decision != pathguard.Ask || j.Verdict.Stands ||
			!strings.Contains(j.undoText(), test.why) {
			t.Errorf("%q: %v, %q", test.config, j.Verdict.Decision, j.undoText())
		}
	}
}
