package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/history"
	"github.com/tada-run/tada-run/integration/fleet/keyspace"
)

// followDocuments takes each fleet document that follows the known one. One that does not is
// reported and changes nothing.
func (a *Agent) followDocuments(ctx context.Context) error {
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
			return fmt.Errorf("this machine (%s): %w", a.own.ID, document.ErrRevoked)
		}
		return nil
	})
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
