package relay

import (
	"cmp"
	"context"
	"fmt"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

var _ approval.DB = (*DB)(nil)

// Open returns the store behind the socket at path. Besides the errors of [approval.Open] and those
// of the database behind it, it fails with *[approval.FileError] around ErrOffline or ErrMeddled.
func Open(path string, o approval.Options) (*approval.Store, error) {
	return approval.Open(Socket(path, o), o)
}

// Do implements [approval.DB].
func (d *DB) Do(ctx context.Context, j *approval.Job) error { return d.Update(ctx, j.Do) }

// View implements [approval.DB].
func (d *DB) View(ctx context.Context, fn func(approval.Tx) error) error {
	k, err := d.connect(ctx, wire.Message{Kind: wire.View})
	if err != nil {
		return err
	}
	defer k.close()
	begun, err := k.answer(d.wait, wire.Begun)
	if err != nil {
		return err
	}
	if !begun.Yes {
		return fn(nil)
	}
	t := newTx(k, begun)
	err = fn(t)
	return cmp.Or(t.err, err)
}

// Update implements [approval.DB].
func (d *DB) Update(ctx context.Context, fn func(approval.Tx) error) error {
	u := update{db: d, fn: fn}
	for u.runs < maxRuns {
		done, err := u.run(ctx)
		if done || err != nil {
			return err
		}
	}
	return &approval.FileError{Path: d.path, Err: approval.ErrLocked,
		Hint: fmt.Sprintf("other changes came first %d times; try again", maxRuns)}
}
