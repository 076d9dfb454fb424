package agent

import (
	"context"
	"fmt"

	"github.com/tada-run/tada-run/integration/fleet/document"
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
		if err != nil {
			a.say("the fleet document in etcd is not taken: %v", err)
			return nil
		}
		if fleet.IsRevoked(a.own.ID) {
			return fmt.Errorf("this machine (%s): %w", a.own.ID, document.ErrRevoked)
		}
		return nil
	})
}
