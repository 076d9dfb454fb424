package etcd

import (
	"context"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
)

// A DB is the [approval.DB] below one prefix of an etcd cluster. It holds a connection and a copy
// of everything that is stored there: a process opens one and uses it for all its calls.
type DB struct {
	*servers
	*local
	o   Options
	key []byte // of the heads' seals

	jobs  queue
	bells bells
}

var _ approval.DB = (*DB)(nil)

// New returns the database, which connects with its first use. It fails with
// *[approval.ConfigError].
func New(o Options) (*DB, error) {
	o, err := o.checked()
	if err != nil {
		return nil, err
	}
	s, err := connect(o)
	if err != nil {
		return nil, err
	}
	return &DB{servers: s, local: newLocal(), o: o, key: headKey(o.Secret)}, nil
}

// Close ends the connection and the calls that are waiting.
func (b *DB) Close() error { return b.client.Close() }

// Path implements [approval.DB]: it names the servers and the prefix.
func (b *DB) Path() string { return string(b.place) }

// Cluster returns the id of the cluster, which it asks for if no call has; see [Options.Cluster].
func (b *DB) Cluster(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, b.o.Wait)
	defer cancel()
	_, err := b.get(ctx, b.o.headKey(), clientv3.WithKeysOnly())
	return b.cluster.Load(), err
}
