package agent

import (
	"context"
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/plan/plantest"
	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/people"
	"github.com/tada-run/tada-run/launcher/permit"
)

// leased returns how long a key still has.
func (m *machine) leased(key string) (clientv3.LeaseID, time.Duration) {
	m.Helper()
	got, err := m.root.Get(m.Context(), key, clientv3.WithPrefix())
	if err != nil || len(got.Kvs) != 1 || got.Kvs[0].Lease == 0 {
		m.Fatalf("%s: %v, %v", key, got, err)
	}
	id := clientv3.LeaseID(got.Kvs[0].Lease)
	left, err := m.root.TimeToLive(m.Context(), id)
	if err != nil {
		m.Fatal(err)
	}
	return id, time.Duration(left.TTL) * time.Second
}

// What is published ends by itself two minutes after it is of no use, also if no agent ever comes
// back; what is lost before is published again.
func TestLeases(t *testing.T) {
	t.Parallel()
	m := newBed(t).machine("")
	m.start()
	m.trusts(1)
	e := m.ask(0)
	q := m.published(e.ID)
	isLife := func(what string, got time.Duration) {
		t.Helper()
		if more := got - time.Until(e.Expires); more < 90*time.Second || more > 121*time.Second {
			t.Errorf("the lease of %s ends %v after it", what, more)
		}
	}
	key := "tada/1/questions/" + m.own.ID + "/" + e.ID
	lease, left := m.leased(key)
	isLife("the question", left)
	if _, err := m.root.Revoke(t.Context(), lease); err != nil {
		t.Fatal(err)
	}
	m.published(e.ID)
	if again, left := m.leased(key); again == lease {
		t.Error("it has the lease that was revoked")
	} else {
		isLife("the question that was published again", left)
	}
	m.stop()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := m.office().Answer(ctx, q, m.token(m.ann, q, true)); !errors.Is(err,
		people.ErrSilent) {
		t.Fatal(err)
	}
	_, left = m.leased("tada/1/answers/" + m.own.ID + "/")
	isLife("the answer", left)
}

// A question that expires is recorded as such, and no longer published, when it does: nobody need
// look for that.
func TestExpiresByItself(t *testing.T) {
	t.Parallel()
	m := newBed(t).machine("")
	m.start()
	m.trusts(1)
	if err := m.l.Deciding(func() ([]approval.Event, error) {
		e, _, err := m.l.Store.Request(context.Background(), approval.Request{Session: "s",
			TTL: 3 * time.Second, Requester: permit.Person(), Payload: plantest.Small(m, nil)})
		return e.Events, err
	}); err != nil {
		t.Fatal(err)
	}
	m.eventually("it is recorded", func() bool {
		for _, err := range m.l.Entries(audit.Filter{Kinds: []string{approval.KindExpired}}) {
			return err == nil
		}
		return false
	})
	m.eventually("it is not published", func() bool {
		got, err := m.root.Get(t.Context(), "tada/1/questions/"+m.own.ID+"/",
			clientv3.WithPrefix())
		return err == nil && len(got.Kvs) == 0
	})
}
