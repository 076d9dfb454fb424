package relay

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

// A DB is the [approval.DB] behind one socket. It holds nothing open between calls.
type DB struct {
	path string
	wait time.Duration
	rand io.Reader
}

var _ approval.DB = (*DB)(nil)

// Open returns the store behind the socket at path. Besides the errors of [approval.Open] and those
// of the database behind it, it fails with *[approval.FileError] around ErrOffline or ErrMeddled.
func Open(path string, o approval.Options) (*approval.Store, error) {
	return approval.Open(Socket(path, o), o)
}

// Socket returns the database behind the socket at path. It uses the options Rand and LockWait.
func Socket(path string, o approval.Options) *DB {
	d := &DB{path: path, wait: cmp.Or(o.LockWait, 30*time.Second), rand: o.Rand}
	if d.rand == nil {
		d.rand = rand.Reader
	}
	return d
}

// Path implements [approval.DB].
func (d *DB) Path() string { return d.path }

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

// maxRuns bounds how often one transaction is run: each time another one was faster.
const maxRuns = 100

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
