package launcher

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/hermetic"
	"github.com/tada-run/tada-run/launcher/exit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/pathguard"
)

// B-R1.4.8: what is replaced between the judgement and its use is never run, whatever stands on the
// way to it. The victim is a shell without us, given the same line at the same moment; pathguard's
// TestSwapBetween does the same ten thousand times.
func TestSwappedIsNotRun(t *testing.T) {
	t.Parallel()
	l, base := world(t)
	base.Stdio.In, base.Stdio.Err = devNull(t), devNull(t)
	work := base.Dir
	for _, side := range []string{"safe", "evil"} {
		text := "#!/bin/bash\necho " + side + " $0 ${BASH_SOURCE[0]} $(dirname \"$0\")\n"
		for _, name := range []string{"by", "by.py"} {
			if name == "by.py" {
				text = "import sys, os; print('" + side +
					"', sys.argv[0], os.path.basename(__file__), os.path.dirname(__file__))\n"
			}
			if os.MkdirAll(filepath.Join(work, side), 0o755) != nil ||
				hermetic.WriteProgram(filepath.Join(work, side, name), []byte(text),
					0o755) != nil {
				t.Fatal("no files")
			}
		}
	}
	for _, test := range []struct{ name, line, said string }{
		{"symlink", "bash ./link", "./link ./link ."},
		{"directory", "bash ./dir/by", "./dir/by ./dir/by ./dir"},
		{"script", "./by && true", "./by ./by ."},
		{"source", ". ./by", "tada-run ./by ."},
		{"program", "./by", "./by ./by ."},
		{"module", "python3 dir/by.py", "dir/by.py by.py "},
	} {
		lay := func(side string) {
			t.Helper()
			for name, to := range map[string]string{"link": side + "/by", "dir": side} {
				os.Remove(filepath.Join(work, "new"))
				if os.Symlink(to, filepath.Join(work, "new")) != nil ||
					os.Rename(filepath.Join(work, "new"), filepath.Join(work, name)) != nil {
					t.Fatal("no link")
				}
			}
			body, _ := os.ReadFile(filepath.Join(work, side, "by"))
			if hermetic.WriteProgram(filepath.Join(work, "new"), body, 0o755) != nil ||
				os.Rename(filepath.Join(work, "new"), filepath.Join(work, "by")) != nil {
				t.Fatal("no script")
			}
		}
		carried := func(swap bool) (Outcome, string) {
			t.Helper()
			lay("safe")
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			req := base
			req.Shell.Text, req.Stdio.Out = test.line, write
			j, err := l.Judge(req)
			if err != nil || j.Verdict.Decision != pathguard.Allow {
				t.Fatalf("%s: %v, %v", test.line, j.Verdict, err)
			}
			out, err := l.carry(context.Background(), j, nil,
				func(context.Context, *attempt) (*permit.Authority, *refusal.Refusal, error) {
					if swap {
						// a person takes a while to answer, and the plan that was judged again
						// after that has just been bound
						lay("evil")
					}
					return &permit.Authority{}, nil, nil
				})
			write.Close()
			text, _ := io.ReadAll(read)
			if err != nil {
				t.Fatalf("%s: %v", test.line, err)
			}
			return out, string(text)
		}
		if out, text := carried(false); out.Refusal != nil ||
			!strings.HasPrefix(text, "safe "+test.said) {
			t.Errorf("%s: %+v %q, want %q as without us", test.name, out, text, test.said)
		}
		out, text := carried(true)
		if text != "" || out.Refusal == nil || out.Refusal.Code != "mismatch" ||
			out.Status != exit.Denied {
			t.Errorf("%s: %+v, said %q", test.name, out, text)
		}
		if out.Refusal != nil && !strings.Contains(out.Refusal.Message, work) {
			t.Errorf("%s: %q names nothing", test.name, out.Refusal.Message)
		}
		victim := exec.Command("bash", "-c", test.line)
		victim.Dir = work
		if said, err := victim.Output(); err != nil || !bytes.HasPrefix(said, []byte("evil")) {
			t.Fatalf("%s: without us: %q, %v: there is no attack", test.name, said, err)
		}
	}
}

// A change while a command runs cannot be distinguished from what the command does itself; it is
// recorded.
func TestSwappedSinceIsOnRecord(t *testing.T) {
	t.Parallel()
	l, req := world(t)
	req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
	for _, test := range []struct {
		line string
		want any
	}{
		{"bash run.sh", nil},
		{"bash run.sh; echo 'echo other' > run.sh", []any{filepath.Join(req.Dir, "run.sh")}},
	} {
		req.Shell.Text = test.line
		out, err := l.Run(context.Background(), req)
		if err != nil || out.Refusal != nil {
			t.Fatalf("%s: %+v, %v", test.line, out, err)
		}
		for e, err := range l.Entries(audit.Filter{}) {
			if err != nil {
				t.Fatal(err)
			}
			if body := bodyOf(t, e); e.Kind == record.KindEnd && body["sid"] == out.Session {
				got, _ := body["swapped"].([]any)
				if (test.want == nil) != (got == nil) ||
					got != nil && got[0] != test.want.([]any)[0] {
					t.Errorf("%s: %v, want %v", test.line, got, test.want)
				}
			}
		}
	}
}
