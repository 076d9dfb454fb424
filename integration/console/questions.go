package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"sync"
	"time"

	"github.com/tada-run/tada-run/approval"
)

// questions are the open ones, read once for all pages that show them. A payload never changes, so
// it is read when its question is new; and a row of the list is made then.
type questions struct {
	read func(context.Context) ([]approval.Envelope, error) // without payloads
	full func(context.Context, string) (approval.Envelope, error)
	row  func(approval.Envelope) string
	now  func() time.Time

	mu    sync.Mutex
	dirty bool // something has changed since the list was read
	at    time.Time
	known map[string]question
	last  listing
}

// A question is what is kept of one.
type question struct {
	approval.Envelope
	row string // in the list, as markup
}

// A listing is the list as it was at some time.
type listing struct {
	all  []question
	name string // another one for another list
}

// lookAgain is how long a list counts without a sign of a change: questions also end by time.
const lookAgain = time.Second

// changed says that the next page needs the list of then.
func (q *questions) changed() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dirty = true
}

// list returns the open questions, the most dangerous first and near-identical ones together. All
// who ask at once wait for one look at the store.
func (q *questions) list(ctx context.Context) (listing, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if age := q.now().Sub(q.at); !q.dirty && !q.at.IsZero() && age >= 0 && age < lookAgain {
		return q.last, nil
	}
	q.dirty = false
	ctx = context.WithoutCancel(ctx) // others may get it too
	list, err := q.read(ctx)
	if err != nil {
		q.dirty = true
		return listing{}, err
	}
	q.at = q.now()
	known, next, name := map[string]question{}, listing{}, sha256.New()
	for _, e := range approval.Grouped(list) {
		if e.Decision != nil {
			continue
		}
		one, err := q.one(ctx, e)
		if err != nil { // it has just been answered
			continue
		}
		known[e.ID] = one
		next.all = append(next.all, one)
		io.WriteString(name, one.row)
	}
	next.name = hex.EncodeToString(name.Sum(nil))
	q.known, q.last = known, next
	return next, nil
}

// one returns a question with its payload and its row.
func (q *questions) one(ctx context.Context, e approval.Envelope) (question, error) {
	was, has := q.known[e.ID]
	if has && was.PlanHash == e.PlanHash {
		e.Payload = was.Payload
	} else {
		var err error
		if e, err = q.full(ctx, e.ID); err != nil {
			return question{}, err
		}
	}
	if has && was.Votes == e.Votes && was.Quorum == e.Quorum && was.PlanHash == e.PlanHash {
		return question{e, was.row}, nil
	}
	return question{e, q.row(e)}, nil
}
