package agent

import (
	"context"
	"errors"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/pages"
)

// each calls do for what is below a prefix now, and then for each change there; deleted keys are
// not among them. It returns when the watch is lost, or with the error of do.
func (a *Agent) each(ctx context.Context, prefix string,
	do func(key string, value []byte) error) error {
	rev, err := a.now(ctx, prefix, do)
	if err != nil {
		return err
	}
	return a.changes(ctx, prefix, rev+1, func(e *clientv3.Event) error {
		if e.Type != clientv3.EventTypePut {
			return nil
		}
		return do(string(e.Kv.Key), e.Kv.Value)
	})
}

// now calls do for what is below a prefix, and returns of which revision that was.
func (a *Agent) now(ctx context.Context, prefix string,
	do func(key string, value []byte) error) (rev int64, err error) {
	return pages.Each(ctx, a.Etcd, prefix, func(kv *mvccpb.KeyValue) (string, error) {
		return "", do(string(kv.Key), kv.Value)
	})
}

// errWatch is returned when etcd ends a watch.
var errWatch = errors.New("the connection to etcd was lost")

// changes calls do for each change below a prefix from a revision on.
func (a *Agent) changes(ctx context.Context, prefix string, from int64,
	do func(*clientv3.Event) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the watch
	for w := range a.Etcd.Watch(clientv3.WithRequireLeader(ctx), prefix, clientv3.WithPrefix(),
		clientv3.WithRev(from)) {
		if err := w.Err(); err != nil {
			return err
		}
		for _, e := range w.Events {
			if err := do(e); err != nil {
				return err
			}
		}
	}
	return errWatch
}

// follow calls do for what is below a prefix, as each does, and again for all of it with each fleet
// document: what did not count by the one before may be signed by administrators of this one.
// again says which it is.
func (a *Agent) follow(ctx context.Context, prefix string,
	do func(key string, value []byte, again bool) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	document := a.orders.learned.wait() // before the first look, or one could come between
	lost := make(chan error, 1)
	go func() {
		lost <- a.each(ctx, prefix, func(key string, value []byte) error {
			return do(key, value, false)
		})
	}()
	for {
		select {
		case err := <-lost:
			return err
		case <-document:
		}
		document = a.orders.learned.wait()
		if _, err := a.now(ctx, prefix, func(key string, value []byte) error {
			return do(key, value, true)
		}); err != nil {
			cancel()
			<-lost
			return err
		}
	}
}
