package approval_test

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// clock is a clock that the test sets.
type clock struct {
	mu sync.Mutex
	approval.Clock
}

func newClock() *clock {
	return &clock{Clock: approval.Clock{Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		Boot: time.Hour, BootID: "boot-1"}}
}

func (c *clock) read() approval.Clock {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Clock
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Now, c.Boot = c.Now.Add(d), c.Boot+d
}

// open makes a store in a new private folder.
func open(t testing.TB, c *clock, change func(*approval.Options)) (*approval.Store, string) {
	t.Helper()
	path := filepath.Join(privateDir(t), "approvals.db")
	o := approval.Options{Clock: c.read, Rand: rand.Reader}
	if change != nil {
		change(&o)
	}
	b, err := bolt.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return b, path
}

// An asker is a store, or something that contains one.
type asker interface {
	Request(context.Context, approval.Request) (approval.Envelope, bool, error)
}

func ask(t testing.TB, s asker, p []byte) approval.Envelope {
	t.Helper()
	e, _, err := s.Request(context.Background(), approval.Request{Session: "s1", Payload: p})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// yes is the decision that approves every call of e.
func yes(e approval.Envelope) approval.Decision {
	d := approval.Decision{Envelope: e.ID, PlanHash: e.PlanHash, Challenge: e.Challenge,
		Approver: "me", Channel: "test", Took: time.Minute}
	for _, id := range e.Calls {
		d.Calls = append(d.Calls, approval.CallDecision{ID: id, Approved: true})
	}
	return d
}

func no(e approval.Envelope, why string) approval.Decision {
	d := yes(e)
	for i := range d.Calls {
		d.Calls[i].Approved, d.Calls[i].Message = false, why
	}
	return d
}

type decider interface {
	Decide(context.Context, approval.Decision) ([]approval.Event, error)
}

func decide(t testing.TB, s decider, d approval.Decision) {
	t.Helper()
	if _, err := s.Decide(context.Background(), d); err != nil {
		t.Fatal(err)
	}
}

func claim(e approval.Envelope) approval.Claim {
	return approval.Claim{Session: e.Session, PlanHash: e.PlanHash, Runner: "test"}
}

// wantRefusal checks the error, and that it is the refusal of one envelope with that outcome.
func wantRefusal(t testing.TB, err, want error, outcome string) *approval.Refused {
	t.Helper()
	var r *approval.Refused
	if !errors.Is(err, want) || !errors.As(err, &r) {
		t.Fatalf("got %v, want %v", err, want)
	}
	if r.Outcome != outcome {
		t.Fatalf("outcome %q, want %q", r.Outcome, outcome)
	}
	return r
}

// One approval from question to use: B-R1.1, B-R2.3, B-T2, B-C1.
func TestLife(t *testing.T) {
	ctx, c := context.Background(), newClock()
	s, _ := open(t, c, nil)
	p := plantest.Small(t, nil)
	if _, err := s.Consume(ctx,
		approval.Claim{Session: "s1",
			PlanHash: plan.Hash(p)}); !errors.Is(err, approval.ErrUnknown) {
		t.Fatalf("before the question: %v", err)
	}
	e := ask(t, s, p)
	if e.State != approval.Pending || e.PlanHash != plan.Hash(p) || e.WorkItem != "PR-118" ||
		strings.Join(e.Calls, " ") != "c1" {
		t.Fatalf("%+v", e)
	}
	_, err := s.Consume(ctx, claim(e))
	wantRefusal(t, err, approval.ErrPending, "")
	decide(t, s, yes(e))
	permit, err := s.Consume(ctx, claim(e))
	if err != nil || len(permit.Calls) != 1 || !permit.Calls[0].Approved {
		t.Fatalf("%+v, %v", permit, err)
	}
	_, err = s.Consume(ctx, claim(e))
	wantRefusal(t, err, approval.ErrReplayed, approval.OutcomeReplayed)
	again, created, err := s.Request(ctx, approval.Request{Session: "s1", Payload: p})
	if err != nil || !created || again.ID == e.ID {
		t.Fatalf("the third run must ask anew: %v %v", created, err)
	}
}

func BenchmarkConsume(b *testing.B) {
	s, _ := open(b, newClock(), func(o *approval.Options) {
		o.MaxPending, o.MaxHour = 1<<30, 1<<30
	})
	benchmarkConsume(b, s)
}

func benchmarkConsume(b *testing.B, s *approval.Store) {
	ctx := context.Background()
	for b.Loop() {
		b.StopTimer()
		e := ask(b, s, plantest.Small(b, nil))
		decide(b, s, yes(e))
		b.StartTimer()
		if _, err := s.Consume(ctx, claim(e)); err != nil {
			b.Fatal(err)
		}
	}
}

func privateDir(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}
