package people

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/history"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// An Office is a person's view of a fleet, at a machine of the person.
type Office struct {
	Etcd  *clientv3.Client
	Known document.Fleet // the newest document that this machine has seen
}

// ErrRace is returned when another administrator was faster.
var ErrRace = errors.New("another administrator changed it at the same time; try again")

// Fleet returns the fleet document that etcd has. The error is document.ErrOlder or ErrUnsigned for
// one that does not follow the document that this machine knows.
func (o Office) Fleet(ctx context.Context) (document.Fleet, error) {
	f, _, err := o.fleet(ctx)
	return f, err
}

func (o Office) fleet(ctx context.Context) (document.Fleet, int64, error) {
	way, err := history.Newest(ctx, o.Etcd, o.Known)
	if err != nil {
		return document.Fleet{}, 0, Reason(err)
	}
	if way.Refused != nil {
		return document.Fleet{}, 0, way.Refused
	}
	return way.Fleet, way.Revision, nil
}

// Change changes the fleet document and signs it. A change of the administrators of a fleet that
// has several takes a second signature: then the signed text is returned, and nothing was stored.
func (o Office) Change(ctx context.Context, key approval.Key,
	change func(*document.Fleet) error) (unfinished []byte, err error) {
	f, at, err := o.fleet(ctx)
	if err != nil {
		return nil, err
	}
	next := f.Copy()
	next.Serial++
	if err := change(&next); err != nil {
		return nil, err
	}
	next.Remember(f.Registrar)
	text, err := next.Sign(key)
	if err != nil {
		return nil, err
	}
	if _, err := f.Follows(text); errors.Is(err, document.ErrTwo) {
		return text, nil
	} else if err != nil {
		return nil, err
	}
	return nil, o.store(ctx, history.Store(f, next, text), at)
}

// Review returns in lines what a change does that another administrator has signed, and who did.
func (o Office) Review(ctx context.Context, text []byte) (lines, by []string, err error) {
	f, err := o.Fleet(ctx)
	if err != nil {
		return nil, nil, err
	}
	next, by, err := f.Proposed(text)
	return f.Differences(next), by, err
}

// Finish adds the second signature to a change and stores it.
func (o Office) Finish(ctx context.Context, key approval.Key, text []byte) error {
	f, at, err := o.fleet(ctx)
	if err != nil {
		return err
	}
	if text, err = f.Cosign(text, key); err != nil {
		return err
	}
	next, err := f.Follows(text)
	if err != nil {
		return err
	}
	return o.store(ctx, history.Store(f, next, text), at)
}

// store replaces the fleet document, if it is still the one that was read.
func (o Office) store(ctx context.Context, do []clientv3.Op, at int64) error {
	done, err := o.Etcd.Txn(ctx).
		If(clientv3.Compare(clientv3.ModRevision(keyspace.Fleet), "=", at)).
		Then(do...).Commit()
	if err != nil {
		return Reason(err)
	}
	if !done.Succeeded {
		return ErrRace
	}
	return nil
}

// Reason says what an error of etcd means here.
func Reason(err error) error {
	switch {
	case errors.Is(err, rpctypes.ErrPermissionDenied):
		return fmt.Errorf("this machine may not do that in the fleet: it was invited without "+
			"--people, or was revoked (%w)", err)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("etcd cannot be reached (%w); try: tadactl fleet status", err)
	}
	return err
}
