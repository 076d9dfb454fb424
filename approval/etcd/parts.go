package etcd

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"
)

const (
	// etcd refuses requests of more than 1.5 MiB.
	maxPart = 1 << 20
	// Longer changes go into parts. Everything in a log is read by everyone who opens it.
	maxInline = 256 << 10
	// how many records are read at once
	page = 64
)

func (t ticket) String() string { return fmt.Sprintf("%x", t[:]) }

func (b *DB) partKey(t ticket, i int) string {
	return fmt.Sprintf("%s%v/%08x", b.o.partsKey(), t, i)
}

func (b *DB) recordKey(n uint64) string { return fmt.Sprintf("%s%016x", b.o.recordsKey(), n) }

// upload writes a text in parts under a new ticket. Nothing refers to them yet.
func (b *DB) upload(ctx context.Context, t ticket, text []byte) (body, error) {
	if len(text) > maxBody {
		return body{}, b.fail(errTooLong, fmt.Sprintf("%d MiB are the most; prune it: "+
			"tadactl approvals prune", maxBody>>20))
	}
	i := 0
	for part := range slices.Chunk(text, maxPart) {
		if err := b.put(ctx, b.partKey(t, i), part); err != nil {
			return body{}, err
		}
		i++
	}
	return body{ticket: t, size: uint64(len(text)), sum: sha256.Sum256(text)}, nil
}

// download reads a text as it was at a revision.
func (b *DB) download(ctx context.Context, x body, rev int64) ([]byte, error) {
	text := make([]byte, 0, min(x.size, maxPart))
	for i := 0; uint64(len(text)) < x.size; i++ {
		r, err := b.get(ctx, b.partKey(x.ticket, i), clientv3.WithRev(rev))
		if err != nil {
			return nil, err
		}
		if len(r.Kvs) == 0 || len(r.Kvs[0].Value) == 0 {
			break // check says so
		}
		text = append(text, r.Kvs[0].Value...)
	}
	if err := x.check(text); err != nil {
		return nil, b.corrupt("%v", err)
	}
	return text, nil
}

func (b *DB) newTicket() (t ticket, err error) {
	if _, err := io.ReadFull(b.o.Rand, t[:]); err != nil {
		return t, fmt.Errorf("approval: reading randomness: %w", err)
	}
	return t, nil
}
