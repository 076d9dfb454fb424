package approval_test

import (
	"crypto/rand"
	"errors"
	"iter"
	"os"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// recorded returns the events of a store, decoded from their bodies as a launcher reads them from
// its record.
func recorded(t testing.TB, s *approval.Store) iter.Seq2[approval.Event, error] {
	t.Helper()
	events, err := s.Unlogged(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(approval.Event, error) bool) {
		for _, e := range events {
			if !yield(approval.ParseEvent(e.Body())) {
				return
			}
		}
	}
}

// A damaged database is rebuilt from the record: what was used, denied or taken stays so, what was
// open is expired, and nothing that could permit comes back. B-R2.3, B-R2.4a
func TestRebuild(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(string) error{
		"corrupt": func(path string) error {
			return os.WriteFile(path, []byte("this is no database at all"), 0o600)
		},
		"empty":   func(path string) error { return os.Truncate(path, 0) },
		"missing": os.Remove,
		"lock is missing": func(path string) error {
			return errors.Join(os.Remove(path), os.Remove(path+".lock"))
		},
		"whole": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			s, path := open(t, c, nil)
			b := &bench{TB: t, Store: s, clock: c}
			k := newKey(t, "dg")
			pending, approved, denied, consumed, running := b.numbered(1), b.numbered(2),
				b.numbered(3), b.numbered(4), b.numbered(5)
			decide(t, s, yes(approved))
			decide(t, s, no(denied, "not this way"))
			for _, e := range []approval.Envelope{consumed, running} {
				decide(t, s, yes(e))
				if _, err := s.Consume(ctx, claim(e)); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Finish(ctx, consumed.ID, approval.OutcomeExecuted, ""); err != nil {
				t.Fatal(err)
			}
			plan := plantest.Small(t, func(p map[string]any) { p["risk"] = 3 })
			a, err := approval.PlanAnswer(plan, host, c.Now, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			token, err := k.Sign(a, rand.Reader)
			if err != nil {
				t.Fatal(err)
			}
			pre, err := approval.Verify(token, trustOf(t, k.TrustLine()), host, c.Now)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Present(ctx, approval.Request{Session: "s1", Payload: plan},
				pre); err != nil {
				t.Fatal(err)
			}
			last, err := s.Unlogged(ctx)
			if err != nil {
				t.Fatal(err)
			}
			history := recorded(t, s)
			if name == "corrupt" { // the answer and the use are recorded by separate processes
				history = decidedLast(history)
			}
			if err := damage(path); err != nil {
				t.Fatal(err)
			}
			o := approval.Options{Clock: c.read, Rand: rand.Reader}
			got, err := bolt.Rebuild(ctx, path, o, history)
			if err != nil {
				t.Fatal(err)
			}
			if got.Dead != 3 || got.Expired != 3 || got.Runs != 1 ||
				(got.Aside != "") != (name != "missing" && name != "lock is missing") {
				t.Errorf("%+v", got)
			}
			if s, err = bolt.Open(path, o); err != nil {
				t.Fatal(err)
			}
			checkRebuilt(t, s, map[string]error{pending.ID: approval.ErrExpired,
				approved.ID: approval.ErrExpired, denied.ID: approval.ErrDenied,
				consumed.ID: approval.ErrReplayed, running.ID: approval.ErrReplayed,
				"never": approval.ErrUnknown})
			if _, err := s.Present(ctx, approval.Request{Session: "s1", Payload: plan},
				pre); !errors.Is(err, approval.ErrReplayed) {
				t.Errorf("a signed answer a second time: %v", err)
			}
			_, _, err = s.Request(ctx, approval.Request{Session: "s9", Payload: denied.Payload})
			if r := wantRefusal(t, err, approval.ErrDenied,
				approval.OutcomeDenied); r.Message != "not this way" {
				t.Errorf("message %q", r.Message)
			}
			runs, err := s.Unfinished(ctx)
			if err != nil || len(runs) != 1 || runs[0].Envelope != running.ID {
				t.Fatalf("%+v, %v", runs, err)
			}
			events, err := s.Finish(ctx, running.ID, approval.OutcomeLost, "")
			if err != nil || len(events) != 1 || events[0].PlanHash != running.PlanHash ||
				events[0].Outcome != approval.OutcomeLost {
				t.Errorf("%+v, %v", events, err)
			}
			events, err = s.Unlogged(ctx)
			if err != nil || len(events) < 3 || events[0].Seq != last[len(last)-1].Seq+1 ||
				events[0].Kind != approval.KindExpired {
				t.Errorf("the order goes on after %d with %+v, %v", last[len(last)-1].Seq, events,
					err)
			}
		})
	}
}

// decidedLast moves the answers behind all other events.
func decidedLast(history iter.Seq2[approval.Event, error]) iter.Seq2[approval.Event, error] {
	return func(yield func(approval.Event, error) bool) {
		for _, late := range []bool{false, true} {
			for e, err := range history {
				if (e.Kind == approval.KindDecided) == late && !yield(e, err) {
					return
				}
			}
		}
	}
}

func checkRebuilt(t *testing.T, s *approval.Store, want map[string]error) {
	t.Helper()
	for id, want := range want {
		if _, err := s.Consume(ctx,
			approval.Claim{Session: "s1", Envelope: id, PlanHash: "x"}); !errors.Is(err, want) {
			t.Errorf("use: %v, want %v", err, want)
		}
		if _, err := s.Decide(ctx, approval.Decision{Envelope: id}); !errors.Is(err, want) {
			t.Errorf("answer: %v, want %v", err, want)
		}
	}
	if list, err := s.Pending(ctx); err != nil || len(list) != 0 {
		t.Errorf("%d are open, %v", len(list), err)
	}
}

// A record that cannot be read changes nothing.
func TestRebuildBadRecord(t *testing.T) {
	t.Parallel()
	c := newClock()
	s, path := open(t, c, nil)
	e := ask(t, s, plantest.Small(t, nil))
	before := snapshot(t, path)
	bad := errors.New("line 7 is torn")
	_, err := bolt.Rebuild(ctx, path, approval.Options{Clock: c.read, Rand: rand.Reader},
		func(yield func(approval.Event, error) bool) {
			_ = yield(approval.Event{}, nil) && yield(approval.Event{}, bad)
		})
	if !errors.Is(err, bad) || string(snapshot(t, path)) != string(before) {
		t.Errorf("%v", err)
	}
	if _, err := s.Get(ctx, e.ID); err != nil {
		t.Error(err)
	}
}
