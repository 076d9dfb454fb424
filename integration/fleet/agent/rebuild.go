package agent

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/etcd"
	"github.com/tada-run/tada-run/approval/relay/served"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// Rebuild rebuilds the approvals of this machine in etcd from its record, if they are damaged or
// gone there. The error wraps approval.ErrLocked while an agent runs. One that was interrupted can
// be called again; until one is done no agent serves approvals.
func (a *Agent) Rebuild(ctx context.Context) (out approval.Rebuilt, err error) {
	if a.own.Membership, err = a.Folder.Load(); err != nil {
		return out, err
	}
	socket, err := served.Listen(a.Launcher.Home().FleetSocket())
	if err != nil {
		return out, err
	}
	defer socket.Close()
	db, err := a.store()
	if err != nil {
		return out, err
	}
	a.Launcher.Use(db)
	out, err = a.Launcher.RebuildFile(ctx)
	db.Close()
	if err != nil {
		return out, err
	}
	// from here on the file is what is moved to etcd, by this or by the agent that starts next
	secret, err := etcd.SecretOf(ctx, local(a.Launcher))
	if err == nil {
		err = a.Folder.SetSecret(secret)
	}
	if err != nil {
		return out, err
	}
	if _, err := a.Etcd.Delete(ctx, keyspace.Below(keyspace.States, a.own.ID),
		clientv3.WithPrefix()); err != nil {
		return out, err
	}
	if db, err = a.store(); err != nil {
		return out, err
	}
	return out, errors.Join(a.open(ctx, db), db.Close())
}
