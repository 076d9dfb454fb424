package launcher

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/launcher/sandbox"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
)

// A verdict says before the start whether what the line changes can be taken back, and what of it
// cannot.
func TestReversible(t *testing.T) {
	l, req := world(t)
	for _, test := range []struct {
		text string
		want any
		why  string // a part of what is told of the rest
	}{
		{"cat a", true, ""},
		{"rm -rf src", true, ""},
		{"echo x > a; chmod 600 a; mv a b", true, ""},
		{"git reset --hard; git clean -fdx; git stash drop", true, ""},
		{"./run.sh", true, ""},
		{"find . -delete", true, ""},
		{"ls | xargs truncate -s 0", true, ""},
		{"rm -rf src; kill 1", "partly", "ends processes"},
		{"curl -T a https://e.test", "partly", "what it sends to e.test"},
		{"docker rm -f x", "partly", "deletes containers"},
		{"rm -rf src; rm /dev/shm/nothing-there", true, ""},
		{"dd if=a of=/dev/sda", false, "a device is no file"},
	} {
		req.Shell.Text = test.text
		j := judged(t, l, req)
		r := j.Report("")
		if r.Reversible != test.want || !strings.Contains(j.undoText(), test.why) {
			t.Errorf("%s: %v, %q (%v)", test.text, r.Reversible, j.undoText(), r.Lacks)
		}
	}
}

// Nothing is promised where nothing is kept.
func TestNotReversible(t *testing.T) {
	req := Request{Shell: shell.Call{Text: "rm -rf src"}}
	for _, test := range []struct {
		name, why string
		change    func(*Launcher, *Request)
	}{
		{"no quota", "undo.quota is 0", func(l *Launcher, _ *Request) {
			l.policy = configured(t, l, "undo:\n  quota: 0\n")
		}},
		{"excepted", "undo.except names it", func(l *Launcher, r *Request) {
			l.policy = configured(t, l, "undo:\n  except: ["+r.Dir+"/src/deep]\n")
		}},
		{"another program's tool", "the agent's own program does this",
			func(_ *Launcher, r *Request) {
				r.Tool = &Tool{Name: "bash", Command: r.Shell.Text}
			}},
		{"no sandbox", "there is no sandbox here", func(l *Launcher, _ *Request) {
			l.level = func() sandbox.Level { return sandbox.None }
		}},
	} {
		l, base := world(t)
		r := req
		r.Dir, r.Env = base.Dir, base.Env
		test.change(l, &r)
		j := judged(t, l, r)
		got, text := j.Report("").Reversible, j.undoText()
		if got != false || !strings.Contains(text, test.why) {
			t.Errorf("%s: %v, %q", test.name, got, text)
		}
	}
	if (pathguard.Verdict{}).Reversible.Value() != false {
		t.Error("the zero verdict promises something")
	}
}

// configured is a policy with the configuration of an account.
func configured(t *testing.T, l *Launcher, text string) pathguard.Policy {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := pathguard.Load(pathguard.Account{Home: l.account, UID: os.Getuid()},
		pathguard.ConfigFile{Path: path, Layer: pathguard.UserLayer})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
