package etcd

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
)

// begin starts a try on the copy.
func (b *DB) begin() *tx {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.state == nil {
		return begin(b.o.Secret, newState())
	}
	return begin(b.o.Secret, b.state)
}

// commit stores changes of the copied state. If it returns false and no error, another commit was
// first: nothing was stored, and the copy has that commit.
func (b *DB) commit(ctx context.Context, c changes) (bool, error) {
	h, mod, loaded := b.read()
	if !loaded {
		return false, b.create(ctx)
	}
	x, err := b.prepare(ctx, h.n+1, c)
	if err != nil {
		return false, err
	}
	h.n, h.chain = h.n+1, link(h.chain, x.value)
	ctx, cancel := lingering(ctx)
	defer cancel()
	rev, sent := b.txn(ctx, b.unchanged(mod),
		b.putHead(h),
		clientv3.OpPut(b.recordKey(h.n), string(x.value)))
	switch {
	case rev != 0:
		b.advance([]step{x}, h, rev)
		b.shorten(ctx)
		return true, nil
	case sent != nil && final(sent):
		return false, b.explain(sent)
	case errors.Is(sent, approval.ErrMeddled):
		return false, sent
	}
	return b.outcome(ctx, x.record, mod, sent)
}

// create makes an empty database if nothing is stored below the prefix, and reads what is there
// then.
func (b *DB) create(ctx context.Context) error {
	h := head{phase: inForce, cluster: b.cluster.Load()}
	_, err := b.txn(ctx, b.nothing(), b.putHead(h))
	if err != nil && final(err) {
		return b.explain(err)
	}
	_, err = b.refresh(ctx)
	return err
}

// prepare makes the record of changes, and writes them in parts if they are long.
func (b *DB) prepare(ctx context.Context, n uint64, c changes) (step, error) {
	x := step{record: record{n: n}, changes: c}
	var err error
	if x.record.ticket, err = b.newTicket(); err != nil {
		return x, err
	}
	if text := c.encode(); len(text) <= maxInline {
		x.record.inline = text
	} else if x.record.parts, err = b.upload(ctx, x.record.ticket, text); err != nil {
		return x, err
	}
	x.value = x.record.encode()
	return x, nil
}

// outcome finds out whether a commit after revision mod was stored. The request may still be on its
// way to a server. So outcome changes the head: then the request comes too late, or it was first.
func (b *DB) outcome(ctx context.Context, r record, mod int64, sent error) (bool, error) {
	for {
		moved, err := b.refresh(ctx)
		switch {
		case err != nil && sent == nil:
			return false, err // it was refused
		case err != nil:
			return false, b.unsure(sent, err)
		case moved:
			return b.stored(r, sent)
		case sent == nil:
			return false, b.corrupt("a commit was refused, and the head is still the same")
		}
		if _, err := b.txn(ctx, b.unchanged(mod), b.sameHead()); err != nil && final(err) {
			return false, b.unsure(sent, b.explain(err))
		}
	}
}

// stored reports whether the commits that the copy has contain this one.
func (b *DB) stored(r record, sent error) (bool, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if b.state.n < r.n {
		return false, nil
	}
	t, known := b.state.ticket(r.n)
	if !known {
		return false, b.unsure(sent, errForgotten)
	}
	return t == r.ticket, nil
}

var errForgotten = errors.New("too many commits followed")

// grace is how long a commit goes on after its caller gave up, to find out whether it was stored.
const grace = 2 * time.Second

func lingering(ctx context.Context) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(grace, cancel) })
	return longer, func() { stop(); cancel() }
}
