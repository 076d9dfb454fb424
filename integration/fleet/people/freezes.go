package people

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/pages"
)

// A Frozen is a freeze and how far its end is signed.
type Frozen struct {
	document.Freeze
	ThawedBy []string // administrators; two end it
	Ended    bool
	Lapsed   bool // no administrator of today gave it: nothing but its id is known
}

// orderID is what Freeze calls an order.
var orderID = regexp.MustCompile("^[0-9a-f]{16}$")

// Freeze gives an order, and returns it with its id: nothing new starts on the machines that it
// selects.
func (o Office) Freeze(ctx context.Context, key approval.Key,
	f document.Freeze) (document.Freeze, error) {
	random := make([]byte, 8)
	if _, err := rand.Read(random); err != nil {
		return document.Freeze{}, err
	}
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return f, err
	}
	f.ID, f.Fleet, f.By = hex.EncodeToString(random), fleet.Name, []string{key.Name}
	text, err := f.Sign(key)
	if err != nil {
		return f, err
	}
	if _, err := fleet.Freeze(text); err != nil {
		return f, fmt.Errorf("%q is not an administrator of this fleet: %w", key.Name, err)
	}
	_, err = o.Etcd.Put(ctx, keyspace.Freezes+f.ID, string(text))
	return f, Reason(err)
}

// Freezes returns the freezes that administrators have ordered, those that have ended too. Machines
// may obey one still of someone who is no administrator any more.
func (o Office) Freezes(ctx context.Context) ([]Frozen, error) {
	fleet, err := o.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	var list []Frozen
	var ends []string
	_, err = pages.Each(ctx, o.Etcd, keyspace.Freezes, func(kv *mvccpb.KeyValue) (string, error) {
		id := strings.TrimPrefix(string(kv.Key), keyspace.Freezes)
		one := Frozen{}
		var err error
		if one.Freeze, err = fleet.Freeze(kv.Value); err != nil || one.ID != id {
			one = Frozen{Freeze: document.Freeze{ID: id}, Lapsed: true}
		}
		if orderID.MatchString(id) {
			list, ends = append(list, one), append(ends, keyspace.Thaws+id)
		}
		return "", nil
	})
	if err != nil {
		return nil, Reason(err)
	}
	found, err := pages.Values(ctx, o.Etcd, ends)
	for i := range list {
		one := &list[i]
		end, err := fleet.Thaws(found[keyspace.Thaws+one.ID])
		if end.ID == one.ID {
			one.Ended, one.ThawedBy = err == nil, end.By
		}
	}
	return list, Reason(err)
}
