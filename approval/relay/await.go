package relay

import (
	"context"
	"errors"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/relay/wire"
)

// Await implements [approval.DB]. The agent waits, and look is called here whenever it says so. If
// the agent ends, another one has some seconds to take its place.
func (d *DB) Await(ctx context.Context, id string, look approval.Look) error {
	limit := time.Now().Add(min(d.wait, maxFate))
	for {
		w := waiting{look: look}
		err := w.on(ctx, d, id)
		switch {
		case w.over || w.failed != nil:
			return w.failed
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, approval.ErrOffline):
			return err
		}
		if w.looked { // it was there
			limit = time.Now().Add(min(d.wait, maxFate))
		}
		if time.Now().After(limit) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(fatePause):
		}
	}
}

// A waiting is one connection on which an answer is waited for.
type waiting struct {
	look   approval.Look
	looked bool  // at least once
	over   bool  // look has said so
	failed error // of look
}

// on waits until the wait is over, look has failed or the connection ended.
func (w *waiting) on(ctx context.Context, d *DB, id string) error {
	k, err := d.connect(ctx, wire.Message{Kind: wire.Await, Key: id})
	if err != nil {
		return err
	}
	defer k.close()
	again := time.Duration(0)
	for {
		// the agent keeps the time; one that is stopped does not
		if _, err := k.answer(again+d.wait, wire.Look); err != nil {
			return err
		}
		if again, w.over, w.failed = w.look(); w.failed == nil {
			w.looked = true
		} else if errors.Is(w.failed, approval.ErrOffline) {
			err, w.failed = w.failed, nil // it may come back
			return err
		}
		again = max(again, 0)
		err := k.Send(wire.Message{Kind: wire.Looked, Yes: w.over || w.failed != nil,
			Number: uint64(again)})
		if w.over || w.failed != nil {
			return nil
		}
		if err != nil {
			return k.failed(err)
		}
	}
}
