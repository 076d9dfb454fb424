package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// Thaw signs the end of a freeze. It ends when a second administrator has signed it too; signed
// says who has. The error for an id of which etcd has neither a freeze nor an end that counts says
// so.
func (o Office) Thaw(ctx context.Context, key approval.Key,
	id string) (signed []string, err error) {
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	if err := administrator(fleet, key); err != nil {
		return nil, err
	}
	at := keyspace.Thaws + id
	got, err := o.Etcd.Get(ctx, at)
	if err != nil {
		return nil, Reason(err)
	}
	if known, err := o.known(ctx, fleet, id, got.Kvs); err != nil || !known {
		return nil, cmp.Or(err, fmt.Errorf("no freeze has the id %q; type: tadactl fleet unfreeze",
			id))
	}
	var revision int64
	text, err := document.Thaw{ID: id, Fleet: fleet.Name}.Sign(key)
	for _, kv := range got.Kvs {
		revision = kv.ModRevision
		if begun, _ := fleet.Thaws(kv.Value); len(begun.By) > 0 { // else it is garbage
			text, err = fleet.CosignThaw(kv.Value, id, key)
		}
	}
	if err != nil {
		return nil, err
	}
	end, err := fleet.Thaws(text)
	if err != nil && !errors.Is(err, document.ErrUnsigned) {
		return nil, err
	}
	done, err := o.Etcd.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(at), "=", revision)).
		Then(clientv3.OpPut(at, string(text))).Commit()
	if err != nil {
		return nil, Reason(err)
	}
	if !done.Succeeded {
		return nil, ErrRace
	}
	return end.By, nil
}

// known reports whether etcd has a freeze, or an end of it that an administrator has signed. The
// order can be deleted there, but machines still obey it. So they do where the administrator who
// gave it is none any more.
func (o Office) known(ctx context.Context, fleet document.Fleet, id string,
	ends []*mvccpb.KeyValue) (bool, error) {
	for _, kv := range ends {
		if end, _ := fleet.Thaws(kv.Value); end.ID == id && len(end.By) > 0 {
			return true, nil
		}
	}
	got, err := o.Etcd.Get(ctx, keyspace.Freezes+id, clientv3.WithCountOnly())
	return err == nil && got.Count > 0, Reason(err)
}
