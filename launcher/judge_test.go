package launcher

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/session"
	"github.com/tada-run/tada-run/launcher/shell"
	"github.com/tada-run/tada-run/pathguard"
	"github.com/tada-run/tada-run/shellparse"
	"github.com/tada-run/tada-run/shellparse/catalog"
)

var epoch = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// deletionsAsk is the configuration of these tests: a deletion in the workspace is their question.
const deletionsAsk = "undo: {replaces_approval: false}\n"

// world is a launcher with a workspace of its own.
func world(t testing.TB) (*Launcher, Request) {
	t.Helper()
	dir := t.TempDir()
	work := filepath.Join(dir, "work")
	if err := errors.Join(
		os.MkdirAll(filepath.Join(work, "src"), 0o755),
		os.Mkdir(filepath.Join(dir, "state"), 0o700),
		os.WriteFile(filepath.Join(dir, "state/config.yaml"), []byte(deletionsAsk), 0o600),
		os.WriteFile(filepath.Join(work, "a"), []byte("a\n"), 0o644),
		hermetic.WriteProgram(filepath.Join(work, "run.sh"), []byte("echo hi\n"), 0o755),
		os.Symlink("a", filepath.Join(work, "link")),
	); err != nil {
		t.Fatal(err)
	}
	l, err := own(filepath.Join(dir, "state")).Open()
	if err != nil {
		t.Fatal(err)
	}
	l.Caller = personHere // whatever process runs the tests
	return l, Request{
		Shell: shell.Call{Text: "cat link > out", Name: "tada-run"}, Dir: work,
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
		{"arguments", func(r *Request) { r.Shell.Args = []string{"x"} }, false},
		{"shell flags", func(r *Request) { r.Shell.Flags = []string{"-e"} }, false},
		{"dialect and so the shell", func(r *Request) { r.Shell.Dialect = shellparse.POSIX },
			false},
		{"words", func(r *Request) { r.Shell.Words, r.Shell.Text = []string{"cat", "link"}, "" },
			false},
		{"directory", func(r *Request) { r.Dir = filepath.Join(r.Dir, "src") }, false},
		{"work item", func(r *Request) { r.WorkItem = "PR-1" }, false},
		{"agent", func(r *Request) { r.Agent = "other" }, false},
		{"profile", func(r *Request) { r.Profile = "ci" }, false},
		{"shown variable", func(r *Request) {
			r.Env = append(r.Env[:1:1], "HOME=/x", "LANG=C", "QUIETLY=x")
		}, false},
		{"hidden variable", func(r *Request) { r.Env = append(r.Env[:3:3], "QUIETLY=y") }, false},
		{"new variable", func(r *Request) { r.Env = append(r.Env[:4:4], "LOUDLY=x") }, false},
		{"terminal that is a path", func(r *Request) { r.Env = append(r.Env[:4:4], "TERM=../x") },
			false},
		{"call id that is a host", func(r *Request) {
			r.Env = append(r.Env[:4:4], "TRACEPARENT=evil.test")
		}, false},
		{"size that is an option", func(r *Request) {
			r.Env = append(r.Env[:4:4], "COLUMNS=--eval")
		}, false},
		{"standard input", func(r *Request) { r.Stdio.In = devNull(t) }, false},
		{"hint", func(r *Request) { r.Intent = pathguard.Intent{NeedsConfirm: true} }, false},

		{"call id", func(r *Request) { r.CallID = "call-2" }, true},
		{"variable that the command does not get",
			func(r *Request) { r.Env = append(r.Env[:4:4], "LD_PRELOAD=x") }, true},
		{"terminal and connection", func(r *Request) {
			r.Env = append(r.Env[:4:4], "TERM=xterm-256color", "COLORTERM=truecolor", "WINDOWID=42",
				"TMUX_PANE=%3", "SSH_CLIENT=192.0.2.1 4 22",
				"SSH_TTY=/dev/pts/1", "OLDPWD=/x",
				"TRACEPARENT=00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
				"TERM_PROGRAM=vscode")
		}, true},
		{"name, which is that of a door", func(r *Request) { r.Shell.Name = "/usr/bin/bash" },
			true},
		{"shell bookkeeping", func(r *Request) {
			r.Env = append(r.Env[:4:4], "_=/usr/bin/env", "SHLVL=3", "COLUMNS=80")
		}, true},
		{"time limit", func(r *Request) { r.Wait = time.Second }, true},
	} {
		r := base
		test.change(&r)
		if got := judged(t, l, r).Hash(); (got == want) != test.same {
			t.Errorf("%s: hash equal %v, want %v", test.name, got == want, test.same)
		}
	}
	calls := func(change func(r *Request, n string)) (one, two string) {
		a, b := base, base
		a.Env, b.Env = slices.Clone(a.Env), slices.Clone(b.Env)
		change(&a, "1")
		change(&b, "2")
		return judged(t, l, a).Hash(), judged(t, l, b).Hash()
	}
	if one, two := calls(func(r *Request, n string) {
		r.Env = append(r.Env, "CODEX_THREAD_ID=0199a213-81c0-7800-8aa1-bbab2a035a5"+n,
			"CODEX_TOOL_CALL_ID=call_7b"+n, "OPENCODE_PID=7"+n)
	}); one != two || one == want {
		t.Error("two conversations of one agent differ, or are those of nobody")
	}
	if one, two := calls(func(r *Request, n string) {
		r.Shell.Text,
			r.Shell.Name = "echo $0", "bash"+n
	}); one == two {
		t.Error("the name is not bound where the text says it")
	}
}

