package agent

import (
	"context"
	"errors"
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
	// silence is after how long an agent that holds the place and says nothing is dead. One of an
	// earlier version, which does not hear a knock, says once a minute that it is there.
	silence = 80 * time.Second
)

// holdPlace takes the machine's place and holds it as long as the servers answer.
func (a *Agent) holdPlace(ctx context.Context) error {
	session, err := concurrency.NewSession(a.Etcd, concurrency.WithTTL(placeLife),
		concurrency.WithContext(ctx))
	if err != nil {
		return err
	}
	defer a.leavePlace(session.Lease())
	rev, err := a.takePlace(ctx, session.Lease())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	lost := make(chan error, 1)
	go func() { lost <- a.guardPlace(ctx, rev) }()
	a.place.link.is(true, a.Now())
	a.say("connected to fleet %q as machine %s (%s)", a.own.Fleet, a.own.ID, a.own.Name)
	defer func() { a.place.link.is(false, a.Now()) }()
	select {
	case <-ctx.Done():
		return nil
	case <-session.Done():
		return errWatch
	case err := <-lost:
		return err
	}
}

// errMissed is why an agent lost its place: another one of this machine took it for dead.
var errMissed = errors.New("another agent of this machine has taken its place")

// guardPlace answers who knocks, and returns when another agent has the place. A watch that is lost
// is begun again: that alone does not end a lease.
func (a *Agent) guardPlace(ctx context.Context, rev int64) error {
	below := keyspace.Below(keyspace.Agents, a.own.ID)
	heard := func(key string, value []byte) error {
		switch {
		case string(value) == a.name():
		case key == below+keyspace.Knock:
			a.hasNews()
		case key == below+keyspace.Place:
			return errMissed
		}
		return nil
	}
	for ctx.Err() == nil {
		err := a.changes(ctx, below, rev+1, func(e *clientv3.Event) error {
			if e.Type != clientv3.EventTypePut {
				return nil
			}
			return heard(string(e.Kv.Key), e.Kv.Value)
		})
		for !errors.Is(err, errMissed) && ctx.Err() == nil {
			wait(ctx, time.Second)
			if rev, err = a.now(ctx, below, heard); err == nil {
				break
			}
		}
		if errors.Is(err, errMissed) {
			return err
		}
	}
	return nil
}

// leavePlace frees the place for the next agent, also when this one is told to end: a session that
// ends with its context leaves its lease.
func (a *Agent) leavePlace(lease clientv3.LeaseID) {
	ctx, cancel := context.WithTimeout(context.Background(), leaveWithin)
	defer cancel()
	_, _ = a.Etcd.Revoke(ctx, lease) // else it is free when the lease ends
}

// takePlace waits as long as an agent of this machine that was killed would hold the place. One
// that still holds it then, and says something, is alive: another machine has a copy of this one's
// key. One that says nothing is dead, and its place is taken: every member of some versions of etcd
// can keep a lease alive, also another one's. It returns of which revision the place is.
func (a *Agent) takePlace(ctx context.Context, lease clientv3.LeaseID) (rev int64, err error) {
	below := keyspace.Below(keyspace.Agents, a.own.ID)
	key := below + keyspace.Place
	put := clientv3.OpPut(key, a.name(), clientv3.WithLease(lease))
	mine := clientv3.Compare(clientv3.Value(key), "=", a.name())
	var knocked int64
	for began, n := time.Now(), 0; ; n++ {
		// it is free, or this agent's from before it lost the connection
		got, err := a.Etcd.Txn(ctx).If(clientv3.Compare(clientv3.CreateRevision(key), "=", 0)).
			Then(put).
			Else(clientv3.OpTxn([]clientv3.Cmp{mine}, []clientv3.Op{put}, nil)).Commit()
		if err == nil {
			err = a.sameCluster(got.Header.ClusterId)
		}
		if err != nil {
			return 0, err
		}
		if got.Succeeded || got.Responses[0].GetResponseTxn().Succeeded {
			return got.Header.Revision, nil
		}
		if knocked == 0 {
			knock, err := a.Etcd.Put(ctx, below+keyspace.Knock, a.name(), clientv3.WithLease(lease))
			if err != nil {
				return 0, err
			}
			knocked = knock.Header.Revision
		}
		if n >= 2*placeLife || time.Since(began) > a.place.silence {
			rev, err := a.replace(ctx, put, knocked, time.Since(began) > a.place.silence)
			if rev > 0 || err != nil {
				return rev, err
			}
		}
		wait(ctx, time.Second)
	}
}

// replace takes the place of an agent that is dead, and returns of which revision it is; 0 if it
// did not. The error is ErrTaken for one that has said something since a knock.
func (a *Agent) replace(ctx context.Context, put clientv3.Op, knocked int64,
	dead bool) (rev int64, err error) {
	key := string(put.KeyBytes())
	got, err := a.Etcd.Txn(ctx).Then(clientv3.OpGet(key), clientv3.OpGet(
		keyspace.Below(keyspace.Seen, a.own.ID)+keyspace.Said)).Commit()
	if err != nil {
		return 0, err
	}
	holds := got.Responses[0].GetResponseRange().Kvs
	said := got.Responses[1].GetResponseRange().Kvs
	switch {
	case len(holds) == 0:
		return 0, nil
	case len(said) > 0 && said[0].ModRevision > knocked:
		return 0, fmt.Errorf("%w: %q. If that is not this machine, it has a copy of this one's "+
			"key; try: tadactl fleet revoke %s, and let both join again", ErrTaken,
			holds[0].Value, a.own.ID)
	case !dead:
		return 0, nil
	}
	done, err := a.Etcd.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(key), "=",
		holds[0].ModRevision)).Then(put).Commit()
	if err != nil || !done.Succeeded {
		return 0, err
	}
	a.say("%q held the place of this machine and said nothing; it is this agent's now",
		holds[0].Value)
	return done.Header.Revision, nil
}

// sameCluster returns an error for servers that are another cluster than the one that has the
// approvals of the machine.
func (a *Agent) sameCluster(cluster uint64) error {
	known, err := a.Folder.Cluster()
	if err != nil || known == 0 || known == cluster {
		return err
	}
	return fmt.Errorf("%w: the servers at %q belong to cluster %x, the approvals of this machine "+
		"to cluster %x; correct the endpoints", approval.ErrMeddled, a.own.Endpoints, cluster,
		known)
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
