package approval_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/etcd"
	"github.com/tada-run/tada-run/integration/served"
)

// etcdBackend opens the same prefix every time, with a connection of its own.
type etcdBackend struct {
	testing.TB
	o etcd.Options
}

func (b etcdBackend) Open(o approval.Options) (*approval.Store, error) {
	db, err := etcd.New(b.o)
	if err != nil {
		return nil, err
	}
	b.Cleanup(func() { db.Close() })
	return approval.Open(db, o)
}

func TestEtcd(t *testing.T) {
	cluster := served.StartEtcd(t, 1)
	var n atomic.Int64
	testStore(t, func(t testing.TB) backend {
		return etcdBackend{t, etcd.Options{Endpoints: cluster.Endpoints(), Rand: rand.Reader,
			Prefix: fmt.Sprintf("tada/%d", n.Add(1)), Secret: bytes.Repeat([]byte("s"), 32)}}
	})
}
