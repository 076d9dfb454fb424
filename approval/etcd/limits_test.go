package etcd

import (
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
)

// All questions of a week are pruned in one commit, which has many more changes than etcd allows
// operations.
func testManyChanges(t *testing.T, b *bed) {
	db := b.db(nil)
	s := b.store(db)
	const questions = 150
	for n := range questions {
		b.ask(s, n)
	}
	b.advance(2 * time.Hour)
	before := db.state.n
	if events, err := s.Prune(ctx); err != nil || len(events) != questions {
		t.Fatal(len(events), err)
	}
	b.advance(8 * 24 * time.Hour)
	if _, err := s.Prune(ctx); err != nil {
		t.Fatal(err)
	}
	if n := db.state.n - before; n != 2 {
		t.Errorf("%d commits", n)
	}
	other := b.db(nil)
	b.store(other)
	if n := len(other.state.values["envelopes"]); n != 0 {
		t.Errorf("%d are left", n)
	}
	if n := len(other.state.values["tombs"]); n != questions {
		t.Errorf("%d have tombstones", n)
	}
}

// A plan longer than a request of etcd is stored and read. What is longer than all limits is
// refused before anything is written.
func testLongPayload(t *testing.T, b *bed) {
	s := b.store(b.db(nil))
	e := b.ask(s, strings.Repeat("x", 3*maxPart))
	if _, err := s.Decide(ctx, yes(e)); err != nil {
		t.Fatal(err)
	}
	got, err := b.store(b.db(nil)).Get(ctx, e.ID)
	if err != nil || string(got.Payload) != string(e.Payload) {
		t.Fatal(len(got.Payload), err)
	}
	if _, err := s.Consume(ctx, claim(e)); err != nil {
		t.Fatal(err)
	}
	c := b.client()
	before := len(b.all(c))
	err = b.db(nil).Update(ctx, func(tx approval.Tx) error {
		return tx.Put("payloads", "x", make([]byte, maxBody))
	})
	if err == nil || !strings.Contains(err.Error(), "prune") {
		t.Errorf("%v", err)
	}
	if after := len(b.all(c)); after != before {
		t.Errorf("%d keys, then %d", before, after)
	}
}

// A long log becomes a snapshot, which others follow: those who have the commits and those who
// begin with it. What no one refers to is removed.
func testSnapshot(t *testing.T, b *bed) {
	db, follower := b.db(nil), b.db(nil)
	s, f := b.store(db), b.store(follower)
	e := b.approved(s, 1)
	c := b.client()
	if _, err := c.Put(ctx, b.o.partsKey()+"0000/00000000", "of a process that died"); err != nil {
		t.Fatal(err)
	}
	for n := range 12 {
		b.ask(s, strings.Repeat("y", 300<<10+n))
		if n%5 == 0 {
			if _, err := f.Get(ctx, e.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	if db.head.base == 0 {
		t.Fatal("there is no snapshot")
	}
	r, err := c.Get(ctx, b.o.recordsKey(), clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil || r.Count != int64(db.head.n-db.head.base) {
		t.Errorf("%d records, %v", r.Count, err)
	}
	for key := range b.all(c) {
		if strings.Contains(key, "/part/0000/") {
			t.Errorf("%q is still there", key)
		}
	}
	for _, other := range []*approval.Store{b.store(b.db(nil)), f} {
		list, err := other.Pending(ctx)
		if err != nil || len(list) != 13 {
			t.Errorf("%d questions, %v", len(list), err)
		}
	}
	if _, err := f.Consume(ctx, claim(e)); err != nil {
		t.Error(err)
	}
	if _, err := s.Consume(ctx, claim(e)); err == nil {
		t.Error("it was used twice")
	}
	for _, plan := range [][]byte{plantest.Small(b, nil)} {
		if _, _, err := s.Request(ctx, approval.Request{Session: "s2", Payload: plan}); err != nil {
			t.Error(err)
		}
	}
}
