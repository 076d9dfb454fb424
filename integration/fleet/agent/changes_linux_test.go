package agent

import (
	"context"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// A run that waits, and an inbox that is open, notice an answer from elsewhere at once.
func TestChangesAreNoticed(t *testing.T) {
	t.Parallel()
	m := newBed(t).machine("")
	changes, err := m.l.Changes(t.Context()) // before there is an agent
	if err != nil {
		t.Fatal(err)
	}
	m.start()
	m.trusts(1)
	q := m.published(m.ask(0).ID)
	waited := make(chan approval.Envelope, 1)
	go func() {
		e, _ := m.l.Store.Wait(context.Background(), q.Envelope)
		waited <- e
	}()
	quiet(changes)
	if o := m.answer(m.ann, q, true); !o.Taken {
		t.Fatalf("%+v", o)
	}
	began := time.Now()
	select {
	case e := <-waited:
		if !e.Approved() {
			t.Errorf("%+v", e)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("the run waits on")
	}
	select {
	case <-changes:
	case <-time.After(3 * time.Second): // less than the time after which it looks anyway
		t.Fatal("the inbox was not told")
	}
	t.Logf("noticed %v after the outcome", time.Since(began))
}

// quiet returns when nothing has changed for a second.
func quiet(changes <-chan struct{}) {
	for {
		select {
		case <-changes:
		case <-time.After(time.Second):
			return
		}
	}
}
