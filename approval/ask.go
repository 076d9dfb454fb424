package approval

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// Request stores a question before it is shown, and returns it with true. If the same plan is
// already pending in the same session, Request returns that envelope with false; it may already
// have an answer (see [Envelope.Approved]). It refuses with ErrDenied while the plan cools off
// after a denial, and with ErrBusy when too many questions are open. ErrBusy is not a denial: the
// caller has to wait.
func (s *Store) Request(ctx context.Context, r Request) (Envelope, bool, error) {
	if _, err := plan.Read(r.Payload); err != nil {
		return Envelope{}, false, err
	}
	if r.Quorum < 0 || r.Quorum > MaxQuorum {
		return Envelope{}, false, &ConfigError{Name: "quorum", Value: strconv.Itoa(r.Quorum),
			Need: "it must be 0 to " + strconv.Itoa(MaxQuorum)}
	}
	done, err := s.do(ctx, "request", plan.Fields{
		"canary": r.Canary, "payload": string(r.Payload), "quorum": r.Quorum,
		"requester": r.Requester, "through": r.Through, "session": r.Session, "ttl": int64(r.TTL),
		"budget": r.Budget, "person": r.Person,
	})
	if err != nil {
		return Envelope{}, false, err
	}
	return done.e.Envelope, done.created, nil
}

// Get returns one envelope; ended ones too, until they are pruned. Its State is what the clock says
// now, even if that has not been stored yet.
func (s *Store) Get(ctx context.Context, id string) (Envelope, error) {
	var e *entry
	var refusal error
	err := s.view(ctx, func(t *tx) error {
		refusal = nil
		var err error
		if e, err = t.load(id); err != nil {
			refusal = &Refused{Envelope: id, Outcome: OutcomeTampered, Err: ErrTampered}
			return nil
		}
		if e == nil {
			refusal = t.unknown(id)
			return nil
		}
		if e.State == Pending && t.over(e) {
			e.State, e.Challenge = Expired, ""
		}
		return nil
	})
	if err == nil {
		err = refusal
	}
	if err != nil {
		return Envelope{}, err
	}
	return e.Envelope, nil
}

// Pending returns the envelopes that can still be decided or used, oldest first, without
// payload.
func (s *Store) Pending(ctx context.Context) ([]Envelope, error) {
	var out []Envelope
	err := s.view(ctx, func(t *tx) error {
		out = nil
		for _, id := range t.keys(pendingBucket) {
			e, err := t.load(id)
			if err != nil || e == nil || e.State != Pending || t.over(e) {
				continue
			}
			e.Payload = nil
			out = append(out, e.Envelope)
		}
		return nil
	})
	slices.SortStableFunc(out, older)
	return out, err
}

// Wait returns as soon as the envelope is decided or has ended, or with ctx's error. It holds no
// lock while it waits.
func (s *Store) Wait(ctx context.Context, id string) (e Envelope, err error) {
	err = s.db.Await(ctx, id, func() (time.Duration, bool, error) {
		var err error
		e, err = s.Get(ctx, id)
		again := max(e.Expires.Sub(s.o.Clock().Now), 0) + time.Millisecond
		return again, e.State != Pending || e.Decision != nil, err
	})
	return e, err
}

// AnyQuestion is no question: what waits for it is told of every change.
const AnyQuestion = "any"

// watchAgain is how often what watches is told without a sign of a change.
const watchAgain = 5 * time.Second

// Watch calls tell now, and whenever the store may have changed, until ctx ends or the store fails.
// It is prompt where another process has the database ([DB].Await).
func (s *Store) Watch(ctx context.Context, tell func()) error {
	return s.db.Await(ctx, AnyQuestion, func() (time.Duration, bool, error) {
		tell()
		return watchAgain, false, nil
	})
}
