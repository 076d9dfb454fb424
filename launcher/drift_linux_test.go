package launcher

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// B-T4, E-env-2: the answer is to the command as it was shown. If the world around it changes while
// the person thinks, the approval is consumed without effect and nothing runs; the same command
// asks again.
func TestDriftAfterTheYes(t *testing.T) {
	t.Parallel()
	for name, drift := range map[string]func(l *Launcher, work string) error{
		"": func(*Launcher, string) error { return nil },
		"policy": func(l *Launcher, _ string) error {
			l.policy = tightened(t, l, "rules: {hosts: [{host: nowhere.test, verdict: deny}]}")
			return nil
		},
		"directory": func(_ *Launcher, dir string) error { // of the same name
			return errors.Join(os.Rename(dir, dir+".old"), os.Mkdir(dir, 0o755))
		},
		"workspace": func(_ *Launcher,
			dir string) error {
			return os.Mkdir(filepath.Join(filepath.Dir(dir), ".git"), 0o755)
		},
		"umask": func(l *Launcher,
			_ string) error {
			l.umask = func() int { return 0o77 }
			return nil
		},
		"version": func(l *Launcher,
			_ string) error {
			l.version = func() string { return "another" }
			return nil
		},
	} {
		l, req := world(t)
		req = asking(req)
		req.Dir = filepath.Join(req.Dir, "src")
		req.Shell.Text, req.Stdio = "touch made; cat /etc/shadow", nowhere(t)
		ask := req.Ask
		req.Ask = func(ctx context.Context, e approval.Envelope) (approval.Decision, error) {
			if err := drift(l, req.Dir); err != nil {
				t.Fatal(name, err)
			}
			return ask(ctx, e)
		}
		out, err := l.Run(context.Background(), req)
		if err != nil {
			t.Fatal(name, err)
		}
		_, made := os.Lstat(filepath.Join(req.Dir, "made"))
		if name == "" {
			if out.Refusal != nil || made != nil {
				t.Fatalf("nothing drifts, and: %+v, %v", out.Refusal, made)
			}
			continue
		}
		if out.Refusal == nil || out.Refusal.Code != "mismatch" || out.Status != exit.Denied ||
			made == nil {
			t.Errorf("another %s: %+v %+v, made: %v", name, out, out.Refusal, made == nil)
		}
		consumed := entriesOf(t, l, approval.KindConsumed)
		if len(consumed) != 1 || consumed[0]["outcome"] != approval.OutcomeMismatch ||
			consumed[0]["plan_hash"] == consumed[0]["computed_plan_hash"] {
			t.Errorf("another %s: on record as %v", name, consumed)
		}
	}
}

// B-T4: an answer is no other request's, by whatever it differs.
func TestAnswerIsForOneRequest(t *testing.T) {
	t.Parallel()
	for name, other := range map[string]func(*Request){
		"": func(*Request) {},
		// which does not even learn that there is such a question
		"agent":     func(r *Request) { r.Agent = "other" },
		"directory": func(r *Request) { r.Dir = filepath.Join(r.Dir, "src") },
		"work item": func(r *Request) { r.WorkItem = "PR-1" },
		"command":   func(r *Request) { r.Shell.Text += " " },
		"variable":  func(r *Request) { r.Env = append(r.Env, "X=1") },
	} {
		l, req := world(t)
		req.Shell.Text = "cat /etc/shadow"
		if err := l.Ready(); err != nil {
			t.Fatal(err)
		}
		shown := judged(t, l, req)
		e, _, err := l.Store.Request(context.Background(), shown.Asked())
		if err == nil {
			d := permit.Answer(e, true, "", "inbox")
			d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
			_, err = l.Store.Decide(context.Background(), d)
		}
		if err != nil {
			t.Fatal(err)
		}
		other(&req)
		a, err := l.attempt(judged(t, l, req), "")
		if err != nil {
			t.Fatal(err)
		}
		q := permit.NewQuestion(a.forPermit())
		refusal, err := q.Consume(context.Background(), e.ID)
		err = errors.Join(err, q.Settle())
		a.log.Close()
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case name == "" && refusal != nil:
			t.Errorf("the same request: %+v", refusal)
		case name != "" && (refusal == nil ||
			refusal.Code != "mismatch" && (name != "agent" || refusal.Code != "unknown")):
			t.Errorf("another %s: %+v", name, refusal)
		}
	}
}

