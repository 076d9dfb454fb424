package etcd

import (
	"context"

	"github.com/tada-run/tada-run/approval"
)

// View implements [approval.DB]. It asks the servers whether the copy is the newest.
func (b *DB) View(ctx context.Context, fn func(approval.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, b.o.Wait)
	defer cancel()
	r, err := b.get(ctx, b.o.headKey())
	if err != nil {
		return err
	}
	_, mod, loaded := b.read()
	if !loaded || len(r.Kvs) == 0 || r.Kvs[0].ModRevision > mod {
		if err := b.catchUp(ctx); err != nil {
			return err
		}
	}
	return b.view(b.o.Secret, fn)
}

func (b *DB) catchUp(ctx context.Context) error {
	if err := b.take(ctx); err != nil {
		return err
	}
	defer b.give()
	_, err := b.refresh(ctx)
	return err
}

// Update implements [approval.DB].
func (b *DB) Update(ctx context.Context, fn func(approval.Tx) error) error {
	ctx, cancel := context.WithTimeout(ctx, b.o.Wait)
	defer cancel()
	if err := b.take(ctx); err != nil {
		return err
	}
	defer b.give()
	return b.write(ctx, fn)
}

// take waits for the turn to change the copy.
func (b *DB) take(ctx context.Context) error {
	select {
	case b.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return b.away(ctx, nil)
	}
}

func (b *DB) give() { <-b.turn }

// write runs fn until what it does was committed on the state that it saw. What fn returns, and
// that it changes nothing, also counts only if that state is the newest: it may have read an
// approval that another process has used since. The caller has the turn.
func (b *DB) write(ctx context.Context, fn func(approval.Tx) error) error {
	_, _, loaded := b.read()
	if !loaded {
		if _, err := b.refresh(ctx); err != nil {
			return err
		}
	}
	newest := !loaded
	for {
		if err := ctx.Err(); err != nil {
			return b.away(ctx, nil)
		}
		t := b.begin()
		err := fn(t)
		c := t.changes()
		if err == nil && !c.none(t.state) {
			done, err := b.commit(ctx, c)
			if done || err != nil {
				return err
			}
			newest = true // commit has read it
			continue
		}
		if newest {
			return err
		}
		moved, failure := b.refresh(ctx)
		if !moved || failure != nil {
			return firstOf(failure, err)
		}
		newest = true
	}
}

func firstOf(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
