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

// publishEvery is how often the questions are looked at where nothing changes, and with them what
// the store need not keep any more.
const publishEvery = time.Hour

// publish keeps the published questions the same as the open ones. It looks again after each change
// of the machine's store, whoever made it, when a question expires, and when one that is published
// is gone: its lease may be lost with the servers' disk.
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
	lost := make(chan error, 2)
	for _, prefix := range []string{state, keyspace.Below(keyspace.Questions, a.own.ID)} {
		go func() {
			lost <- a.changes(ctx, prefix, got.Header.Revision+1, func(e *clientv3.Event) error {
				if prefix != state && e.Type != clientv3.EventTypeDelete {
					return nil // this agent's own work
				}
				select {
				case changed <- struct{}{}:
				default: // a look is due already
				}
				return nil
			})
		}()
	}
	if err := a.Launcher.Tidy(ctx); err != nil {
		return err
	}
	for {
		next, err := a.publishOnce(ctx)
		if err != nil {
			return err
		}
		select {
		case err := <-lost:
			return err
		case <-changed:
		case <-time.After(next):
			if err := a.Launcher.Tidy(ctx); err != nil {
				return err
			}
		}
	}
}

// publishOnce makes the published questions those that can still be answered. It returns when the
// next of them, or an answer that was not used, expires.
func (a *Agent) publishOnce(ctx context.Context) (next time.Duration, err error) {
	open, err := a.Launcher.Pending(ctx)
	if err != nil {
		return 0, err
	}
	below := keyspace.Below(keyspace.Questions, a.own.ID)
	got, err := a.Etcd.Get(ctx, below, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil {
		return 0, err
	}
	published := map[string]bool{}
	for _, kv := range got.Kvs {
		published[strings.TrimPrefix(string(kv.Key), below)] = true
	}
	next = publishEvery
	for _, e := range open {
		until := e.Expires
		if e.Decision != nil && e.UseBy.Before(until) {
			until = e.UseBy
		}
		next = min(next, until.Sub(a.Now()))
		if e.Decision != nil {
			continue
		}
		if !published[e.ID] {
			if err := a.publishOne(ctx, below+e.ID, e.ID); err != nil {
				return 0, err
			}
		}
		delete(published, e.ID)
	}
	for id := range published {
		if _, err := a.Etcd.Delete(ctx, below+id); err != nil {
			return 0, err
		}
	}
	return max(next, time.Second), nil
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
	text, err := e.Export(a.own.ID)
	if err != nil {
		return err
	}
	lease, err := a.Etcd.Grant(ctx, keyspace.Life(e.Expires.Sub(a.Now())))
	if err != nil {
		return err
	}
	_, err = a.Etcd.Put(ctx, key, string(text), clientv3.WithLease(lease.ID))
	return err
}
