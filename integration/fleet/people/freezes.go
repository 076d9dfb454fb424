package people

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// A Frozen is a freeze and how far its end is signed.
type Frozen struct {
	document.Freeze
	ThawedBy []string // administrators; two end it
	Ended    bool
}

// Freeze gives an order, and returns it with its id: nothing new starts on the machines that it
// selects.
func (o Office) Freeze(ctx context.Context, key approval.Key,
	f document.Freeze) (document.Freeze, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return document.Freeze{}, err
	}
	f.ID, f.By = hex.EncodeToString(random), []string{key.Name}
	text, err := f.Sign(key)
	if err != nil {
		return f, err
	}
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return f, err
	}
	if _, err := fleet.Freeze(text); err != nil {
		return f, fmt.Errorf("%q is not an administrator of this fleet: %w", key.Name, err)
	}
	_, err = o.Etcd.Put(ctx, keyspace.Freezes+f.ID, string(text))
	return f, Reason(err)
}

// Freezes returns the freezes that administrators have ordered, those that have ended too.
func (o Office) Freezes(ctx context.Context) ([]Frozen, error) {
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	got, err := o.Etcd.Get(ctx, keyspace.Freezes, clientv3.WithPrefix())
	if err != nil {
		return nil, Reason(err)
	}
	var list []Frozen
	for _, kv := range got.Kvs {
		f, err := fleet.Freeze(kv.Value)
		if err != nil || string(kv.Key) != keyspace.Freezes+f.ID {
			continue
		}
		one := Frozen{Freeze: f}
		thaw, err := o.Etcd.Get(ctx, keyspace.Thaws+f.ID)
		if err != nil {
			return nil, Reason(err)
		}
		if len(thaw.Kvs) > 0 {
			end, err := fleet.Thaws(thaw.Kvs[0].Value)
			if end.ID == f.ID {
				one.Ended, one.ThawedBy = err == nil, end.By
			}
		}
		list = append(list, one)
	}
	return list, nil
}
