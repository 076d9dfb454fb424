package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// A Question is an open question of a machine of the fleet.
type Question struct {
	approval.Question
	Machine document.Machine
	Text    []byte // as it was published
}

// Questions returns the open questions that the person with a key may answer, the one that ends
// first at the front. What is not a question of a member is left out.
func (o Office) Questions(ctx context.Context, keyID string) ([]Question, error) {
	f, err := o.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	who, _ := f.PersonOf(keyID) // the zero person may answer nothing
	members, err := o.Members(ctx)
	if err != nil {
		return nil, err
	}
	all, err := o.published(ctx, members)
	if err != nil {
		return nil, err
	}
	var list []Question
	for _, p := range all {
		if p.by.Revoked || !who.Answers.Selects(p.by.Labels) {
			continue
		}
		if q, what := p.question(); what == "" {
			list = append(list, Question{Question: q, Machine: p.by.Machine, Text: p.text})
		}
	}
	slices.SortFunc(list, func(a, b Question) int {
		return cmp.Or(a.Expires.Compare(b.Expires), cmp.Compare(a.Envelope, b.Envelope))
	})
	return list, nil
}

// An Outcome is what became of an answer, as the machine that asked says.
type Outcome struct {
	Taken    bool
	Approved bool
	Votes    int // of People; more people must answer while it is less
	People   int
	Message  string // why it was not taken, or changed nothing
}

// Word is what a taken answer did.
func (o Outcome) Word() string {
	switch {
	case o.Message != "": // the same person's answer was taken before
		return "nothing changed: " + shown(o.Message)
	case o.Votes < o.People:
		return fmt.Sprintf("counted: %d of %d people", o.Votes, o.People)
	case o.Approved:
		return "approved"
	}
	return "denied"
}

// ErrSilent is returned while the machine that asked has not said what became of an answer.
var ErrSilent = errors.New("the machine that asked has not taken the answer yet; it does when it " +
	"is connected, while the answer is valid")

// Answer stores a signed answer and waits until the machine says what became of it, or ctx ends,
// with ErrSilent.
func (o Office) Answer(ctx context.Context, q Question, token []byte) (Outcome, error) {
	where := q.Audience + "/" + q.Envelope + "/" + keyspace.Sum(token)
	left := min(time.Until(q.Expires), approval.MaxTokenLife) // the machine says what it likes
	lease, err := o.Etcd.Grant(ctx, keyspace.Life(left))
	if err != nil {
		return Outcome{}, Reason(err)
	}
	put, err := o.Etcd.Put(ctx, keyspace.Answers+where, string(token),
		clientv3.WithLease(lease.ID))
	if err != nil {
		return Outcome{}, Reason(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for w := range o.Etcd.Watch(ctx, keyspace.Outcomes+where,
		clientv3.WithRev(put.Header.Revision)) {
		for _, e := range w.Events {
			if e.Type == clientv3.EventTypePut {
				return readOutcome(e.Kv.Value)
			}
		}
	}
	return Outcome{}, ErrSilent
}

func readOutcome(value []byte) (Outcome, error) {
	v, err := canonical.Parse(value)
	if err != nil {
		return Outcome{}, fmt.Errorf("what the machine says of the answer: %w", err)
	}
	f := plan.AsFields(v)
	return Outcome{Taken: f.Text("outcome") == "taken", Approved: f.Flag("approved"),
		Votes: int(f.Number("votes")), People: int(f.Number("people")),
		Message: f.Text("message")}, nil
}
