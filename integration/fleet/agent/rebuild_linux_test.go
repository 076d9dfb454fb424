package agent

import (
	"errors"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/launcher/permit"
)

// Approvals that are damaged or gone in etcd are rebuilt from the record: what was denied stays so,
// what was open is over, and the machine asks again. What is not damaged is not rebuilt, and
// nothing while an agent runs.
func TestRebuild(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	m := b.machine("")
	m.start()
	denied, open := m.ask(1), m.ask(1)
	if o := m.answer(b.ann, m.published(denied.ID), false); !o.Taken || o.Approved {
		t.Fatalf("%+v", o)
	}
	rebuild := func() (approval.Rebuilt, error) {
		l := openPlace(t, m.l.Home().Dir)
		a := Agent{Launcher: l, Folder: m.folder, Etcd: m.etcd, Now: time.Now, Out: m}
		return a.Rebuild(t.Context())
	}
	if _, err := rebuild(); !errors.Is(err, approval.ErrLocked) {
		t.Errorf("%v while its agent runs", err)
	}
	m.stop()
	if _, err := rebuild(); !errors.Is(err, permit.ErrIntact) {
		t.Errorf("%v: what is intact is rebuilt", err)
	}
	below := keyspace.Below(keyspace.States, m.own.ID)
	for what, damage := range map[string]func() error{
		"gone": func() error {
			_, err := b.root.Delete(t.Context(), below, clientv3.WithPrefix())
			return err
		},
		"garbage": func() error {
			_, err := b.root.Put(t.Context(), below+"head", "garbage")
			return err
		},
		"without its commits": func() error {
			_, err := b.root.Delete(t.Context(), below+"log/", clientv3.WithPrefix())
			return err
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		r, err := rebuild()
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		m.l = openPlace(t, m.l.Home().Dir)
		m.start()
		if _, err := m.l.Store.Get(t.Context(), denied.ID); !errors.Is(err, approval.ErrDenied) {
			t.Errorf("%s: %v after a rebuild (%+v)", what, err, r)
		}
		if e, err := m.l.Store.Get(t.Context(), open.ID); err == nil &&
			e.State == approval.Pending {
			t.Errorf("%s: what was open is still", what)
		}
		m.published(m.ask(1).ID)
		m.stop()
	}
}
