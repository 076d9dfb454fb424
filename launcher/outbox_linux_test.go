package launcher

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/record"
	"github.com/tada-run/tada-run/launcher/refusal"
	"github.com/tada-run/tada-run/launcher/shell"
)

// A deadly database ends the process, as kill -9 would, between the transaction that spends an
// approval and its way into the record.
type deadly struct{ approval.DB }

func (d deadly) Do(ctx context.Context, j *approval.Job) error {
	err := d.DB.Do(ctx, j)
	if line, _ := j.Line(); err == nil && bytes.Contains(line, []byte(`"verb":"consume"`)) {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return err
}

// asking is a request that needs a yes, and gets it at once.
func asking(req Request) Request {
	req.Shell.Text = "cat /etc/shadow"
	req.Ask = func(_ context.Context, e approval.Envelope) (approval.Decision, error) {
		return approval.Decision{
			Envelope: e.ID, PlanHash: e.PlanHash,
			Calls:     []approval.CallDecision{{ID: refusal.FirstCall, Approved: true}},
			Challenge: e.Challenge, Approver: "test", Channel: "tty", Paged: true,
			Took: 10 * time.Second,
		}, nil
	}
	return req
}

// B-R2.3a, B-R4.6a: changes of the store that could not be recorded are recorded by the next
// launcher, whole and once, with an outcome that says that it is unknown; and the consumed approval
// lets nothing run.
func TestKilledBetweenConsumeAndRecord(t *testing.T) {
	if dir := os.Getenv("LAUNCHER_CONSUMER"); dir != "" {
		l, err := own(filepath.Join(dir, "state")).Open()
		if err == nil {
			err = l.Ready()
		}
		if err != nil {
			t.Fatal(err)
		}
		db := deadly{bolt.File(l.state.Approvals(), l.StoreOptions())}
		if l.Store, err = approval.Open(db, l.StoreOptions()); err != nil {
			t.Fatal(err)
		}
		l.Caller = personHere
		req := asking(Request{Shell: shell.Call{Name: "tada-run"}, Dir: dir,
			Env: []string{"PATH=/usr/bin:/bin"}})
		out, err := l.Run(context.Background(), req)
		t.Fatalf("still alive: %+v %+v %v", out, out.Refusal, err)
	}
	dir := t.TempDir()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestKilledBetweenConsumeAndRecord$")
	cmd.Env = append(os.Environ(), "LAUNCHER_CONSUMER="+dir)
	text, err := cmd.CombinedOutput()
	if ws, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); !ok ||
		ws.Signal() != syscall.SIGKILL {
		t.Fatalf("%v\n%s", err, text)
	}
	l, err := own(filepath.Join(dir, "state")).Open()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(entriesOf(t, l, "approval.consumed")); n != 0 {
		t.Fatalf("%d told before the kill: it came too late", n)
	}
	for range 2 { // the second finds nothing to tell
		log, err := l.OpenLog()
		if err == nil {
			_, err = log.Orphans()
		}
		if err == nil {
			err = l.Settle(log)
		}
		if err != nil {
			t.Fatal(err)
		}
		log.Close()
	}
	for kind, want := range map[string]int{"approval.issued": 1, "approval.decided": 1,
		"approval.consumed": 1, approval.KindFinished: 1, record.KindStart: 0,
		audit.KindOrphan: 1} {
		if n := len(entriesOf(t, l, kind)); n != want {
			t.Errorf("%s stands %d times in the record, want %d", kind, n, want)
		}
	}
	for _, body := range entriesOf(t, l, approval.KindFinished) {
		if body["outcome"] != approval.OutcomeLost {
			t.Errorf("what came of it is told as %v", body["outcome"])
		}
	}
	if runs, err := l.Store.Unfinished(context.Background()); err != nil || len(runs) != 0 {
		t.Errorf("%+v waits for its end, %v", runs, err)
	}
	if _, err := l.VerifyWith(audit.VerifyOptions{Complete: true, Strict: true}); err != nil {
		t.Error(err)
	}
}

// B-I4, B-R4.6a: with many launchers at work at once, each of which looks for what dead ones have
// left, every change of an approval is in the log once, and in the store no more.
func TestChangesAreToldOnce(t *testing.T) {
	t.Parallel()
	const launchers, rounds = 6, 4
	_, base := world(t)
	home := filepath.Join(filepath.Dir(base.Dir), "state")
	var all sync.WaitGroup
	for n := range launchers {
		all.Add(1)
		go func() {
			defer all.Done()
			l, err := own(home).Open()
			if err != nil {
				t.Error(err)
				return
			}
			l.Caller = personHere
			for round := range rounds {
				req := asking(base)
				req.Shell.Text += fmt.Sprintf(" # %d %d", n, round)
				req.Stdio.In, req.Stdio.Out, req.Stdio.Err = devNull(t), devNull(t), devNull(t)
				if out, err := l.Run(context.Background(), req); err != nil || out.Refusal != nil {
					t.Errorf("%+v %+v %v", out, out.Refusal, err)
				}
			}
		}()
	}
	all.Wait()
	l, err := own(home).Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{approval.KindIssued, approval.KindDecided, approval.KindConsumed,
		approval.KindFinished} {
		envelopes := map[any]int{}
		for _, body := range entriesOf(t, l, kind) {
			if envelopes[body["envelope_id"]]++; envelopes[body["envelope_id"]] > 1 {
				t.Errorf("%s of %v is told %d times", kind, body["envelope_id"],
					envelopes[body["envelope_id"]])
			}
		}
		if len(envelopes) != launchers*rounds {
			t.Errorf("%s is told of %d envelopes", kind, len(envelopes))
		}
	}
	if err := l.Ready(); err != nil {
		t.Fatal(err)
	}
	if events, err := l.Store.Unlogged(context.Background()); err != nil || len(events) != 0 {
		t.Errorf("%d are left, %v", len(events), err)
	}
}

// B-R4.6a: a change that is in the log already, because its process died before the store had
// dropped it, is not recorded again.
func TestKilledBetweenRecordAndForgetting(t *testing.T) {
	t.Parallel()
	l, req := world(t)
	if err := l.Ready(); err != nil {
		t.Fatal(err)
	}
	log, err := l.OpenLog()
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	req.Shell.Text = "cat /etc/shadow"
	j := judged(t, l, req)
	e, _, err := l.Store.Request(context.Background(),
		approval.Request{Session: "s", Payload: j.Payload()})
	if err != nil || len(e.Events) != 1 {
		t.Fatal(e.Events, err)
	}
	if _, err := permit.AppendEvents(log, e.Events, audit.Lazy); err != nil {
		t.Fatal(err)
	}
	if err := l.Settle(log); err != nil {
		t.Fatal(err)
	}
	if n := len(entriesOf(t, l, approval.KindIssued)); n != 1 {
		t.Errorf("it is told %d times", n)
	}
	if events, err := l.Store.Unlogged(context.Background()); err != nil || len(events) != 0 {
		t.Errorf("%d are left, %v", len(events), err)
	}
}