// B-R1.2a, E-env-2, B-T4: what is no part of the request is bound too, each alone.
func TestPlanHashBindsPolicyAndUmask(t *testing.T) {
	l, r := world(t)
	want := judged(t, l, r).Hash()
	mask, policy := l.umask(), l.policy
	l.umask = func() int { return mask ^ 0o11 }
	if judged(t, l, r).Hash() == want {
		t.Error("the umask is not bound")
	}
	l.umask = func() int { return mask }
	// changes nothing of this plan
	l.policy = tightened(t, l, "rules: {commands: [{program: nosuchprogram, verdict: deny}]}")
	if judged(t, l, r).Hash() == want {
		t.Error("the policy is not bound")
	}
	l.policy = policy
	if judged(t, l, r).Hash() != want {
		t.Error("what is as it was has another hash")
	}
}

// A variable that is not bound reaches the command only with a value of its shape, and is bound
// where a text of the plan names it: it cannot decide what runs. Everything else that a command
// gets is bound.
func TestWhatACommandGetsIsBoundOrSaysNothing(t *testing.T) {
	l, base := world(t)
	base.Shell.Text = "./run.sh"
	hash := func(env ...string) (string, []string) {
		r := base
		r.Env = append(base.Env[:len(base.Env):len(base.Env)], env...)
		j := judged(t, l, r)
		return j.Hash(), j.environ.Kept
	}
	plain, _ := hash()
	values := []string{"7", "a", "reboot", "xterm-256color", "%3",
		"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"/bin/sh", "../x", "-c", "--eval", "a b", "a;b", "$(x)", "`x`", "evil.test/x",
		"http://evil.test", "192.0.2.1 4 22", "@x", "a,b", ".x", "~", "*", "{a,b}", "",
		strings.Repeat("a", 65)}
	var names []string
	for e := range catalog.Variables().Entries() {
		if e.Has("call", "caller") {
			names = append(names, e.Key)
		}
	}
	for _, name := range append(names, "QUITE_UNKNOWN", "PATH", "CC", "MAKEFLAGS", "EDITOR",
		"http_proxy", "TMPDIR", "TMUX") {
		for _, value := range values {
			got, kept := hash(name + "=" + value)
			passed, bound := slices.Contains(kept, name+"="+value), got != plain
			harmless := strings.Trim(value,
				"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+%:-") == "" &&
				!strings.HasPrefix(value, "-") && !strings.HasPrefix(value, ".") && len(value) <= 64
			if passed && !bound && !(slices.Contains(names, name) && harmless) {
				t.Errorf("%s=%q reaches the command and is not bound", name, value)
			}
		}
	}
	if err := hermetic.WriteProgram(filepath.Join(base.Dir, "run.sh"), []byte("eval $TERM\n"),
		0o755); err != nil {
		t.Fatal(err)
	}
	one, _ := hash("TERM=reboot")
	if two, _ := hash("TERM=poweroff"); one == two {
		t.Error("a variable that the script names is not bound")
	}
}

