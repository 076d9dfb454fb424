package launcher

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/audit"
)

// A deadly store ends the process, as kill -9 would, between the transaction that spends an approval and
// its way into the record.
type deadly struct{ approval.Store }

func (d deadly) Consume(ctx context.Context, c approval.Claim) (approval.Permit, error) {
	p, err := d.Store.Consume(ctx, c)
	if err == nil {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return p, err
}

// asking is a request that needs a yes, and gets it at once.
func asking(req Request) Request {
	req.Shell.Text = "cat /etc/shadow"
	req.Ask = func(_ context.Context, e approval.Envelope) (approval.Decision, error) {
		return approval.Decision{
			Envelope: e.ID, PlanHash: e.PlanHash, Calls: []approval.CallDecision{{ID: firstCall, Approved: true}},
			Challenge: e.Challenge, Approver: "test", Channel: "tty", Paged: true,
		}, nil
	}
	return req
}

// B-R4.6a: what the store changed and could not be told is told by the next launcher, whole and once, and the
// spent approval lets nothing run.
func TestKilledBetweenConsumeAndRecord(t *testing.T) {
	if dir := os.Getenv("LAUNCHER_CONSUMER"); dir != "" {
		l, err := Open(filepath.Join(dir, "state"))
		if err == nil {
			err = l.ready()
		}
		if err != nil {
			t.Fatal(err)
		}
		l.store = deadly{l.store}
		req := asking(Request{Shell: Shell{Name: "tada-run"}, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}})
		out, err := l.Run(context.Background(), req)
		t.Fatalf("still alive: %+v %+v %v", out, out.Refusal, err)
	}
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestKilledBetweenConsumeAndRecord$")
	cmd.Env = append(os.Environ(), "LAUNCHER_CONSUMER="+dir)
	text, err := cmd.CombinedOutput()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok || ws.Signal() != syscall.SIGKILL {
		t.Fatalf("%v\n%s", err, text)
	}
	l, err := Open(filepath.Join(dir, "state"))
	if err != nil {
		t.Fatal(err)
	}
	if n := len(entriesOf(t, l, "approval.consumed")); n != 0 {
		t.Fatalf("%d told before the kill: it came too late", n)
	}
	for range 2 { // the second finds nothing to tell
		log, err := l.openLog()
		if err == nil {
			_, err = log.Orphans()
		}
		if err == nil {
			err = l.settle(log)
		}
		if err != nil {
			t.Fatal(err)
		}
		log.Close()
	}
	for kind, want := range map[string]int{"approval.issued": 1, "approval.decided": 1, "approval.consumed": 1, kindStart: 0, audit.KindOrphan: 1} {
		if n := len(entriesOf(t, l, kind)); n != want {
			t.Errorf("%s stands %d times in the record, want %d", kind, n, want)
		}
	}
	if _, err := l.VerifyWith(audit.VerifyOptions{Complete: true, Strict: true}); err != nil {
		t.Error(err)
	}
}
