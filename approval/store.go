package approval

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"time"

	"github.com/tada-run/tada-run/approval/plan"
)

// A DB holds what a [Store] stores: buckets of keys and values, which change in transactions. Many
// processes may have the same one open. The one in package bolt is a file; the tests of the rules
// have one in memory.
type DB interface {
	// Path is the name of the database, for errors.
	Path() string
	// View runs fn in a read-only transaction; again, where that is needed for all reads to be of
	// one moment. A database that was never changed is not created: its Tx is nil.
	View(ctx context.Context, fn func(Tx) error) error
	// Update runs fn in a transaction that is written as a whole. If fn fails, or changes nothing,
	// nothing is written. It is as if no other transaction ran at the same time: where another one
	// came first, fn may be run again, and what the run before it has returned or set counts for
	// nothing.
	Update(ctx context.Context, fn func(Tx) error) error
	// Do does a job in a transaction like Update. Either this process does it, perhaps together
	// with those of others, or another process does it and [Job.Read] gets the answer.
	Do(ctx context.Context, j *Job) error
	// Await calls look until it reports that the wait is over: at once if a transaction said that
	// the question has changed ([Tx].Changed), and after the duration that look returns. It holds
	// no lock between calls. For AnyQuestion, a database that others write over a network calls it
	// after each transaction.
	Await(ctx context.Context, id string, look Look) error
}

// A Look reports whether a wait is over, and otherwise the longest time until the next look.
type Look func() (again time.Duration, done bool, err error)

// A Store keeps envelopes by the rules of this package. Any number of processes may call every
// method at once. An error that is not a *[Refused] means that the store failed: nothing was
// permitted.
type Store struct {
	db DB
	o  Options
}

// Open checks the options and the database and returns the store. It fails with *[ConfigError] for
// limits that contradict each other, and with db's error if it cannot be read.
func Open(db DB, o Options) (*Store, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Store{db: db, o: o}
	if err := s.view(context.Background(), func(*tx) error { return nil }); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) view(ctx context.Context, fn func(*tx) error) error {
	return s.db.View(ctx, func(db Tx) error { return fn(begin(db, s.db.Path(), s.o)) })
}

// update compares the database with the record before it runs fn.
func (s *Store) update(ctx context.Context, fn func(*tx) error) error {
	return s.db.Update(ctx, func(db Tx) error {
		t := begin(db, s.db.Path(), s.o)
		if err := t.compare(); err != nil {
			return err
		}
		return fn(t)
	})
}

// do does one task in a transaction. The error is also that of the task.
func (s *Store) do(ctx context.Context, verb string, args plan.Fields) (result, error) {
	var ticket [16]byte
	if _, err := io.ReadFull(s.o.Rand, ticket[:]); err != nil {
		return result{}, fmt.Errorf("approval: reading randomness: %w", err)
	}
	j := &Job{path: s.db.Path(), o: s.o,
		tasks: []task{{verb: verb, args: args, ticket: hex.EncodeToString(ticket[:])}}}
	if err := s.db.Do(ctx, j); err != nil {
		return result{}, err
	}
	return j.results[0], j.results[0].refusal
}

// change runs fn on one pending envelope: see [Store.commit].
func (s *Store) change(ctx context.Context, id string,
	fn func(*tx, *entry) error) ([]Event, error) {
	return s.commit(ctx, func(t *tx) (*entry, error) {
		e, err := t.pending(id)
		if err == nil {
			err = fn(t, e)
		}
		return e, err
	})
}

// commit runs fn in a write transaction and returns the events of what it changed. A refusal is
// returned after its changes were committed.
func (s *Store) commit(ctx context.Context, fn func(*tx) (*entry, error)) ([]Event, error) {
	var events []Event
	var refusal error
	err := s.update(ctx, func(t *tx) error {
		refusal = nil // of a run before this one
		e, err := fn(t)
		if isRefusal(err, &refusal) {
			err = nil
		}
		events = t.events
		return complete(t.events, t.now, e, refusal, err)
	})
	if err = cmp.Or(err, refusal); err != nil {
		return nil, err
	}
	return events, nil
}
