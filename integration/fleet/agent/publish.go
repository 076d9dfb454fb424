package agent

import (
	"context"
	"errors"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// publish keeps the published questions the same as the open ones. It looks again after each change
// of the machine's store, whoever made it.
func (a *Agent) publish(ctx context.Context) error {
	a.awaitApprovals(ctx)
	state := keyspace.Below(keyspace.States, a.own.ID)
	got, err := a.Etcd.Get(ctx, state, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	changed := make(chan struct{}, 1)
	lost := make(chan error, 1)
	go func() {
		lost <- a.changes(ctx, state, got.Header.Revision+1, func(*clientv3.Event) error {
			select {
			case changed <- struct{}{}:
			default: // a look is due already
			}
			return nil
		})
	}()
	for {
		if err := a.publishOnce(ctx); err != nil {
			return err
		}
		select {
		case err := <-lost:
			return err
		case <-changed:
		}
	}
}

// publishOnce makes the published questions those that can still be answered.
func (a *Agent) publishOnce(ctx context.Context) error {
	open, err := a.Launcher.Pending(ctx)
	if err != nil {
		return err
	}
	below := keyspace.Below(keyspace.Questions, a.own.ID)
	got, err := a.Etcd.Get(ctx, below, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return err
	}
	published := map[string]bool{}
	for _, kv := range got.Kvs {
		published[strings.TrimPrefix(string(kv.Key), below)] = true
	}
	for _, e := range open {
		if e.Decision != nil {
			continue
		}
		if !published[e.ID] {
			if err := a.publishOne(ctx, below+e.ID, e.ID); err != nil {
				return err
			}
		}
		delete(published, e.ID)
	}
	for id := range published {
		if _, err := a.Etcd.Delete(ctx, below+id); err != nil {
			return err
		}
	}
	return nil
}

// publishOne publishes a question until it expires.
func (a *Agent) publishOne(ctx context.Context, key, id string) error {
	e, err := a.Launcher.Envelope(ctx, id) // with its plan, which a list leaves out
	if errors.Is(err, approval.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	left := e.Expires.Sub(a.Now())
	if left < time.Second {
		return nil
	}
	text, err := e.Export(a.own.ID)
	if err != nil {
		return err
	}
	lease, err := a.Etcd.Grant(ctx, int64(left/time.Second))
	if err != nil {
		return err
	}
	_, err = a.Etcd.Put(ctx, key, string(text), clientv3.WithLease(lease.ID))
	return err
}
