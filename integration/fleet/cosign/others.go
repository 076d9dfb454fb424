package cosign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

const (
	// Wanted is how many machines are asked.
	Wanted = 2
	// looked is how many keys are looked at to find them.
	looked = 64
)

// Others returns the ids of the machines that the one with an id asks: at most two, which are
// connected.
func Others(ctx context.Context, c *clientv3.Client, f document.Fleet,
	id string) (ids []string, err error) {
	sum := sha256.Sum256([]byte("tada-cosign " + id))
	point := keyspace.Agents + "tada-" + hex.EncodeToString(sum[:8])
	for _, r := range [][2]string{{point, clientv3.GetPrefixRangeEnd(keyspace.Agents)},
		{keyspace.Agents, point}} {
		got, err := c.Get(ctx, r[0], clientv3.WithRange(r[1]), clientv3.WithKeysOnly(),
			clientv3.WithLimit(looked))
		if err != nil {
			return nil, err
		}
		for _, kv := range got.Kvs {
			parts := keyspace.Parts(string(kv.Key), keyspace.Agents, 2)
			if parts != nil && parts[1] == keyspace.Place && parts[0] != id &&
				!f.IsRevoked(parts[0]) && !slices.Contains(ids, parts[0]) {
				ids = append(ids, parts[0])
			}
			if len(ids) == Wanted {
				return ids, nil
			}
		}
	}
	return ids, nil
}

// Said returns what a witness last said of the log of a machine; the zero Answer for nothing.
func Said(ctx context.Context, c *clientv3.Client, witness, machine string) (Answer, error) {
	got, err := c.Get(ctx, keyspace.Below(keyspace.Cosigned, witness)+machine)
	if err != nil || len(got.Kvs) == 0 {
		return Answer{}, err
	}
	return ReadAnswer(got.Kvs[0].Value)
}
