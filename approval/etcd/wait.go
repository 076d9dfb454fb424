package etcd

import (
	"context"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
)

const (
	// A wait looks at least so often: a watch may end without a trace, such as at a server that
	// was stopped.
	maxSilence = 20 * time.Second
	// the wait before a watch that ended is begun again
	rewatch = 200 * time.Millisecond
)

// Await implements [approval.DB]. All waits of a process share one watch of the log.
func (b *DB) Await(ctx context.Context, id string, look approval.Look) error {
	bell, first := b.bells.hang(id)
	defer b.bells.drop(id, bell)
	if first {
		b.watch()
	}
	for {
		again, done, err := look()
		if done || err != nil {
			return err
		}
		timer := time.NewTimer(min(again, maxSilence))
		select {
		case <-ctx.Done():
		case <-bell:
		case <-timer.C:
		}
		timer.Stop()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// watch begins the watch, which goes on until the last bell is dropped.
func (b *DB) watch() {
	ctx, cancel := context.WithCancel(b.client.Ctx())
	b.bells.mu.Lock()
	defer b.bells.mu.Unlock()
	if b.bells.stop != nil || len(b.bells.waiting) == 0 {
		cancel()
		return
	}
	b.bells.stop = cancel
	go func() {
		for ctx.Err() == nil {
			b.listen(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(rewatch):
			}
		}
	}()
}

// listen wakes those whose questions a commit has changed, until the watch ends. What happened
// before the watch began is not in it, so everyone looks when it begins; that is also what helps
// if the servers forgot the commits since an earlier watch.
func (b *DB) listen(ctx context.Context) {
	// a server without a leader ends the watch, and the next server is asked
	ctx, cancel := context.WithCancel(clientv3.WithRequireLeader(ctx))
	defer cancel()
	for r := range b.client.Watch(ctx, b.o.recordsKey(), clientv3.WithPrefix(),
		clientv3.WithCreatedNotify(), clientv3.WithFilterDelete()) {
		if r.Created || r.Err() != nil {
			b.bells.ringAll()
		}
		if r.Err() != nil || b.known(r.Header.ClusterId) != nil {
			return
		}
		for _, e := range r.Events {
			b.tell(e.Kv.Value)
		}
	}
}

// tell wakes those who wait for what a record has changed. A record that cannot be read wakes
// everyone: their looks say what is wrong.
func (b *DB) tell(value []byte) {
	b.bells.ring(approval.AnyQuestion)
	r, err := readRecord(value)
	if err != nil || r.inline == nil {
		b.bells.ringAll()
		return
	}
	c, err := readChanges(r.inline)
	if err != nil {
		b.bells.ringAll()
	}
	for _, id := range c.changed {
		b.bells.ring(id)
	}
}
