package agent

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.etcd.io/etcd/client/v3/concurrency"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval/canonical"
	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

const (
	// placeLife is how long the place of an agent that was killed stays taken, in seconds.
	placeLife = 10
	// seenEvery is how often a machine says that it is there.
	seenEvery = time.Minute
)

// holdPlace takes the machine's place and says from time to time that it is there.
func (a *Agent) holdPlace(ctx context.Context) error {
	session, err := concurrency.NewSession(a.Etcd, concurrency.WithTTL(placeLife),
		concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer session.Close()
	if err := a.takePlace(ctx, session.Lease()); err != nil {
		return err
	}
	for {
		if err := a.saySeen(ctx); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-session.Done():
			return errWatch
		case <-a.news:
		case <-time.After(seenEvery):
		}
	}
}

// takePlace waits as long as an agent of this machine that was killed would hold the place. One
// that still holds it then is alive: another machine has a copy of this one's key.
func (a *Agent) takePlace(ctx context.Context, lease clientv3.LeaseID) error {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	key := keyspace.Agents + a.own.ID + "/place"
	mine := fmt.Sprintf("%s, process %d", host, os.Getpid())
	for range 2 * placeLife {
		got, err := a.Etcd.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(clientv3.OpPut(key, mine, clientv3.WithLease(lease))).
			Else(clientv3.OpGet(key)).Commit()
		if err != nil {
			return err
		}
		if got.Succeeded {
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

// saySeen stores what the machine says of itself.
func (a *Agent) saySeen(ctx context.Context) error {
	said := plan.Fields{"time": plan.FormatTime(a.Now())}
	if head, err := a.Launcher.Head(); err == nil {
		said["head"] = head.String()
	}
	if policies, err := a.standing(); err == nil {
		said["policies"] = policies
	}
	value, err := canonical.Append(nil, map[string]any(said))
	if err != nil {
		return err
	}
	_, err = a.Etcd.Put(ctx, keyspace.Seen+a.own.ID+"/said", string(value))
	return err
}