// What keeps an approval from being used is named: the variable, the file, the directory, the
// descriptor, never a value that may be secret.
func TestAnApprovalThatDoesNotFitNamesTheDifference(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(l *Launcher, r *Request) error
		want   string
	}{
		"a variable changed": {func(_ *Launcher,
			r *Request) error {
			r.Env[3] = "QUIETLY=hidden"
			return nil
		}, "variable QUIETLY changed"},
		"a variable is new": {func(_ *Launcher,
			r *Request) error {
			r.Env = append(r.Env, "LOUDLY=hidden")
			return nil
		}, "variable LOUDLY is new"},
		"a variable is gone": {func(_ *Launcher,
			r *Request) error {
			r.Env = r.Env[:3]
			return nil
		}, "variable QUIETLY is gone"},
		"a script changed": {func(_ *Launcher, r *Request) error {
			return hermetic.WriteProgram(filepath.Join(r.Dir, "run.sh"), []byte("echo hidden\n"),
				0o755)
		}, "run.sh changed"},
		"standard input": {func(_ *Launcher, r *Request) error {
			in, out, err := os.Pipe()
			if err == nil {
				t.Cleanup(func() { in.Close(); out.Close() })
				r.Stdio.In = in
			}
			return err
		}, "standard input is pipe, was null"},
		"directory": {func(_ *Launcher, r *Request) error {
			r.Dir = filepath.Join(r.Dir, "src")
			return errors.Join(os.MkdirAll(filepath.Join(r.Dir, "src"), 0o755),
				hermetic.WriteProgram(filepath.Join(r.Dir, "run.sh"), []byte("echo hi\n"), 0o755))
		}, "directory is "},
		"umask": {func(l *Launcher, _ *Request) error { l.umask = func() int { return 0o13 }; return nil }, "umask changed"},
		"policy": {func(l *Launcher, _ *Request) error {
			l.policy = tightened(t, l,
				"rules: {commands: [{program: nosuchprogram, verdict: deny}]}")
			return nil
		}, "policy changed"},
		"agent": {func(_ *Launcher, r *Request) error { r.WorkItem = "hidden"; return nil },
			"work item changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, req := world(t)
			l.umask = func() int { return 0o22 }
			req.Env = slices.Clone(req.Env)
			req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
			req.Shell.Text = "./run.sh; rm -rf src"
			run := func() *refusal.Refusal {
				t.Helper()
				out, err := l.Run(t.Context(), req)
				if err != nil {
					t.Fatal(err)
				}
				return out.Refusal
			}
			asked := run()
			if asked == nil || asked.Code != "pending" || asked.Unfit != nil {
				t.Fatalf("%+v", asked)
			}
			e, err := l.Envelope(t.Context(), asked.Envelope)
			if err != nil {
				t.Fatal(err)
			}
			d := permit.Answer(e, true, "", "tty")
			d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
			l.Caller = personHere
			if err := l.Decide(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			if err := c.change(l, &req); err != nil {
				t.Fatal(err)
			}
			got := run()
			if got == nil || got.Code != "pending" || got.Unfit == nil ||
				got.Unfit.Envelope != e.ID ||
				!strings.Contains(strings.Join(got.Unfit.Differs, "\n"), c.want) {
				t.Fatalf("%+v", got)
			}
			if !strings.Contains(got.Line(), c.want) || strings.Contains(got.JSON(), "hidden") {
				t.Errorf("%s\n%s", got.Line(), got.JSON())
			}
		})
	}
}

// C-3.4.1: "~" and "~me" are the account's home when the environment does not say what HOME is.
func TestJudgeKnowsTheHome(t *testing.T) {
	l, r := world(t)
	r.Env = []string{"PATH=/usr/bin:/bin", "USER=me"}
	for _, line := range []string{"cat ~/x", "cd && cat x", "cd ~me && cat x"} {
		r.Shell.Text = line
		want := filepath.Join(l.account, "x")
		if got := judged(t, l, r).Script.Effects; !slices.ContainsFunc(got,
			func(e shellparse.Effect) bool {
				return e.Name.Text == want || filepath.Join(e.Name.Dir, e.Name.Text) == want
			}) {
			t.Errorf("%q does not read %s: %+v", line, want, got)
		}
	}
}

