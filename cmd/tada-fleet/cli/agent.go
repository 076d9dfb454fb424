package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/etcd"
	"github.com/tada-run/tada-run/approval/relay/served"
	"github.com/tada-run/tada-run/integration/fleet/agent"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// agent connects this machine until it is stopped.
func (f *fleet) agent(cmd *cobra.Command, _ []string) error {
	d, err := f.open()
	if err != nil {
		return err
	}
	defer d.Etcd.Close()
	return f.serveMachine(cmd.Context(), d)
}

// serveMachine serves the approvals of the machine, which are in etcd, to its other programs, and
// does what the fleet wants of it.
func (f *fleet) serveMachine(ctx context.Context, d desk) error {
	socket, err := served.Listen(d.l.Home().FleetSocket())
	if err != nil {
		return err
	}
	defer socket.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { cancel(f.serveApprovals(ctx, d, socket)) }()
	a := agent.Agent{Launcher: d.l, Folder: d.folder, Etcd: d.Etcd, Now: time.Now, Out: f.err}
	if err := a.Run(ctx); err != nil {
		return err
	}
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// storePause is the time between two attempts to open the approvals while etcd is away.
const storePause = 2 * time.Second

// serveApprovals serves the approvals as soon as etcd can be reached. Those that the machine had
// before it joined move there first.
func (f *fleet) serveApprovals(ctx context.Context, d desk, socket net.Listener) error {
	for {
		store, err := f.store(ctx, d)
		switch {
		case err == nil:
			defer store.Close()
			return served.Serve(ctx, socket, store)
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, approval.ErrAway):
			return err
		}
		fmt.Fprintf(f.err, "tada-fleet: %v; trying again\n", err)
		select {
		case <-ctx.Done():
		case <-time.After(storePause):
		}
	}
}

// store opens the approvals of the machine in etcd.
func (f *fleet) store(ctx context.Context, d desk) (*etcd.DB, error) {
	secret, err := d.folder.Secret()
	if err != nil {
		return nil, err
	}
	access, err := d.folder.Access()
	if err != nil {
		return nil, err
	}
	cluster, err := d.folder.Cluster()
	if err != nil {
		return nil, err
	}
	store, err := etcd.New(etcd.Options{Endpoints: d.own.Endpoints, TLS: access,
		Prefix: keyspace.States + d.own.ID, Secret: secret, Rand: rand.Reader,
		Cluster: cluster})
	if err != nil {
		return nil, err
	}
	if cluster, err = store.Cluster(ctx); err == nil {
		err = d.folder.Remember(cluster)
	}
	if err == nil {
		err = store.Import(ctx, local(d.l))
	}
	if err != nil {
		return nil, errors.Join(err, store.Close())
	}
	return store, nil
}
