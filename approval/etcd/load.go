package etcd

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
)

// refresh brings the copy up to what the servers have, and reports whether its head was another
// one. The caller has the turn.
func (b *DB) refresh(ctx context.Context) (moved bool, err error) {
	for {
		moved, err := b.follow(ctx)
		if !forgotten(err) {
			return moved, err
		}
	}
}

func (b *DB) follow(ctx context.Context) (moved bool, err error) {
	r, err := b.get(ctx, b.o.headKey())
	if err != nil {
		return false, err
	}
	_, mod, loaded := b.read()
	if len(r.Kvs) == 0 {
		return false, b.missing(ctx, loaded, r.Header.Revision)
	}
	kv := r.Kvs[0]
	if kv.ModRevision == mod {
		return false, nil
	}
	h, err := b.open(kv.Value)
	if err != nil {
		return false, err
	}
	return true, b.reach(ctx, h, kv.ModRevision, r.Header.Revision)
}

// missing returns why there was no head at a revision: nil if nothing was ever stored here.
func (b *DB) missing(ctx context.Context, loaded bool, rev int64) error {
	if loaded || b.o.Cluster != 0 {
		return b.fail(approval.ErrMissing, "restore the prefix, or rebuild it from the record: "+
			"tadactl approvals rebuild")
	}
	return b.empty(ctx, rev)
}

// empty returns an error if there was anything below the prefix at a revision.
func (b *DB) empty(ctx context.Context, rev int64) error {
	r, err := b.get(ctx, b.o.Prefix+"/", clientv3.WithPrefix(), clientv3.WithLimit(1),
		clientv3.WithKeysOnly(), clientv3.WithRev(rev))
	if err == nil && len(r.Kvs) > 0 {
		return b.corrupt("it has the key %q and is no database of approvals", r.Kvs[0].Key)
	}
	return err
}

// open reads a head and checks that it is of this machine and in force.
func (b *DB) open(value []byte) (head, error) {
	h, err := b.sealed(value)
	if err == nil && h.phase != inForce {
		err = b.fail(approval.ErrMoved, "the import into it was begun and has not ended; "+
			"run it again")
	}
	return h, err
}

// sealed reads a head in any phase.
func (b *DB) sealed(value []byte) (head, error) {
	h, err := readHead(value, b.key, b.o.Prefix)
	switch {
	case errors.Is(err, errFuture):
		return h, b.fail(approval.ErrFuture, "install the version that wrote it")
	case errors.Is(err, errSeal):
		return h, b.corrupt("its head is %v: another machine uses this prefix, or its bytes "+
			"were changed", err)
	case err != nil:
		return h, b.corrupt("its head cannot be read: %v", err)
	case h.cluster != b.cluster.Load():
		return h, b.fail(approval.ErrMeddled, fmt.Sprintf("it was copied from cluster %x to "+
			"cluster %x; correct the endpoints", h.cluster, b.cluster.Load()))
	}
	return h, nil
}

// reach loads what leads to head h, which was read at a revision.
func (b *DB) reach(ctx context.Context, h head, mod, rev int64) error {
	b.mu.RLock()
	s := b.state
	b.mu.RUnlock()
	if s != nil && h.n < s.n {
		return b.behind(fmt.Sprintf("it has commit %d, after commit %d", h.n, s.n))
	}
	if s != nil && s.n >= h.base {
		steps, err := b.steps(ctx, s.n, s.chain, h, rev)
		if err == nil {
			b.advance(steps, h, mod)
		}
		return err
	}
	fresh := newState()
	if h.snap != (body{}) {
		text, err := b.download(ctx, h.snap, rev)
		if err != nil {
			return err
		}
		if fresh, err = readSnapshot(text); err != nil || fresh.n != h.base {
			return b.corrupt("its snapshot cannot be read")
		}
	}
	steps, err := b.steps(ctx, fresh.n, fresh.chain, h, rev)
	if err != nil {
		return err
	}
	for _, x := range steps {
		fresh.apply(x.record, x.value, x.changes)
	}
	b.set(fresh, h, mod)
	return nil
}

// steps reads the commits after n, whose chain is known, up to head h.
func (b *DB) steps(ctx context.Context, n uint64, chain sum, h head, rev int64) ([]step, error) {
	var all []step
	for n < h.n {
		r, err := b.get(ctx, b.recordKey(n+1), clientv3.WithRange(b.recordKey(h.n+1)),
			clientv3.WithRev(rev), clientv3.WithLimit(page))
		if err != nil {
			return nil, err
		}
		for _, kv := range r.Kvs {
			x, err := b.step(ctx, kv.Value, rev)
			if err != nil {
				return nil, err
			}
			if n++; x.record.n != n {
				return nil, b.corrupt("commit %d is missing", n)
			}
			chain = link(chain, kv.Value)
			all = append(all, x)
		}
		if len(r.Kvs) == 0 {
			return nil, b.corrupt("commit %d is missing", n+1)
		}
	}
	if !bytes.Equal(chain[:], h.chain[:]) {
		return nil, b.behind("its commits are not those that follow what was read before, or " +
			"were changed")
	}
	return all, nil
}

func (b *DB) step(ctx context.Context, value []byte, rev int64) (x step, err error) {
	if x.record, err = readRecord(value); err != nil {
		return x, b.corrupt("a commit cannot be read")
	}
	x.value = value
	text := x.record.inline
	if text == nil {
		if text, err = b.download(ctx, x.record.parts, rev); err != nil {
			return x, err
		}
	}
	if x.changes, err = readChanges(text); err != nil {
		return x, b.corrupt("commit %d cannot be read", x.record.n)
	}
	return x, nil
}
