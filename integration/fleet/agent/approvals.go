package agent

import (
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

// serveApprovals serves the approvals as soon as etcd can be reached. Those that the machine had
// before it joined move there first.
func (a *Agent) serveApprovals(ctx context.Context, socket net.Listener) error {
	for {
		store, err := a.store(ctx)
		switch {
		case err == nil:
			defer store.Close()
			return served.Serve(ctx, socket, linked{store, &a.place.link})
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, approval.ErrAway):
			return err
		}
		a.say("%v; trying again", err)
		wait(ctx, storePause)
	}
}

// store opens the approvals of the machine in etcd. Those of the file move there first.
func (a *Agent) store(ctx context.Context) (*etcd.DB, error) {
	store, err := a.database()
	if err != nil {
		return nil, err
	}
	cluster, err := store.Cluster(ctx)
	if err == nil {
		err = a.Folder.Remember(cluster)
	}
	if err == nil {
		err = store.Import(ctx, local(a.Launcher))
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}

// database is that of the machine in etcd. Nothing is sent yet.
func (a *Agent) database() (*etcd.DB, error) {
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
