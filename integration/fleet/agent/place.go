package agent

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

const (
	// placeLife is how long the place of an agent that was killed stays taken, in seconds.
	placeLife = 10
	// leaveWithin is how long an agent that ends may take to free it.
	leaveWithin = 2 * time.Second
)

// holdPlace takes the machine's place and holds it as long as the servers answer.
func (a *Agent) holdPlace(ctx context.Context) error {
	session, err := concurrency.NewSession(a.Etcd, concurrency.WithTTL(placeLife),
		concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer a.leavePlace(session.Lease())
	if err := a.takePlace(ctx, session.Lease()); err != nil {
		return err
	}
	a.place.link.is(true, a.Now())
	a.say("connected to fleet %q as machine %s (%s)", a.own.Fleet, a.own.ID, a.own.Name)
	defer func() { a.place.link.is(false, a.Now()) }()
	select {
	case <-ctx.Done():
		return nil
	case <-session.Done():
		return errWatch
	}
}

// leavePlace frees the place for the next agent, also when this one is told to end: a session that
// ends with its context leaves its lease.
func (a *Agent) leavePlace(lease clientv3.LeaseID) {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	_, _ = a.Etcd.Revoke(ctx, lease) // else it is free when the lease ends
}

// takePlace waits as long as an agent of this machine that was killed would hold the place. One
// that still holds it then is alive: another machine has a copy of this one's key.
func (a *Agent) takePlace(ctx context.Context, lease clientv3.LeaseID) error {
	key, mine := keyspace.Below(keyspace.Agents, a.own.ID)+keyspace.Place, a.name()
	put := clientv3.OpPut(key, mine, clientv3.WithLease(lease))
	for range 2 * placeLife {
		// it is free, or this agent's from before it lost the connection
		got, err := a.Etcd.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(put).
			Else(clientv3.OpTxn([]clientv3.Cmp{clientv3.Compare(clientv3.Value(key), "=", mine)},
				[]clientv3.Op{put}, nil)).Commit()
		if err == nil {
			err = a.sameCluster(got.Header.ClusterId)
		}
		if err != nil {
			return err
		}
		if got.Succeeded || got.Responses[0].GetResponseTxn().Succeeded {
			return nil
		}
		wait(ctx, time.Second)
	}
	got, err := a.Etcd.Get(ctx, key)
	if err != nil || len(got.Kvs) == 0 {
		return errWatch
	}
	return fmt.Errorf("%w: %q. If that is not this machine, it has a copy of this one's key; "+
		"try: tadactl fleet revoke %s, and let both join again", ErrTaken, got.Kvs[0].Value,
		a.own.ID)
}

// sameCluster returns an error for servers that are another cluster than the one that has the
// approvals of the machine.
func (a *Agent) sameCluster(cluster uint64) error {
	known, err := a.Folder.Cluster()
	if err != nil || known == 0 || known == cluster {
		return err
	}
	return fmt.Errorf("%w: the servers at %q belong to cluster %x, the approvals of this machine "+
		"to cluster %x; correct the endpoints", approval.ErrMeddled, a.own.Endpoints, cluster, known)
}

// name is what this agent is called in the place that it holds: like no other's, even where two
// machines have the same name and the same processes.
func (a *Agent) name() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("%s, process %d, %s", host, os.Getpid(), a.place.unique)
}
