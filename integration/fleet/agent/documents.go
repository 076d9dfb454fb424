package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/history"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// followDocuments takes each fleet document that follows the known one. One that does not is
// reported and changes nothing.
func (a *Agent) followDocuments(ctx context.Context) error {
	err := a.eachDocument(ctx)
	if !denied(err) {
		return err
	}
	return cmp.Or(a.expelled(ctx), err)
}

// askedWithin is how long the registrar may take to say whether this machine was revoked.
const askedWithin = 5 * time.Second

// expelled asks the registrar for what etcd lets a machine that was revoked no longer read: the
// document that revokes it. It returns nil where there is none.
func (a *Agent) expelled(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, askedWithin)
	defer cancel()
	if fleet, _ := a.Folder.Ask(ctx); fleet.IsRevoked(a.own.ID) {
		return a.revoked()
	}
	return nil
}

// denied reports whether etcd does not know the machine, or allows it too little.
func denied(err error) bool {
	code := status.Code(err)
	if e, ok := errors.AsType[rpctypes.EtcdError](err); ok {
		code = e.Code()
	}
	return code == codes.PermissionDenied || code == codes.Unauthenticated
}

// revoked is what ends the agent of a machine that is no longer a member.
func (a *Agent) revoked() error {
	return fmt.Errorf("this machine (%s): %w", a.own.ID, document.ErrRevoked)
}

func (a *Agent) eachDocument(ctx context.Context) error {
	var last int64
	return a.each(ctx, keyspace.Fleet, func(key string, text []byte) error {
		if key != keyspace.Fleet {
			return nil
		}
		fleet, err := a.Folder.Learn(text)
		if errors.Is(err, document.ErrUnsigned) { // perhaps by administrators that are new here
			if fleet, err = a.catchUp(ctx, fleet); err == nil {
				err = a.unsigned(text) // it may be replaced already
			}
		}
		if err != nil {
			a.say("the fleet document in etcd is not taken: %v", err)
		}
		if fleet.IsRevoked(a.own.ID) {
			return a.revoked()
		}
		if fleet.Serial != last {
			last = fleet.Serial
			a.orders.learned.tell()
		}
		return a.moved()
	})
}

// moved returns ErrMoved if etcd is somewhere else than where this agent is connected.
func (a *Agent) moved() error {
	m, err := a.Folder.Load()
	if err == nil && !slices.Equal(m.Endpoints, a.own.Endpoints) {
		err = fmt.Errorf("%w: %q", ErrMoved, m.Endpoints)
	}
	return err
}

// unsigned returns why a document is not taken that the newest known administrators have not signed
// either; nil for another one.
func (a *Agent) unsigned(text []byte) error {
	if _, err := a.Folder.Learn(text); errors.Is(err, document.ErrUnsigned) {
		return err
	}
	return nil
}

// catchUp takes the documents that lead to the newest one.
func (a *Agent) catchUp(ctx context.Context, known document.Fleet) (document.Fleet, error) {
	way, err := history.Newest(ctx, a.Etcd, known)
	if err != nil {
		return known, err
	}
	for _, text := range way.Texts {
		if known, err = a.Folder.Learn(text); err != nil {
			return known, err
		}
	}
	return known, way.Refused
}
