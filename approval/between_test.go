package approval_test

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"

	"github.com/tada-run/tada-run/approval"
)

// again is a database that runs every change a first time in vain, as one whose servers were
// changed by another process in the meantime.
type again struct {
	approval.DB
	between func() // what the other process does; nil for nothing
}

var errInVain = errors.New("in vain")

func (a *again) Update(ctx context.Context, fn func(approval.Tx) error) error {
	err := a.DB.Update(ctx, func(tx approval.Tx) error {
		_ = fn(tx) // only the last run counts
		return errInVain
	})
	if !errors.Is(err, errInVain) {
		return err
	}
	if do := a.between; do != nil {
		a.between = nil
		do()
	}
	return a.DB.Update(ctx, fn)
}

func (a *again) Do(ctx context.Context, j *approval.Job) error { return a.Update(ctx, j.Do) }

// A refusal of the first run is not that of the second, and the other way round.
func TestAgainAfterAChange(t *testing.T) {
	t.Parallel()
	db := &again{DB: approval.NewMemory()}
	b := &bench{TB: t, backend: memory{db}, clock: newClock()}
	b.o = approval.Options{Clock: b.clock.read, Rand: rand.Reader}
	b.reopen(nil)
	e := b.numbered(1)
	db.between = func() { decide(t, b.Store, no(e, "")) }
	if _, err := b.Undeny(ctx, e.ID, "me", "test"); err != nil {
		t.Errorf("refused as before the denial: %v", err)
	}
	e = b.numbered(2)
	db.between = func() { decide(t, b.Store, no(e, "")) }
	if events, err := b.Decide(ctx, yes(e)); !errors.Is(err, approval.ErrDenied) ||
		len(events) != 0 {
		t.Errorf("decided after the denial: %v, %v", events, err)
	}
	given := b.numbered(3)
	decide(t, b.Store, yes(given))
	db.between = func() {
		if _, err := b.Consume(ctx, claim(given)); err != nil {
			t.Error(err)
		}
	}
	p, err := b.Consume(ctx, claim(given))
	if !errors.Is(err, approval.ErrReplayed) || p.Envelope != "" || len(p.Calls) != 0 {
		t.Errorf("used twice: %+v, %v", p, err)
	}
}
