package etcd

import (
	"context"
	"crypto/hmac"
	"fmt"
	"slices"

	"github.com/tada-run/tada-run/approval"
)

// Import takes over everything from another database, such as one of package bolt, with its open
// questions. The prefix must be empty, and the secret that of the other database.
//
// One of the two is in force at any time, never both. Until the end of the transaction that marks
// the other database as moved, that one is; what was copied before is not in force. From then on it
// accepts no change, and the copy is complete. If Import is ended between that and its last step,
// no change is accepted at all until it is called again. It can be called any number of times.
func (b *DB) Import(ctx context.Context, from approval.DB) error {
	limited, cancel := context.WithTimeout(ctx, b.o.Wait)
	defer cancel()
	var mark string
	err := from.Update(limited, func(old approval.Tx) error {
		if was := old.Get(approval.MetaBucket, approval.MovedKey); was != nil {
			mark = string(was)
			return nil
		}
		if !hmac.Equal(old.Get(approval.MetaBucket, approval.SecretKey), b.o.Secret) {
			return &approval.ConfigError{Name: "secret", Value: "another one",
				Need: "it must be that of " + from.Path()}
		}
		h, err := b.stage(limited, contents(old))
		if err != nil {
			return err
		}
		mark = b.mark(h)
		return old.Put(approval.MetaBucket, approval.MovedKey, []byte(mark))
	})
	if err != nil {
		return err
	}
	return b.enforce(limited, mark)
}

// SecretOf returns the secret of a database, for the file of the machine that has it from the
// import on.
func SecretOf(ctx context.Context, from approval.DB) ([]byte, error) {
	var secret []byte
	err := from.Update(ctx, func(old approval.Tx) error {
		secret = slices.Clone(old.Get(approval.MetaBucket, approval.SecretKey))
		return nil
	})
	return secret, err
}

// contents are what a database has, as the state before the first commit.
func contents(old approval.Tx) *state {
	s := newState()
	s.seq = old.Seq()
	for _, bucket := range approval.Buckets {
		for _, key := range old.Keys(bucket) {
			if bucket == approval.MetaBucket && slices.Contains(ownKeys, key) {
				continue
			}
			s.change([]change{{bucket: bucket, key: key,
				value: append([]byte{}, old.Get(bucket, key)...)}})
		}
	}
	return s
}

// ownKeys are those in the meta bucket that belong to a database and not to the rules.
var ownKeys = []string{approval.SecretKey, approval.MovedKey, "schema"}

// mark names an import in the database that was moved.
func (b *DB) mark(h head) string {
	return fmt.Sprintf("etcd, prefix %s, cluster %x, import %v", b.o.Prefix, h.cluster, h.origin)
}

// stage stores a state that is not in force, in place of one of an earlier import.
func (b *DB) stage(ctx context.Context, s *state) (head, error) {
	text := s.encode()
	h := head{phase: importing}
	for {
		old, mod, err := b.staged(ctx)
		switch {
		case forgotten(err):
			continue
		case err != nil:
			return h, err
		case h.origin != ticket{} && old.origin == h.origin:
			return h, nil
		case mod == 0:
			h.cluster = b.cluster.Load()
			_, err = b.txn(ctx, b.nothing(), b.putHead(head{phase: importing, cluster: h.cluster}))
		default:
			if h.snap, err = b.snapshot(ctx, text); err != nil {
				return h, err
			}
			h.origin, h.cluster = h.snap.ticket, old.cluster
			_, err = b.txn(ctx, b.unchanged(mod), b.putHead(h))
		}
		if err != nil && final(err) {
			return h, b.explain(err)
		}
	}
}

// staged reads the head of an import that is not in force. The revision is 0 if there is none.
func (b *DB) staged(ctx context.Context) (head, int64, error) {
	r, err := b.get(ctx, b.o.headKey())
	if err != nil {
		return head{}, 0, err
	}
	if len(r.Kvs) == 0 {
		// nothing is lost, though the cluster may be known: the other database is still in force
		return head{}, 0, b.empty(ctx, r.Header.Revision)
	}
	h, err := b.sealed(r.Kvs[0].Value)
	if err == nil && h.phase == inForce {
		err = &approval.ConfigError{Name: "etcd prefix", Value: b.o.Prefix,
			Need: "it must be empty, and it has approvals that are in force"}
	}
	return h, r.Kvs[0].ModRevision, err
}

// enforce puts the import with that mark in force, if it is not yet.
func (b *DB) enforce(ctx context.Context, mark string) error {
	for {
		r, err := b.get(ctx, b.o.headKey())
		if err != nil {
			return err
		}
		if len(r.Kvs) == 0 {
			return b.missing(ctx, true, r.Header.Revision)
		}
		h, err := b.sealed(r.Kvs[0].Value)
		if err == nil && b.mark(h) != mark {
			err = &approval.ConfigError{Name: "etcd prefix", Value: b.o.Prefix,
				Need: "the approvals were moved to " + mark}
		}
		if err != nil || h.phase == inForce {
			return err
		}
		h.phase = inForce
		_, err = b.txn(ctx, b.unchanged(r.Kvs[0].ModRevision), b.putHead(h))
		if err != nil && final(err) {
			return b.explain(err)
		}
	}
}
