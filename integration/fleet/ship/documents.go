package ship

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"filippo.io/age"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// published are the fleet documents that a machine has taken.
type published struct {
	documents []fleetText // that are not in the bucket yet
	serial    int64       // of the newest one that is
}

// A fleetText is a fleet document that a machine has taken.
type fleetText struct {
	serial int64
	text   []byte
}

// fleetTexts reads what documents say of themselves. Who signed them is for readers.
func fleetTexts(all [][]byte) (list []fleetText, err error) {
	for _, text := range all {
		_, serial, err := document.Claims(text)
		if err != nil {
			return nil, err
		}
		list = append(list, fleetText{serial, text})
	}
	return list, nil
}

// publish stores those that the bucket does not have below a machine, which has shipped with the
// one with a serial before. Then manifests may name them.
func (s *published) publish(ctx context.Context, b *Bucket, id string, to []age.Recipient,
	before int64) error {
	if len(s.documents) == 0 {
		return nil
	}
	newest := slices.MaxFunc(s.documents, func(a, b fleetText) int {
		return cmp.Compare(a.serial, b.serial)
	}).serial
	if newest < before {
		return fmt.Errorf("this machine knows fleet document %d, and shipped with %d before: an "+
			"older one was put back here; nothing is shipped until the agent has a newer one",
			newest, before)
	}
	there, err := b.documents(ctx, id)
	if err != nil {
		return err
	}
	for _, d := range s.documents {
		if !there[d.serial] {
			stored, err := seal(d.text, to)
			if err == nil {
				err = b.put(ctx, documentName(id, d.serial), stored)
			}
			if err != nil && !errors.Is(err, errThere) {
				return err
			}
		}
	}
	s.documents, s.serial = nil, newest
	return nil
}

// documents are the serials of the fleet documents that a machine has stored.
func (b *Bucket) documents(ctx context.Context, id string) (map[int64]bool, error) {
	there := map[int64]bool{}
	for name, err := range b.list(ctx, id+documents, "") {
		if err != nil {
			return nil, err
		}
		if n, ok := serialOf(id, name); ok {
			there[n] = true
		}
		if len(there) > b.limits.documents {
			return nil, errDocuments
		}
	}
	return there, nil
}
