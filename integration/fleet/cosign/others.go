package cosign

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

const (
	// Wanted is how many machines are asked.
	Wanted = 2
	// looked is how many machines are looked at to find them.
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
		for range looked {
			other, err := next(ctx, c, &r[0], r[1])
			if err != nil {
				return nil, err
			}
			if other == "" {
				break
			}
			if other != id && !f.IsRevoked(other) && !slices.Contains(ids, other) {
				ids = append(ids, other)
			}
			if len(ids) == Wanted {
				return ids, nil
			}
		}
	}
	return ids, nil
}

// next returns the first machine from a key on that is connected, and goes on to the one after it;
// "" if there is none. Of each, one key is read: it may have any number of them.
func next(ctx context.Context, c *clientv3.Client, from *string, end string) (string, error) {
	for *from < end {
		got, err := c.Get(ctx, *from, clientv3.WithRange(end), clientv3.WithKeysOnly(),
			clientv3.WithLimit(1))
		if err != nil || len(got.Kvs) == 0 {
			return "", err
		}
		id, _, _ := strings.Cut(strings.TrimPrefix(string(got.Kvs[0].Key), keyspace.Agents), "/")
		below := keyspace.Below(keyspace.Agents, id)
		*from = clientv3.GetPrefixRangeEnd(below)
		place, err := c.Get(ctx, below+keyspace.Place, clientv3.WithCountOnly())
		if err != nil || place.Count > 0 {
			return id, err
		}
	}
	return "", nil
}

// Said returns what a witness last said of the log of a machine; the zero Answer for nothing.
func Said(ctx context.Context, c *clientv3.Client, witness, machine string) (Answer, error) {
	got, err := c.Get(ctx, keyspace.Below(keyspace.Cosigned, witness)+machine)
	if err != nil || len(got.Kvs) == 0 {
		return Answer{}, err
	}
	return ReadAnswer(got.Kvs[0].Value)
}
