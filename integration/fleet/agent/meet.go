package agent

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/integration/fleet/ship"
)

const (
	// neighbours is how many other machines each one ships the records of: those with the next ids.
	neighbours = 8
	// looked is how many keys are looked at to find them.
	looked = 64
	// meetEvery is how often they are looked for.
	meetEvery = time.Hour
)

// meet ships the records of other machines, if that was not done lately, and returns when it was.
// What fails is done again with the next shipment.
func (a *Agent) meet(ctx context.Context, s *ship.Shipper, fleet document.Fleet,
	last time.Time) time.Time {
	if now := time.Now(); now.Sub(last) > meetEvery {
		others, err := a.neighbours(ctx, fleet)
		if err == nil && s.Meet(ctx, others) == nil {
			return now
		}
	}
	return last
}

// neighbours returns the records of the machines with the next ids, by their ids.
func (a *Agent) neighbours(ctx context.Context, fleet document.Fleet) (map[string][]byte, error) {
	own, end := keyspace.Machines+a.own.ID, clientv3.GetPrefixRangeEnd(keyspace.Machines)
	found := map[string][]byte{}
	for _, r := range [][2]string{{own + "\x00", end}, {keyspace.Machines, own}} {
		got, err := a.Etcd.Get(ctx, r[0], clientv3.WithRange(r[1]), clientv3.WithLimit(looked))
		if err != nil {
			return nil, err
		}
		for _, kv := range got.Kvs {
			if m, err := fleet.Machine(kv.Value); err == nil && len(found) < neighbours {
				found[m.ID] = kv.Value
			}
		}
	}
	return found, nil
}
