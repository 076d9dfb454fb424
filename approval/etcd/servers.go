package etcd

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/tada-run/tada-run/approval"
)

// servers sends requests to the etcd cluster and checks that it is always the same one.
type servers struct {
	place
	client  *clientv3.Client
	cluster atomic.Uint64 // the id of the cluster; 0 until it is known
}

const (
	// A server that does not answer for so long is given up, and another one is asked.
	patience = 3 * time.Second
	// what the servers can make this process read at once; four times a page of records
	maxAnswer = 64 << 20
	// the wait between two tries
	pause = 50 * time.Millisecond
)

// connect returns at once; the first request connects.
func connect(o Options) (*servers, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:          o.Endpoints,
		TLS:                o.TLS,
		Logger:             zap.NewNop(), // errors are returned
		MaxCallRecvMsgSize: maxAnswer,
		// A server that was stopped, or is behind a partition, is noticed when it does not answer
		// these pings. Servers refuse more frequent ones.
		DialKeepAliveTime:    6 * time.Second,
		DialKeepAliveTimeout: 2 * time.Second,
		PermitWithoutStream:  true,
	})
	if err != nil {
		return nil, &approval.ConfigError{Name: "etcd endpoints",
			Value: fmt.Sprintf("%q", o.Endpoints), Need: err.Error()}
	}
	s := &servers{place: o.path(), client: client}
	s.cluster.Store(o.Cluster)
	return s, nil
}

// known remembers the first cluster and refuses every other one.
func (s *servers) known(id uint64) error {
	if s.cluster.CompareAndSwap(0, id) || s.cluster.Load() == id {
		return nil
	}
	return s.fail(approval.ErrMeddled, fmt.Sprintf("its servers belong to cluster %x, the "+
		"approvals to cluster %x; correct the endpoints", id, s.cluster.Load()))
}

// get reads. It asks again until a server answers or ctx ends: reading twice changes nothing.
func (s *servers) get(ctx context.Context, key string, o ...clientv3.OpOption,
) (*clientv3.GetResponse, error) {
	for {
		limited, cancel := context.WithTimeout(ctx, patience)
		r, err := s.client.Get(limited, key, o...)
		cancel()
		if err == nil {
			return r, s.known(r.Header.ClusterId)
		}
		if err := s.again(ctx, err); err != nil {
			return nil, err
		}
	}
}

// put writes a part: a key that no one else writes, so it may be written twice.
func (s *servers) put(ctx context.Context, key string, value []byte) error {
	for {
		limited, cancel := context.WithTimeout(ctx, patience)
		r, err := s.client.Put(limited, key, string(value))
		cancel()
		if err == nil {
			return s.known(r.Header.ClusterId)
		}
		if err := s.again(ctx, err); err != nil {
			return err
		}
	}
}

// again waits and returns nil if a request should be sent again.
func (s *servers) again(ctx context.Context, err error) error {
	if final(err) {
		return s.explain(err)
	}
	select {
	case <-ctx.Done():
		return s.away(ctx, err)
	case <-time.After(pause):
		return nil
	}
}

// txn writes, if the guard holds, and returns the revision that it made; 0 if the guard does not
// hold. It is sent once: after an error that is not final it may have been done or not, or may be
// done later.
func (s *servers) txn(ctx context.Context, guard clientv3.Cmp, do ...clientv3.Op) (int64, error) {
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	r, err := s.client.Txn(limited).If(guard).Then(do...).Commit()
	if err != nil {
		return 0, err
	}
	if err := s.known(r.Header.ClusterId); err != nil || !r.Succeeded {
		return 0, err
	}
	return r.Header.Revision, nil
}
