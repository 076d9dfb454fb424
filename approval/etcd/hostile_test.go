package etcd

import (
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/integration/served"
)

// If another client changes, moves or deletes any value, nothing is permitted: a process that
// opens the database refuses it.
func testEdited(t *testing.T, b *bed) {
	s := b.store(b.db(nil))
	e := b.approved(s, 1)
	b.approved(s, strings.Repeat("long", maxInline/4))
	c := b.client()
	old := b.all(c)
	if len(old) < 6 {
		t.Fatalf("only %d keys", len(old))
	}
	refused := func(what string) {
		t.Helper()
		if _, err := approval.Open(b.db(nil), b.options()); err == nil {
			t.Errorf("%s: it was opened", what)
		} else if !errors.Is(err, approval.ErrBehind) && !errors.Is(err, approval.ErrFuture) {
			b.wantStore(err, approval.ErrCorrupt)
		}
	}
	put := func(k, v string) {
		t.Helper()
		if _, err := c.Put(ctx, k, v); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range old {
		for i := 0; i < len(value); i += max(1, len(value)/7) {
			changed := []byte(value)
			changed[i] ^= 1
			put(key, string(changed))
			refused(key)
		}
		for other, v := range old {
			if other != key {
				put(key, v)
				refused(other + " as " + key)
			}
		}
		if _, err := c.Delete(ctx, key); err != nil {
			t.Fatal(err)
		}
		refused("without " + key)
		put(key, value)
	}
	// everything is as it was
	if _, err := b.store(b.db(nil)).Consume(ctx, claim(e)); err != nil {
		t.Error(err)
	}
}

// Another machine's database, keys of another program and a newer format are refused, and nothing
// is written there.
func testOtherOwner(t *testing.T, b *bed) {
	c := b.client()
	e := b.approved(b.store(b.db(nil)), 1)
	other := b.db(func(o *Options) { o.Secret = []byte(strings.Repeat("t", 32)) })
	_, err := approval.Open(other, b.options())
	b.wantStore(err, approval.ErrCorrupt)
	if _, err := c.Put(ctx, b.o.headKey(), headFamily+"2\n"); err != nil {
		t.Fatal(err)
	}
	_, err = approval.Open(b.db(nil), b.options())
	b.wantStore(err, approval.ErrFuture)
	for _, key := range []string{"x", "log/0000000000000001", "head"} {
		b.restore(c, map[string]string{b.o.Prefix + "/" + key: "somebody else's"})
		before := b.all(c)
		_, err = approval.Open(b.db(nil), b.options())
		b.wantStore(err, approval.ErrCorrupt)
		err = b.db(nil).Update(ctx, func(tx approval.Tx) error { return tx.SetSeq(1) })
		b.wantStore(err, approval.ErrCorrupt)
		if after := b.all(c); !maps.Equal(after, before) {
			t.Errorf("%q was written over", key)
		}
	}
	_ = e
}

// An older copy that was put back is refused: by a process that has seen newer commits, and by
// every one that compares it with the record. So is an empty prefix.
func testOlderCopy(t *testing.T, b *bed) {
	c, db := b.client(), b.db(nil)
	s := b.store(db)
	e := b.approved(s, 1)
	old := b.all(c)
	p, err := s.Consume(ctx, claim(e))
	if err != nil {
		t.Fatal(err)
	}
	recorded := func(string) (uint64, error) { return p.Events[0].Seq, nil }
	b.restore(c, old)
	_, err = s.Consume(ctx, claim(e))
	b.wantStore(err, approval.ErrBehind)
	_, err = s.Get(ctx, e.ID)
	b.wantStore(err, approval.ErrBehind)

	o := b.options()
	o.Record = recorded
	fresh, err := approval.Open(b.db(nil), o)
	if err != nil {
		t.Fatal(err)
	}
	_, err = fresh.Consume(ctx, claim(e))
	b.wantStore(err, approval.ErrBehind)

	// a copy that goes on is another history
	for n := range 5 {
		b.ask(b.store(b.db(nil)), n+10)
	}
	_, err = s.Consume(ctx, claim(e))
	b.wantStore(err, approval.ErrBehind)

	b.restore(c, nil)
	_, err = s.Get(ctx, e.ID)
	b.wantStore(err, approval.ErrMissing)
	id, err := db.Cluster(ctx)
	if err != nil {
		t.Fatal(err)
	}
	_, err = approval.Open(b.db(func(o *Options) { o.Cluster = id }), b.options())
	b.wantStore(err, approval.ErrMissing)
}

// Another cluster behind the same addresses is refused, even if it has a copy of everything.
func testOtherCluster(t *testing.T, b *bed) {
	db := b.db(nil)
	e := b.approved(b.store(db), 1)
	id, err := db.Cluster(ctx)
	if err != nil || id == 0 {
		t.Fatal(id, err)
	}
	other := newBed(t, served.StartEtcd(t, 1).Endpoints())
	other.o.Prefix = b.o.Prefix
	_, err = approval.Open(other.db(func(o *Options) { o.Cluster = id }), b.options())
	other.wantStore(err, approval.ErrMeddled)
	other.restore(other.client(), b.all(b.client()))
	_, err = approval.Open(other.db(nil), b.options())
	other.wantStore(err, approval.ErrMeddled)
	db.client.SetEndpoints(other.o.Endpoints...)
	s := b.store(b.db(nil))
	for try := range 100 { // until its connections are replaced
		_, err = approval.Open(db, b.options())
		if err != nil || try == 99 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	b.wantStore(err, approval.ErrMeddled)
	if _, err := s.Consume(ctx, claim(e)); err != nil {
		t.Error(err)
	}
}

// Without an answer, every call ends after Options.Wait, and says which servers did not answer.
func testAway(t *testing.T, b *bed) {
	if _, err := New(Options{}); err == nil {
		t.Error("no endpoints")
	}
	b.o.Endpoints, b.o.Wait = []string{"127.0.0.1:1"}, 300*time.Millisecond
	db := b.db(nil)
	_, err := approval.Open(db, b.options())
	b.wantStore(err, approval.ErrAway)
	if f, _ := approval.Explain(err); f.Code != "store_away" || f.Exit != 75 {
		t.Errorf("%+v", f)
	}
	b.wantStore(db.Update(ctx, func(approval.Tx) error { return nil }), approval.ErrAway)
	b.wantStore(db.Import(ctx, b.db(nil)), approval.ErrAway)
	_, err = db.Cluster(ctx)
	b.wantStore(err, approval.ErrAway)
}

// A full etcd accepts no change, permits nothing and says what to do. What is there can be read.
func testFull(t *testing.T, b *bed) {
	b.o.Endpoints = served.StartEtcd(t, 1, "-quota", "4194304").Endpoints()
	s := b.store(b.db(nil))
	given := b.approved(s, 1)
	var err error
	for n := 0; err == nil && n < 100; n++ {
		_, _, err = s.Request(ctx, approval.Request{Session: "s1",
			Payload: plantest.Small(b, func(p map[string]any) {
				p["n"] = strings.Repeat("x", maxInline/2+n)
			})})
	}
	b.wantStore(err, approval.ErrAway)
	if !strings.Contains(err.Error(), "no space") {
		t.Error(err)
	}
	p, err := s.Consume(ctx, claim(given))
	b.wantStore(err, approval.ErrAway)
	if len(p.Calls) != 0 {
		t.Errorf("%+v", p)
	}
	if _, err := b.store(b.db(nil)).Get(ctx, given.ID); err != nil {
		t.Error(err)
	}
}