// B-R1.2: a name that an agent's program makes up for every call does not make its command another
// one; everything else in the same text does.
func TestPlanHashOfAWrapper(t *testing.T) {
	l, base := world(t)
	base.Shell.Name, base.Agent, base.Stdio.In = "bash", "one", devNull(t)
	hash := func(text string) string {
		r := base
		r.Shell.Text = text
		return judged(t, l, r).Hash()
	}
	claude := func(command, id string) string {
		return "shopt -u extglob 2>/dev/null || true && eval '" + command +
			"' < /dev/null && pwd -P >| /tmp/claude-" + id + "-cwd"
	}
	gemini := func(command, id string) string {
		dir := "/tmp/gemini-shell-" + id
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return "shopt -u promptvars nullglob; _bgpids_file=" + dir +
			"/bgpids.tmp\n(\n  trap 'jobs -p > \"$_bgpids_file\"' EXIT\n" +
			command + "\n)\n__code=$?\nexit $__code"
	}
	one, two := fmt.Sprintf("t%05d", os.Getpid()%100000), fmt.Sprintf("u%05d", os.Getpid()%100000)
	for _, test := range []struct {
		name string
		a, b string
		same bool
	}{
		{"claude", claude("rm -r src", "00a1"), claude("rm -r src", "00b2"), true},
		{"gemini", gemini("rm -r src", one), gemini("rm -r src", two), true},
		{"claude and gemini", claude("rm -r src", "00a1"), gemini("rm -r src", one), true},
		{"claude and nothing around", claude("rm -r src", "00a1"), "rm -r src", true},
		{"another command", claude("rm -r src", "00a1"), claude("rm -r a", "00a1"), false},
		{"another name in the command", claude("rm -r src /tmp/claude-00b2-cwd", "00a1"),
			claude("rm -r src /tmp/claude-00b2-cwd", "00b2"), true},
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
				return errors.Join(os.Remove(filepath.Join(work, "link")),
					os.Symlink("run.sh", filepath.Join(work, "link")))
			},
			func() error {
				return errors.Join(os.Remove(filepath.Join(work, "link")),
					os.Symlink("a", filepath.Join(work, "link")))
			}},
		{"script edited in place",
			func() error {
				return hermetic.WriteProgram(filepath.Join(work, "run.sh"), []byte("rm -r x\n"),
					0o755)
			},
			func() error {
				return hermetic.WriteProgram(filepath.Join(work, "run.sh"), []byte("echo hi\n"),
					0o755)
			}},
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

// C-7.2.11: a line without a command is reported as such.
func TestJudgeEmpty(t *testing.T) {
	l, base := world(t)
	for _, text := range []string{"", "   ", "\n\n", "# only a comment", "\t# x\n"} {
		base.Shell.Text = text
		if _, err := l.Judge(base); !errors.Is(err, ErrEmpty) || ExitOf(err) != exit.Usage {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// C-10.1: a judgement starts nothing and leaves nothing behind.
func TestJudgeHasNoEffect(t *testing.T) {
	l, base := world(t)
	for _, text := range []string{"touch made", "echo x > made", "$(touch made)",
		"eval 'touch made'", "cat <(touch made)"} {
		base.Shell.Text = text
		judged(t, l, base)
		if _, err := os.Lstat(filepath.Join(base.Dir, "made")); err == nil {
			t.Fatalf("judging %q ran it", text)
		}
	}
	entries, err := os.ReadDir(l.state.Sessions())
	if err != nil || len(entries) > 0 {
		t.Errorf("sessions after checks: %v, %v", entries, err)
	}
	if _, err := os.Stat(filepath.Join(l.state.Audit(), "log.jsonl")); err == nil {
		t.Error("a check wrote to the log")
	}
}

// E-deny-1, E-deny-2: one line and one JSON object; neither moves a cursor nor names a way to
// loosen the policy.
func TestRefusal(t *testing.T) {
	l, base := world(t)
	base.Shell.Text = "rm -rf /"
	j := judged(t, l, base)
	r := j.denied()
	if r.Exit != exit.Denied || r.Status != "denied" || len(r.Items) == 0 {
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

// A text that the shell reads and the parser does not, or not as the shell, stays denied: the shell
// is asked for its mistakes only.
func TestNotASyntaxError(t *testing.T) {
	l, req := world(t)
	for _, text := range []string{"!(touch left)", "ls # x \\\ntouch left", "time -- touch left",
		"e\u200bcho x; touch left"} {
		req.Shell.Text, req.Stdio, req.PTY = text, nowhere(t), session.Never
		out, err := l.Run(context.Background(), req)
		if err != nil || out.Refusal == nil || out.Status != exit.Denied ||
			out.Refusal.Items[0].Rule != "text.unparsable" {
			t.Errorf("%q: %v %+v", text, err, out)
		}
	}
	// Whatever surrounds a syntax error, nothing of it runs.
	for _, text := range []string{"touch left; if then", "touch left\nif then",
		"touch left; eval 'if then'", "eval 'touch left\nif then'; touch left",
		"bash -c 'touch left\nif then'", "eval 'if then'; touch left",
		"shopt -s extglob; eval 'if then'; touch left"} {
		if got := status(t, l, req, text); got != 2 {
			t.Errorf("%q: status %d", text, got)
		}
	}
	if _, err := os.Stat(filepath.Join(req.Dir, "left")); err == nil {
		t.Error("something ran")
	}
}
