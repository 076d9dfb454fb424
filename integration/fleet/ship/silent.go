package ship

import (
	"context"
	"errors"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// kept requires the records that the manifests of a machine name to be there.
func (c Check) kept(ctx context.Context, t *told) error {
	if len(t.met) == 0 {
		return nil
	}
	for name, err := range c.Bucket.list(ctx, t.h.id+metFolder, "") {
		if err != nil {
			return err
		}
		delete(t.met, name)
	}
	for name, number := range t.met {
		other, _, _ := metOf(t.h.id, name)
		return t.h.broken("the record of machine %q, which manifest %d has, was removed", other,
			number)
	}
	return nil
}

// Silent returns the machines that joined and of which the bucket has nothing: others have stored
// their records. there are those of which it has anything. Only those of which no other machine has
// stored the record are not known.
func (c Check) Silent(ctx context.Context, there map[string]bool) ([]document.Machine, error) {
	found := map[string]bool{}
	var list []document.Machine
	for id := range there {
		for name, err := range c.Bucket.list(ctx, id+metFolder, "") {
			if err != nil {
				return nil, err
			}
			other, hash, ok := metOf(id, name)
			if !ok || there[other] || found[other] {
				continue
			}
			m, err := c.metMachine(ctx, name, hash)
			if err != nil {
				return nil, err
			}
			if m.ID == other {
				found[other], list = true, append(list, m)
			}
		}
	}
	return list, nil
}

// metMachine reads the record of a member; the zero Machine for what is none, or is none any more.
func (c Check) metMachine(ctx context.Context, name, hash string) (document.Machine, error) {
	stored, err := c.Bucket.get(ctx, name, maxStored)
	if errors.Is(err, errNone) {
		return document.Machine{}, nil
	}
	if err != nil {
		return document.Machine{}, err
	}
	text, err := unseal(stored, document.MaxSize, c.Identities)
	if err != nil || sum(text) != hash {
		return document.Machine{}, nil
	}
	m, err := c.Fleet.Machine(text)
	if err != nil {
		return document.Machine{}, nil
	}
	return m, nil
}