// E-env-2: no sandbox writes what decides: policy, configuration, store, record and the hooks of
// agents' programs, whatever was taken for allowed. At level base a folder is written or not as a
// whole, so that what lies in the workspace is looked at after the run instead.
func TestNoSandboxWritesWhatDecides(t *testing.T) {
	t.Parallel()
	l, req := world(t)
	base := atBase(t, l) // whose state and account lie where no command writes anyway
	strong, err := own(base.state.Dir).Open()
	if err != nil {
		t.Fatal(err)
	}
	strong.Caller = personHere
	for _, l := range []*Launcher{strong, base} {
		files := []string{l.state.Config(), l.state.Trust(),
			filepath.Join(l.account, ".claude/settings.json"), filepath.Join(l.account, ".bashrc")}
		if l.level() == sandbox.Strong {
			for _, name := range []string{".tada/config.yaml", ".claude/settings.json",
				".gemini/settings.json", ".codex/hooks.json", ".git/hooks/pre-commit"} {
				files = append(files, filepath.Join(req.Dir, name))
			}
		}
		for _, name := range files {
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700),
				os.WriteFile(name, []byte("# mine\n"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.MkdirAll(filepath.Join(req.Dir, "spare"), 0o755),
			os.WriteFile(filepath.Join(req.Dir, "spare/one"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		if s := status(t, l, asking(req), "rm -rf spare"); s != 0 {
			// which makes the store and the record
			t.Fatalf("status %d", s)
		}
		files = append(files, l.state.Approvals(), filepath.Join(l.state.Audit(), "log.jsonl"),
			l.state.Dir+"/beside", filepath.Dir(files[2])+"/beside")
		tries := "while read -r f; do echo x >> \"$f\"; echo y > \"$f.new\" && mv \"$f.new\" \"$f\"; chmod 777 \"$f\"; rm -f \"$f\"; done < list; echo tried > made\n"
		if err := errors.Join(
			os.WriteFile(filepath.Join(req.Dir, "list"), []byte(strings.Join(files, "\n")+"\n"),
				0o644),
			hermetic.WriteProgram(filepath.Join(req.Dir, "run.sh"), []byte(tries),
				0o755),
		); err != nil {
			t.Fatal(err)
		}
		before := make(map[string]string)
		for _, name := range files {
			before[name] = described(name)
		}
		req.Shell.Text, req.Stdio = "bash run.sh", nowhere(t)
		j, err := l.Judge(req)
		if err != nil {
			t.Fatal(err)
		}
		out, err := l.carry(context.Background(), j, nil, permitAll)
		if err != nil || out.Refusal != nil || out.Status != 0 {
			t.Fatalf("%+v, %+v, %v", out, out.Refusal, err)
		}
		if _, err := os.Lstat(filepath.Join(req.Dir, "made")); err != nil {
			t.Error("it wrote nothing at all")
		}
		for _, name := range files {
			if now := described(name); now != before[name] &&
				(filepath.Base(name) != "log.jsonl" || !strings.HasPrefix(now, before[name])) {
				// which grew
				t.Errorf("%v %s: %q became %q", l.level(), name, before[name], now)
			}
			if strings.Contains(described(name), "\nx\n") {
				t.Errorf("%s was written", name)
			}
		}
	}
}

// described is the mode and the content of a file.
func described(name string) string {
	info, err := os.Lstat(name)
	if err != nil {
		return "nothing"
	}
	text, _ := os.ReadFile(name)
	return info.Mode().String() + "\n" + string(text)
}
