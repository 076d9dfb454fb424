package approval

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// approvedStore is a store in memory with an approved question.
func approvedStore(t *testing.T) (*Store, Envelope) {
	t.Helper()
	now := Clock{Now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	s, err := Open(NewMemory(), Options{Clock: func() Clock { return now }, Rand: rand.Reader})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	payload := []byte(`{"n":1,"risk":1,"tool_calls":[{"tool_call_id":"c1"}],"work_item_id":"w"}`)
	e, _, err := s.Request(ctx, Request{Session: "s", Payload: payload})
	if err == nil {
		_, err = s.Decide(ctx, Decision{Envelope: e.ID, PlanHash: e.PlanHash, Took: time.Minute,
			Calls: []CallDecision{{ID: "c1", Approved: true}}})
	}
	if err != nil {
		t.Fatal(err)
	}
	return s, e
}

// together does the tasks in one transaction.
func together(t *testing.T, s *Store, tasks ...task) *Job {
	t.Helper()
	j := &Job{o: s.o, tasks: tasks}
	if err := s.db.Do(context.Background(), j); err != nil {
		t.Fatal(err)
	}
	return j
}

// The same ticket finishes once and succeeds twice; another one comes too late.
func TestFinishUnderTicket(t *testing.T) {
	t.Parallel()
	s, e := approvedStore(t)
	if _, err := s.Consume(context.Background(),
		Claim{Session: "s", PlanHash: e.PlanHash, Runner: "r"}); err != nil {
		t.Fatal(err)
	}
	k := task{verb: "finish", ticket: "t1", args: plan.Fields{
		"envelope": e.ID, "outcome": OutcomeExecuted, "reason": "0"}}
	other := k
	other.ticket = "t2"
	for i, want := range []struct {
		k   task
		err error
	}{{k, nil}, {k, nil}, {other, ErrUnknown}} {
		r := together(t, s, want.k).results[0]
		if !errors.Is(r.refusal, want.err) || (r.refusal != nil) != (want.err != nil) {
			t.Errorf("%d: %+v", i, r)
		}
	}
}

// B-R4.6a: an attempt after a lost answer returns the events of the first one too, so that they are
// recorded now and not by the next process; that of another ticket returns none.
func TestEventsOfALostAnswer(t *testing.T) {
	t.Parallel()
	s, e := approvedStore(t)
	claim := plan.Fields{"session": "s", "plan_hash": e.PlanHash}
	end := plan.Fields{"envelope": e.ID, "outcome": OutcomeExecuted, "reason": "0"}
	question := plan.Fields{"session": "t", "payload": string(e.Payload)}
	for _, step := range []struct {
		verb, kind string
		args       plan.Fields
	}{{"consume", KindConsumed, claim}, {"finish", KindFinished, end},
		{"request", KindIssued, question}} {
		k := task{verb: step.verb, args: step.args, ticket: step.verb}
		first, second := together(t, s, k).results[0], together(t, s, k).results[0]
		if len(first.events) != 1 || first.events[0].Kind != step.kind ||
			fmt.Sprint(first.events) != fmt.Sprint(second.events) ||
			first.created != second.created || second.refusal != nil {
			t.Errorf("%s: %+v, then %+v", step.verb, first, second)
		}
		k.ticket = "another"
		if other := together(t, s, k).results[0]; len(other.events) != 0 || other.created {
			t.Errorf("%s, another ticket: %+v", step.verb, other)
		}
	}
}

// An answer gives another process everything that the caller gets in its own.
func TestResultLine(t *testing.T) {
	t.Parallel()
	s, e := approvedStore(t)
	args := plan.Fields{"session": "s", "plan_hash": e.PlanHash}
	j := together(t, s,
		task{verb: "recorded", args: plan.Fields{"seqs": []any{}}, ticket: "leader"},
		task{verb: "request", args: plan.Fields{"session": "s", "payload": string(e.Payload)},
			ticket: "q"},
		task{verb: "consume", args: args, ticket: "a"},
		task{verb: "consume", args: args, ticket: "b"})
	for i, a := range j.Answers() {
		was := j.results[i+1]
		mine := &Job{o: s.o, tasks: []task{{ticket: a.Ticket}}}
		if !mine.Read(a.Line) {
			t.Fatalf("%s: %s", a.Ticket, a.Line)
		}
		r := mine.results[0]
		if fmt.Sprint(r.events) != fmt.Sprint(was.events) ||
			fmt.Sprint(r.refusal) != fmt.Sprint(was.refusal) ||
			r.id != was.id || fmt.Sprint(r.calls) != fmt.Sprint(was.calls) ||
			r.created != was.created ||
			(r.e == nil) != (was.e == nil) {
			t.Errorf("%s: %+v", a.Ticket, r)
		}
		if a.Ticket == "q" {
			want := was.e.Envelope
			if fmt.Sprintf("%+v", r.e.Decision) != fmt.Sprintf("%+v", want.Decision) ||
				string(r.e.Payload) != string(want.Payload) || r.e.PlanHash != want.PlanHash ||
				r.e.State != want.State || r.e.Friction != want.Friction ||
				!r.e.UseBy.Equal(want.UseBy) {
				t.Errorf("%s: %+v, want %+v", a.Ticket, r.e.Envelope, want)
			}
		}
		if strings.Contains(string(a.Line), "nonce_masked") {
			t.Error("the nonce is in the answer")
		}
		if other := (&Job{o: s.o, tasks: []task{{ticket: "c"}}}); other.Read(a.Line) {
			t.Error("an answer for another job was read")
		}
	}
}
