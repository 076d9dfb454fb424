package people

import (
	"context"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

const (
	// askAgain is how often etcd is asked whether it is still there: a watch does not say so.
	askAgain = 5 * time.Second
	// gather is how long changes are collected before they are read.
	gather = 500 * time.Millisecond
)

// errQuiet is returned when etcd has ended a watch.
var errQuiet = errors.New("the connection to etcd was lost")

// Follow calls do with the questions that the person with a key may answer: now, and after each
// change. It returns when etcd cannot be reached, ctx ends or do fails.
func (o Office) Follow(ctx context.Context, keyID string, do func([]Question) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the watch
	changes := o.Etcd.Watch(clientv3.WithRequireLeader(ctx), keyspace.Questions,
		clientv3.WithPrefix(), clientv3.WithKeysOnly())
	for {
		list, err := o.soon(ctx, keyID)
		if err == nil {
			err = do(list)
		}
		if err == nil {
			err = o.change(ctx, changes)
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(gather):
		}
	}
}

// soon is Questions with a time in which etcd must answer.
func (o Office) soon(ctx context.Context, keyID string) ([]Question, error) {
	ctx, cancel := context.WithTimeout(ctx, askAgain)
	defer cancel()
	return o.Questions(ctx, keyID)
}

// change returns nil when there is a change, and otherwise why there will be none.
func (o Office) change(ctx context.Context, changes clientv3.WatchChan) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case w, open := <-changes:
			if err := w.Err(); err != nil || !open {
				return errors.Join(errQuiet, err)
			}
			return nil
		case <-time.After(askAgain):
			asking, cancel := context.WithTimeout(ctx, askAgain)
			_, err := o.Etcd.Get(asking, keyspace.Fleet, clientv3.WithKeysOnly())
			cancel()
			if err != nil {
				return Reason(err)
			}
		}
	}
}
