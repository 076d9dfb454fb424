package ship

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"filippo.io/age"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A Check proves records from a bucket.
type Check struct {
	Bucket     *Bucket
	Fleet      document.Fleet // see Newest
	Identities []age.Identity
	Ask        bool // the witnesses what they have seen last: the bucket may have lost it
	way
}

// A way is how Newest came from the document that it began with to the newest one.
type way struct {
	first   int64 // the serial that it began with
	newest  int64 // that the bucket has
	sums    map[int64]string
	refused map[place]error
}

// A place is where a fleet document is stored.
type place struct {
	id     string // of the machine
	serial int64
}

// Machines lists the machines of which the bucket has anything.
func (c Check) Machines(ctx context.Context) (ids []string, err error) {
	after := ""
	for {
		id := ""
		for name, err := range c.Bucket.list(ctx, "", after) {
			if err != nil {
				return nil, err
			}
			if first, _, _ := strings.Cut(name, "/"); name > after && document.IsMachineID(first) {
				id = first
				break
			}
		}
		if id == "" {
			return ids, nil
		}
		if len(ids) == c.Bucket.machines {
			return nil, errMachines
		}
		ids, after = append(ids, id), id+"0" // which sorts behind all that is below the id
	}
}

// document reads the fleet document that a machine has stored with a serial. refused says why it
// cannot be one of the fleet; errSealed that no identity here can read it.
func (c Check) document(ctx context.Context, id string, serial int64) (text []byte, refused,
	err error) {
	stored, err := c.Bucket.get(ctx, documentName(id, serial), maxStored)
	if err != nil {
		return nil, nil, err
	}
	text, err = unseal(stored, document.MaxSize, c.Identities)
	if errors.Is(err, errSealed) {
		return nil, nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("it was changed: %w", err), nil
	}
	name, is, err := document.Claims(text)
	if err != nil {
		return nil, err, nil
	}
	if is != serial || c.Fleet.Name != "" && name != c.Fleet.Name {
		return nil, fmt.Errorf("it is document %d of fleet %q", is, name), nil
	}
	return text, nil, nil
}
