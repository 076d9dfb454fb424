package console

import (
	"fmt"
	"sync"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/render"
	"github.com/tada-run/tada-run/integration/distant"
)

// An others is what other machines of the fleet ask. Of a machine in no fleet it stays empty.
type others struct {
	fleet distant.Fleet
	mu    sync.Mutex
	last  distant.List
}

// now returns what is open elsewhere.
func (e *others) now() distant.List {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.last
}

// find returns the open question MACHINE/ID.
func (e *others) find(id string) (distant.Question, error) {
	for _, q := range e.now().Questions {
		if q.ID() == id {
			return q, nil
		}
	}
	return distant.Question{}, fmt.Errorf("question %q is no longer open: it was answered, or "+
		"it expired, or its machine cannot be reached", id)
}

// asEnvelope is the question as its page needs it. Its id has a slash, so it is none of this
// machine.
func asEnvelope(q distant.Question) approval.Envelope {
	friction := render.Render(q.Payload, render.Options{}).Friction
	return approval.Envelope{ID: q.ID(), Payload: q.Payload, PlanHash: q.PlanHash,
		Risk: friction.Level, Friction: friction, Expires: q.Expires}
}
