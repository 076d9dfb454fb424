package console

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// A ledger holds questions, and counts how often they are read.
type ledger struct {
	questions
	open            []approval.Envelope
	lists, payloads int
	at              time.Time
}

func many(n int) *ledger {
	c := &ledger{at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	for i := range n {
		c.add(fmt.Sprint(i))
	}
	c.questions = questions{
		read: func(context.Context) ([]approval.Envelope, error) {
			c.lists++
			return c.open, nil
		},
		full: func(_ context.Context, id string) (approval.Envelope, error) {
			c.payloads++
			for _, e := range c.open {
				if e.ID == id {
					e.Payload = []byte("{}")
					return e, nil
				}
			}
			return approval.Envelope{}, errors.New("it has just been answered")
		},
		row: func(e approval.Envelope) string {
			return fmt.Sprintf("<li>%s %d</li>", e.ID, e.Votes)
		},
		now: func() time.Time { return c.at },
	}
	return c
}

func (c *ledger) add(id string) {
	c.open = append(c.open, approval.Envelope{ID: id, PlanHash: "h" + id, State: approval.Pending})
}

// Many pages at once read the store once; after a change only what is new is read, and its row
// alone is made.
func TestQuestionsAreReadOnce(t *testing.T) {
	ctx := context.Background()
	c := many(500)
	var all sync.WaitGroup
	for range 32 {
		all.Go(func() {
			if list, err := c.list(ctx); err != nil || len(list.all) != 500 {
				t.Error(len(list.all), err)
			}
		})
	}
	all.Wait()
	if c.lists != 1 || c.payloads != 500 {
		t.Errorf("%d lists and %d payloads were read", c.lists, c.payloads)
	}
	first, _ := c.list(ctx)
	c.add("new")
	for range 32 {
		c.changed()
		if _, err := c.list(ctx); err != nil {
			t.Fatal(err)
		}
	}
	next, _ := c.list(ctx)
	if c.lists != 33 || c.payloads != 501 || next.name == first.name || len(next.all) != 501 {
		t.Errorf("%d lists and %d payloads were read", c.lists, c.payloads)
	}
}

// A list is another one when a vote was given, a question has ended or its answer has come; a
// question also ends without a sign of it.
func TestQuestionsChange(t *testing.T) {
	ctx := context.Background()
	c := many(3)
	name := func() string {
		t.Helper()
		list, err := c.list(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return list.name
	}
	was := name()
	c.open[1].Quorum, c.open[1].Votes = 2, 1
	if name() != was {
		t.Error("the store was read again at once")
	}
	c.at = c.at.Add(lookAgain)
	voted := name()
	if voted == was || !strings.Contains(c.last.all[1].row, "1 1") {
		t.Errorf("%+v", c.last)
	}
	c.open[0].Decision = &approval.Decision{}
	c.changed()
	if name() == voted || len(c.last.all) != 2 {
		t.Errorf("%+v", c.last)
	}
	c.open = nil
	c.at = c.at.Add(-time.Hour) // a clock that was set back
	if name(); len(c.last.all) != 0 || len(c.known) != 0 {
		t.Errorf("%+v", c.last)
	}
	c.read = func(context.Context) ([]approval.Envelope, error) { return nil, errors.New("no") }
	c.changed()
	for range 2 {
		if _, err := c.list(ctx); err == nil {
			t.Error("what cannot be read is an empty list")
		}
	}
}

// A page that goes away does not take the list from others.
func TestQuestionsOfWhoLeaves(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := many(2)
	full := c.questions.full
	c.questions.full = func(ctx context.Context, id string) (approval.Envelope, error) {
		if ctx.Err() != nil {
			return approval.Envelope{}, ctx.Err()
		}
		return full(ctx, id)
	}
	if list, err := c.list(ctx); err != nil || len(list.all) != 2 {
		t.Errorf("%+v %v", list, err)
	}
}
