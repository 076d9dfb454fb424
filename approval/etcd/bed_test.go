package etcd

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/integration/served"
)

var ctx = context.Background()

// A bed is a prefix of a cluster, and what a test makes there.
type bed struct {
	testing.TB
	o Options

	mu  sync.Mutex
	now time.Time
}

var prefixes atomic.Int64

func newBed(t testing.TB, endpoints []string) *bed {
	return &bed{TB: t, now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
		o: Options{Endpoints: endpoints, Rand: rand.Reader, Wait: 20 * time.Second,
			Prefix: fmt.Sprintf("tada/%d", prefixes.Add(1)), Secret: bytes.Repeat([]byte("s"), 32)}}
}

func (b *bed) clock() approval.Clock {
	b.mu.Lock()
	defer b.mu.Unlock()
	return approval.Clock{Now: b.now}
}

func (b *bed) advance(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.now = b.now.Add(d)
}

// db opens the prefix as another process would.
func (b *bed) db(change func(*Options)) *DB {
	b.Helper()
	o := b.o
	if change != nil {
		change(&o)
	}
	db, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { db.Close() })
	return db
}

func (b *bed) options() approval.Options {
	return approval.Options{Clock: b.clock, Rand: rand.Reader, MaxPending: 1 << 20,
		MaxHour: 1 << 20, MaxOpen: 1 << 20}
}

func (b *bed) store(db approval.DB) *approval.Store {
	b.Helper()
	s, err := approval.Open(db, b.options())
	if err != nil {
		b.Fatal(err)
	}
	return s
}

func (b *bed) ask(s *approval.Store, n any) approval.Envelope {
	b.Helper()
	e, _, err := s.Request(ctx, approval.Request{Session: "s1",
		Budget:  fmt.Sprint(prefixes.Add(1)), // so that their hours do not grow
		Payload: plantest.Small(b, func(p map[string]any) { p["n"] = n })})
	if err != nil {
		b.Fatal(err)
	}
	return e
}

func yes(e approval.Envelope) approval.Decision {
	d := approval.Decision{Envelope: e.ID, PlanHash: e.PlanHash, Challenge: e.Challenge,
		Approver: "me", Channel: "test", Took: time.Hour, Paged: true}
	for _, id := range e.Calls {
		d.Calls = append(d.Calls, approval.CallDecision{ID: id, Approved: true})
	}
	return d
}

func claim(e approval.Envelope) approval.Claim {
	return approval.Claim{Session: e.Session, PlanHash: e.PlanHash, Runner: "test"}
}

// approved returns a question with an unused approval.
func (b *bed) approved(s *approval.Store, n any) approval.Envelope {
	b.Helper()
	e := b.ask(s, n)
	if _, err := s.Decide(ctx, yes(e)); err != nil {
		b.Fatal(err)
	}
	return e
}

// client is what the operator of the servers has.
func (b *bed) client() *clientv3.Client {
	b.Helper()
	s, err := connect(b.o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.client.Close() })
	return s.client
}

// all returns everything below the prefix.
func (b *bed) all(c *clientv3.Client) map[string]string {
	b.Helper()
	r, err := c.Get(ctx, b.o.Prefix+"/", clientv3.WithPrefix())
	if err != nil {
		b.Fatal(err)
	}
	out := map[string]string{}
	for _, kv := range r.Kvs {
		out[string(kv.Key)] = string(kv.Value)
	}
	return out
}

// restore puts back what was below the prefix.
func (b *bed) restore(c *clientv3.Client, old map[string]string) {
	b.Helper()
	_, err := c.Delete(ctx, b.o.Prefix+"/", clientv3.WithPrefix())
	for k, v := range old {
		if err == nil {
			_, err = c.Put(ctx, k, v)
		}
	}
	if err != nil {
		b.Fatal(err)
	}
}

// wantStore checks that an error is a failure of the store which names the servers and a remedy.
func (b *bed) wantStore(err, want error) {
	b.Helper()
	var f *approval.FileError
	if !errors.Is(err, want) || !errors.As(err, &f) || f.Hint == "" ||
		f.Path != string(b.o.path()) {
		b.Errorf("got %v, want %v", err, want)
	}
	if _, ok := approval.Explain(err); !ok {
		b.Errorf("%v is not explained", err)
	}
}

// TestOneNode are the tests that share a cluster of one node. Each has a prefix of its own.
func TestOneNode(t *testing.T) {
	t.Parallel()
	cluster := served.StartEtcd(t, 1)
	for _, c := range []struct {
		name string
		test func(*testing.T, *bed)
	}{
		{"edited", testEdited},
		{"other owner", testOtherOwner},
		{"older copy", testOlderCopy},
		{"other cluster", testOtherCluster},
		{"away", testAway},
		{"full", testFull},
		{"many changes at once", testManyChanges},
		{"long payload", testLongPayload},
		{"snapshot", testSnapshot},
		{"one of many", testOneOfMany},
		{"together", testTogether},
		{"late commit", testLateCommit},
		{"lost answers", testLostAnswers},
		{"await", testAwait},
		{"import", testImport},
		{"import that is cut", testImportCut},
		{"import of many", testImportMany},
		{"import of a file of before", testImportOfBefore},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.test(t, newBed(t, cluster.Endpoints()))
		})
	}
}
