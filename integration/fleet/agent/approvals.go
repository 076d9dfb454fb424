package agent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"net"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/bolt"
	"github.com/tada-run/tada-run/approval/etcd"
	"github.com/tada-run/tada-run/approval/relay/served"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
	"github.com/tada-run/tada-run/launcher"
)

// Secret returns the secret of the approvals that a machine has before it joins. It goes with them.
func Secret(ctx context.Context, l *launcher.Launcher) ([]byte, error) {
	return etcd.SecretOf(ctx, local(l))
}

// local is the database of approvals that the machine had before it joined.
func local(l *launcher.Launcher) *bolt.DB {
	return bolt.File(l.Home().Approvals(), l.StoreOptions())
}

// storePause is the time between two attempts to open the approvals while etcd is away.
const storePause = 2 * time.Second

// lookPause is the time between two looks whether they can be used.
const lookPause = 200 * time.Millisecond

// serveApprovals serves the approvals: who asks before etcd was reached is told so at once. Those
// that the machine had before it joined move there first.
func (a *Agent) serveApprovals(ctx context.Context, socket net.Listener) error {
	store, err := a.store()
	if err != nil {
		return err
	}
	defer store.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		if err := a.openApprovals(ctx, store); err != nil {
			cancel(err)
		}
	}()
	err = served.Serve(ctx, socket, linked{store, &a.place.link})
	return cmp.Or(context.Cause(ctx), err)
}

// openApprovals tries to open the approvals until they are there.
func (a *Agent) openApprovals(ctx context.Context, store *etcd.DB) error {
	for {
		err := a.open(ctx, store)
		switch {
		case err == nil:
			a.place.link.opened()
			return nil
		case ctx.Err() != nil:
			return nil
		case !errors.Is(err, approval.ErrAway):
			return err
		}
		a.say("%v; trying again", err)
		wait(ctx, storePause)
	}
}

// open finds the cluster that it was, and moves the approvals of the machine there.
func (a *Agent) open(ctx context.Context, store *etcd.DB) error {
	cluster, err := store.Cluster(ctx)
	if err == nil {
		err = a.Folder.Remember(cluster)
	}
	if err == nil {
		err = store.Import(ctx, local(a.Launcher))
	}
	return err
}

// store returns the approvals of the machine in etcd. Nothing is sent yet.
func (a *Agent) store() (*etcd.DB, error) {
	secret, err := a.Folder.Secret()
	if err != nil {
		return nil, err
	}
	access, err := a.Folder.Access()
	if err != nil {
		return nil, err
	}
	cluster, err := a.Folder.Cluster()
	if err != nil {
		return nil, err
	}
	return etcd.New(etcd.Options{Endpoints: a.own.Endpoints, TLS: access,
		Prefix: keyspace.States + a.own.ID, Secret: secret, Rand: rand.Reader,
		Cluster: cluster})
}

// awaitApprovals returns when the approvals can be used, or when the context ends.
func (a *Agent) awaitApprovals(ctx context.Context) {
	for ctx.Err() == nil {
		if _, connected := a.place.link.Connected(); connected {
			return
		}
		wait(ctx, lookPause)
	}
}
