package bolt

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// stepsEnv makes the test binary the process that is killed: "DIR N", where N is the step.
const stepsEnv = "APPROVAL_TEST_STEPS"

// lifeOf goes through a whole life in a store and prints what each call returned.
func lifeOf(dir string, killAt int) {
	n := 0
	now := approval.Clock{Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	o := approval.Options{Clock: func() approval.Clock { return now }, Rand: rand.Reader}
	db := File(filepath.Join(dir, "approvals.db"), o)
	s, err := approval.Open(db, o)
	say(err, "opened")
	db.at = func(string) {
		if n++; n > killAt {
			syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
	ctx := context.Background()
	payload := []byte(`{"risk":1,"tool_calls":[{"tool_call_id":"c1"}],"work_item_id":"w"}`)
	e, _, err := s.Request(ctx, approval.Request{Session: "s", Payload: payload})
	say(err, "asked "+e.ID)
	_, err = s.Decide(ctx, approval.Decision{Envelope: e.ID, PlanHash: e.PlanHash,
		Took: time.Minute, Calls: []approval.CallDecision{{ID: "c1", Approved: true}}})
	say(err, "decided "+e.ID)
	p, err := s.Consume(ctx, approval.Claim{Session: "s", PlanHash: e.PlanHash, Runner: "me"})
	say(err, "permit "+e.ID)
	say(s.MarkLogged(ctx, "", p.Events[len(p.Events)-1].Seq), "logged "+e.ID)
	_, err = s.Finish(ctx, e.ID, approval.OutcomeExecuted, "")
	say(err, "finished "+e.ID)
	fmt.Println("steps", n)
}

func say(err error, what string) {
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	fmt.Println(what)
}

// B-R1.4.7, B-R2.3a, B-C1: a process is killed at each of its steps in turn. What was reported to
// it is in the store; anything else is there whole or not at all; there is never a second permit; a
// run without an end is known.
func TestKilledAtEveryStep(t *testing.T) {
	t.Parallel()
	if arg := os.Getenv(stepsEnv); arg != "" {
		dir, n, _ := strings.Cut(arg, " ")
		killAt, _ := strconv.Atoi(n)
		lifeOf(dir, killAt)
		os.Exit(0)
	}
	for killAt := 0; ; killAt++ {
		dir := t.TempDir()
		if err := os.Chmod(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestKilledAtEveryStep$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d", stepsEnv, dir, killAt))
		out, err := cmd.Output()
		if strings.Contains(string(out), "error") {
			t.Fatalf("step %d: %s", killAt, out)
		}
		checkKilled(t, dir, killAt, string(out))
		if err == nil {
			if killAt < 20 || !strings.Contains(string(out), fmt.Sprintf("steps %d", killAt)) {
				t.Errorf("only %d steps: %s", killAt, out)
			}
			return
		}
	}
}

func checkKilled(t *testing.T, dir string, step int, told string) {
	t.Helper()
	ctx := context.Background()
	now := approval.Clock{Now: time.Date(2026, 3, 1, 12, 0, 1, 0, time.UTC)}
	s, err := Open(filepath.Join(dir, "approvals.db"),
		approval.Options{Clock: func() approval.Clock { return now }, Rand: rand.Reader,
			LockWait: time.Second})
	if err != nil {
		t.Fatalf("step %d: %v", step, err)
	}
	events, err := s.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	kinds, id := "", ""
	for _, e := range events {
		kinds += strings.TrimPrefix(e.Kind, "approval.") + " "
		id = e.Envelope
	}
	for word, kind := range map[string]string{"asked": "issued", "decided": "decided",
		"finished": "finished"} {
		if strings.Contains(told, word) && !strings.Contains(kinds, kind) {
			t.Errorf("step %d: it was told %q, the store knows %q", step, told, kinds)
		}
	}
	if id == "" {
		return
	}
	used := strings.Contains(kinds, "consumed") || strings.Contains(told, "permit")
	runs, err := s.Unfinished(ctx)
	if err != nil || (len(runs) == 1) != (used && !strings.Contains(kinds, "finished")) {
		t.Errorf("step %d: runs %v after %q, %v", step, runs, kinds, err)
	}
	e, err := s.Get(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Consume(ctx, approval.Claim{Session: "s", Envelope: id, PlanHash: e.PlanHash})
	switch {
	case used && !errors.Is(err, approval.ErrReplayed),
		!used && strings.Contains(kinds, "decided") && err != nil,
		!strings.Contains(kinds, "decided") && !used && !errors.Is(err, approval.ErrPending):
		t.Errorf("step %d: after %q a use gives %v", step, kinds, err)
	}
	for _, r := range runs {
		if _, err := s.Finish(ctx, r.Envelope, approval.OutcomeLost,
			"its process is gone"); err != nil {
			t.Errorf("step %d: %v", step, err)
		}
	}
}
