package launcher

import (
	"context"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/control"
	"github.com/tada-run/tada-run/launcher/permit"
	"github.com/tada-run/tada-run/launcher/sandbox"
)

// A line may be let go while the session ends: the shell has its answer, and leaves before it is
// noted here that the line has to end. Its end is on record all the same.
func TestLastLineEnds(t *testing.T) {
	pair, err := control.NewPair()
	if err != nil {
		t.Fatal(err)
	}
	d := newRequestServer(nil, pair)
	answered, closing, ended := make(chan struct{}), make(chan struct{}), false
	d.Go(func() {
		<-answered
		d.mu.Lock()
		d.ended = func(*int) { ended = true }
		d.mu.Unlock()
	})
	go func() {
		<-d.Stopping()
		close(answered)
		close(closing)
	}()
	d.close()
	<-closing
	if !ended {
		t.Error("the last line has no end")
	}
}

// B-R8.2: a standing approval is for its work item. What runs in a session that is for it belongs
// to it; another item, or a session for another one, asks.
func TestGrantIsForTheWorkItem(t *testing.T) {
	l, base := world(t)
	l.policy = tightened(t, l, "security: {command_level: always}")
	if err := l.Ready(); err != nil {
		t.Fatal(err)
	}
	child := func(session, own string) *permit.Question {
		t.Helper()
		around := endedRun(&Judgement{Request: Request{WorkItem: session}}, sandbox.Status{})
		d := &requestServer{r: around.started}
		req := d.request(control.Question{Text: "ls src", Name: "tada-run", Dir: base.Dir,
			Env: base.Env, WorkItem: own})
		a, err := l.attempt(judged(t, l, req), "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { a.log.Close() })
		return permit.NewQuestion(a.forPermit())
	}
	ctx := context.Background()
	e, _, err := l.Store.Request(ctx, child("P", "").Asked())
	if err == nil {
		d := permit.Answer(e, true, "", "inbox")
		d.Challenge, d.Paged, d.Took = e.Challenge, true, 10*time.Second
		_, err = l.Store.Decide(ctx, d)
	}
	if err == nil {
		_, _, err = l.Store.Grant(ctx, approval.GrantRequest{Envelope: e.ID, PlanHash: e.PlanHash})
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		session, own string
		granted      bool
	}{{"P", "", true}, {"P", "P", true}, {"", "P", true}, {"P", "Q", false}, {"Q", "", false},
		{"", "", false}} {
		r := child(test.session, test.own)
		if err := r.UseGrant(ctx); err != nil || (r.Grant != "") != test.granted {
			t.Errorf("in a session for %q, for %q: granted %v, %v", test.session, test.own,
				r.Grant != "", err)
		}
	}
}
