package registrar

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// inForce adds to a welcome what administrators have ordered for a machine with labels, so that it
// holds from the beginning: freezes that have not ended, and bundles in force. The machine checks
// the signatures itself.
func (r *Registrar) inForce(ctx context.Context, w *Welcome, fleet document.Fleet,
	labels document.Labels) error {
	freezes, err := r.etcd.Get(ctx, keyspace.Freezes, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	for _, kv := range freezes.Kvs {
		o, err := fleet.Freeze(kv.Value)
		if err != nil || string(kv.Key) != keyspace.Freezes+o.ID || !o.Machines.Selects(labels) {
			continue
		}
		ended, err := r.ended(ctx, fleet, o.ID)
		if err != nil {
			return err
		}
		if !ended {
			w.Freezes = append(w.Freezes, string(kv.Value))
		}
	}
	bundles, err := r.etcd.Get(ctx, keyspace.Bundles, clientv3.WithPrefix())
	if err != nil {
		return err
	}
	for _, kv := range bundles.Kvs {
		b, err := fleet.Bundle(kv.Value)
		if err == nil && b.Stage == document.Force && b.Text != "" && b.Machines.Selects(labels) &&
			string(kv.Key) == keyspace.Below(keyspace.Bundles, b.Name)+string(b.Stage) {
			w.Bundles = append(w.Bundles, string(kv.Value))
		}
	}
	return nil
}

// ended reports whether two administrators have ended a freeze.
func (r *Registrar) ended(ctx context.Context, fleet document.Fleet, id string) (bool, error) {
	got, err := r.etcd.Get(ctx, keyspace.Thaws+id)
	if err != nil || len(got.Kvs) == 0 {
		return false, err
	}
	t, bad := fleet.Thaws(got.Kvs[0].Value)
	return bad == nil && t.ID == id, nil
}
