package launcher

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// world is a launcher with a workspace of its own.
func world(t testing.TB) (*Launcher, Request) {
	t.Helper()
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(work, "src"), 0o755),
		os.WriteFile(filepath.Join(work, "a"), []byte("a\n"), 0o644),
		os.WriteFile(filepath.Join(work, "run.sh"), []byte("echo hi\n"), 0o755),
		os.Symlink("a", filepath.Join(work, "link")),
	); err != nil {
		t.Fatal(err)
	}
	l, err := Open(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	return l, Request{
		Shell: Shell{Text: "cat link > out", Name: "tada-run"}, Dir: work,
		Env: []string{"PATH=/usr/bin:/bin", "HOME=/home/dev", "LANG=C", "QUIETLY=x"},
	}
}

func judged(t *testing.T, l *Launcher, r Request) *Judgement {
	t.Helper()
	j, err := l.Judge(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

// B-R1.2, B-R1.2a, B-T4: whatever could change what the run does changes the plan hash, each
// alone; what only differs from call to call does not.
func TestPlanHashBinds(t *testing.T) {
	l, base := world(t)
	want := judged(t, l, base).Hash()
	if again := judged(t, l, base).Hash(); again != want {
		t.Fatalf("the same request has two hashes:\n%s\n%s", want, again)
	}
	for _, test := range []struct {
		name   string
		change func(*Request)
		same   bool
	}{
		{"command", func(r *Request) { r.Shell.Text += " " }, false},
		{"name", func(r *Request) { r.Shell.Name = "x" }, false},
		{"arguments", func(r *Request) { r.Shell.Args = []string{"x"} }, false},
		{"shell flags", func(r *Request) { r.Shell.Flags = []string{"-e"} }, false},
		{"dialect and so the shell", func(r *Request) { r.Shell.Dialect = shellparse.POSIX }, false},
		{"words", func(r *Request) { r.Shell.Words, r.Shell.Text = []string{"cat", "link"}, "" }, false},
		{"directory", func(r *Request) { r.Dir = filepath.Join(r.Dir, "src") }, false},
		{"work item", func(r *Request) { r.WorkItem = "PR-1" }, false},
		{"agent", func(r *Request) { r.Agent = "other" }, false},
		{"profile", func(r *Request) { r.Profile = "ci" }, false},
		{"shown variable", func(r *Request) { r.Env = append(r.Env[:1:1], "HOME=/x", "LANG=C", "QUIETLY=x") }, false},
		{"hidden variable", func(r *Request) { r.Env = append(r.Env[:3:3], "QUIETLY=y") }, false},
		{"removed variable", func(r *Request) { r.Env = append(r.Env[:4:4], "LD_PRELOAD=x") }, false},
		{"standard input", func(r *Request) { r.Stdio.In = devNull(t) }, false},
		{"hint", func(r *Request) { r.Intent = pathguard.Intent{NeedsConfirm: true} }, false},

		{"call id", func(r *Request) { r.CallID = "call-2" }, true},
		{"shell bookkeeping", func(r *Request) { r.Env = append(r.Env[:4:4], "_=/usr/bin/env", "SHLVL=3", "COLUMNS=80") }, true},
		{"time limit", func(r *Request) { r.Wait = time.Second }, true},
	} {
		r := base
		test.change(&r)
		if got := judged(t, l, r).Hash(); (got == want) != test.same {
			t.Errorf("%s: hash equal %v, want %v", test.name, got == want, test.same)
		}
	}
}

// C-3.4.1: "~" and "~me" are the account's home when the environment does not say what HOME is.
func TestJudgeKnowsTheHome(t *testing.T) {
	l, r := world(t)
	r.Env = []string{"PATH=/usr/bin:/bin", "USER=me"}
	for _, line := range []string{"cat ~/x", "cd && cat x", "cd ~me && cat x"} {
		r.Shell.Text = line
		want := filepath.Join(l.account, "x")
		if got := judged(t, l, r).Script.Effects; !slices.ContainsFunc(got, func(e shellparse.Effect) bool {
			return e.Name.Text == want || filepath.Join(e.Name.Dir, e.Name.Text) == want
		}) {
			t.Errorf("%q does not read %s: %+v", line, want, got)
		}
	}
}

// B-R1.2: a name that an agent's program makes up for every call does not make its command another one; everything else
// in the same text does.
func TestPlanHashOfAWrapper(t *testing.T) {
	l, base := world(t)
	base.Shell.Name = "bash"
	hash := func(text string) string {
		r := base
		r.Shell.Text = text
		return judged(t, l, r).Hash()
	}
	claude := func(command, id string) string {
		return "shopt -u extglob 2>/dev/null || true && eval '" + command + "' < /dev/null && pwd -P >| /tmp/claude-" + id + "-cwd"
	}
	gemini := func(command, id string) string {
		dir := "/tmp/gemini-shell-" + id
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return strings.ReplaceAll(geminiText(command), "/tmp/gemini-shell-a1B2c3", dir)
	}
	one, two := fmt.Sprintf("t%05d", os.Getpid()%100000), fmt.Sprintf("u%05d", os.Getpid()%100000)
	for _, test := range []struct {
		name string
		a, b string
		same bool
	}{
		{"claude", claude("rm -r src", "00a1"), claude("rm -r src", "00b2"), true},
		{"gemini", gemini("rm -r src", one), gemini("rm -r src", two), true},
		{"another command", claude("rm -r src", "00a1"), claude("rm -r a", "00a1"), false},
		{"another name in the command", claude("rm -r src /tmp/claude-00b2-cwd", "00a1"), claude("rm -r src /tmp/claude-00b2-cwd", "00b2"), false},
		{"no wrapper", "rm -r src /tmp/claude-00a1-cwd", "rm -r src /tmp/claude-00b2-cwd", false},
	} {
		if got := hash(test.a) == hash(test.b); got != test.same {
			t.Errorf("%s: equal %v, want %v", test.name, got, test.same)
		}
	}
}

// B-T1, B-T4: the world behind the names is bound too.
func TestPlanHashBindsTheFiles(t *testing.T) {
	l, base := world(t)
	base.Shell.Text = "./run.sh && cat link"
	want := judged(t, l, base).Hash()
	work := base.Dir
	for _, test := range []struct {
		name       string
		do, undone func() error
	}{
		{"link retargeted",
			func() error {
				return errors.Join(os.Remove(filepath.Join(work, "link")), os.Symlink("run.sh", filepath.Join(work, "link")))
			},
			func() error {
				return errors.Join(os.Remove(filepath.Join(work, "link")), os.Symlink("a", filepath.Join(work, "link")))
			}},
		{"script edited in place",
			func() error { return os.WriteFile(filepath.Join(work, "run.sh"), []byte("rm -r x\n"), 0o755) },
			func() error { return os.WriteFile(filepath.Join(work, "run.sh"), []byte("echo hi\n"), 0o755) }},
	} {
		if err := test.do(); err != nil {
			t.Fatal(err)
		}
		if judged(t, l, base).Hash() == want {
			t.Errorf("%s: the plan hash is the same", test.name)
		}
		if err := test.undone(); err != nil {
			t.Fatal(err)
		}
	}
}

// B-R1.3: what is hashed is the one spelling of its value, and holds no secret.
func TestPayloadIsCanonical(t *testing.T) {
	l, base := world(t)
	base.Env = append(base.Env, "MY_SETTING=do-not-show")
	base.Shell.Text = "echo 'caf\xc3\xa9' \x7f"
	j := judged(t, l, base)
	v, err := canonical.Parse(j.Payload())
	if err != nil {
		t.Fatalf("%v\n%s", err, j.Payload())
	}
	again, err := canonical.Append(nil, v)
	if err != nil || !bytes.Equal(again, j.Payload()) {
		t.Errorf("%v\n%s\n%s", err, again, j.Payload())
	}
	if bytes.Contains(j.Payload(), []byte("do-not-show")) {
		t.Error("the value of a variable that may be a secret stands in the payload")
	}
}

// C-7.2.11: nothing to run is told as that.
func TestJudgeEmpty(t *testing.T) {
	l, base := world(t)
	for _, text := range []string{"", "   ", "\n\n", "# only a comment", "\t# x\n"} {
		base.Shell.Text = text
		if _, err := l.Judge(base); !errors.Is(err, ErrEmpty) || ExitOf(err) != ExitUsage {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// C-1.1, C-10.1: a judgement starts nothing and leaves nothing behind.
func TestJudgeHasNoEffect(t *testing.T) {
	l, base := world(t)
	for _, text := range []string{"touch made", "echo x > made", "$(touch made)", "eval 'touch made'", "cat <(touch made)"} {
		base.Shell.Text = text
		judged(t, l, base)
		if _, err := os.Lstat(filepath.Join(base.Dir, "made")); err == nil {
			t.Fatalf("judging %q ran it", text)
		}
	}
	entries, err := os.ReadDir(l.home.Sessions())
	if err != nil || len(entries) > 0 {
		t.Errorf("sessions after checks: %v, %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(l.home.Audit(), "log.jsonl")); err == nil {
		t.Error("a check wrote to the log")
	}
}

// E-deny-1, E-deny-2: one line and one JSON object; neither moves a cursor nor names a way to
// loosen the policy.
func TestRefusal(t *testing.T) {
	l, base := world(t)
	base.Shell.Text = "rm -rf /"
	j := judged(t, l, base)
	r := (&run{Judgement: j, l: l}).denied()
	if r.exit != ExitDenied || r.Status != "denied" || len(r.Items) == 0 {
		t.Fatalf("%+v", r)
	}
	if strings.ContainsAny(r.Line()+r.JSON(), "\n\x1b") {
		t.Errorf("%q\n%q", r.Line(), r.JSON())
	}
	if len(r.JSON()) > 4096 {
		t.Errorf("%d bytes for the agent", len(r.JSON()))
	}
	for _, word := range []string{"config.yaml", "command_level", "policy init", "--home"} {
		if strings.Contains(r.JSON(), word) {
			t.Errorf("the refusal names %q", word)
		}
	}
}

func devNull(t *testing.T) *os.File {
	t.Helper()
	f, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}
