package registrar

import (
	"context"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/pages"
)

// inForce returns what administrators have ordered for a machine with labels, so that it holds from
// the beginning: freezes that have not ended, and bundles in force. The machine checks the
// signatures itself.
func inForce(ctx context.Context, etcd *clientv3.Client, fleet document.Fleet,
	labels document.Labels) (freezes, bundles []string, err error) {
	_, err = pages.Each(ctx, etcd, keyspace.Freezes, func(kv *mvccpb.KeyValue) (string, error) {
		o, err := fleet.Freeze(kv.Value)
		if err != nil || string(kv.Key) != keyspace.Freezes+o.ID || !o.Machines.Selects(labels) {
			return "", nil
		}
		over, err := ended(ctx, etcd, fleet, o.ID)
		if err == nil && !over {
			freezes = append(freezes, string(kv.Value))
		}
		return "", err
	})
	if err != nil {
		return nil, nil, err
	}
	_, err = pages.Each(ctx, etcd, keyspace.Bundles, func(kv *mvccpb.KeyValue) (string, error) {
		b, err := fleet.Bundle(kv.Value)
		if err == nil && b.Stage == document.Force && b.Text != "" && b.Machines.Selects(labels) &&
			string(kv.Key) == keyspace.Below(keyspace.Bundles, b.Name)+string(b.Stage) {
			bundles = append(bundles, string(kv.Value))
		}
		return "", nil
	})
	return freezes, bundles, err
}

// ended reports whether two administrators have ended a freeze.
func ended(ctx context.Context, etcd *clientv3.Client, fleet document.Fleet,
	id string) (bool, error) {
	got, err := etcd.Get(ctx, keyspace.Thaws+id)
	if err != nil || len(got.Kvs) == 0 {
		return false, err
	}
	t, bad := fleet.Thaws(got.Kvs[0].Value)
	return bad == nil && t.ID == id, nil
}
