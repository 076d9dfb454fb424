package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// minLog is how long the log is at least before a snapshot replaces it.
const minLog = 1 << 20

// shorten replaces the log by a snapshot when it is twice as long. So a reader reads at most three
// times what is stored, and each byte is written about one and a half times more. Whoever fails
// leaves it to the next commit. The caller has the turn.
func (b *DB) shorten(ctx context.Context) {
	b.mu.RLock()
	long := b.state.logged > max(minLog, 2*b.state.base)
	b.mu.RUnlock()
	if !long || ctx.Err() != nil {
		return
	}
	text := b.state.encode()
	h, mod, _ := b.read()
	h.base = h.n
	var err error
	if h.snap, err = b.snapshot(ctx, text); err != nil {
		return
	}
	own := b.partKey(h.snap.ticket, 0)
	after := clientv3.GetPrefixRangeEnd(b.o.partsKey() + h.snap.ticket.String() + "/")
	rev, err := b.txn(ctx, b.unchanged(mod),
		b.putHead(h),
		clientv3.OpDelete(b.o.recordsKey(), clientv3.WithPrefix()),
		clientv3.OpDelete(b.o.partsKey(), clientv3.WithRange(own)),
		clientv3.OpDelete(after, clientv3.WithRange(clientv3.GetPrefixRangeEnd(b.o.partsKey()))))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.state.logged, b.state.base = 0, len(text)
	if err == nil && rev != 0 {
		b.head, b.mod = h, rev
	}
}

// snapshot writes a text under a new ticket.
func (b *DB) snapshot(ctx context.Context, text []byte) (body, error) {
	t, err := b.newTicket()
	if err != nil {
		return body{}, err
	}
	return b.upload(ctx, t, text)
}
