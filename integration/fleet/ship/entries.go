package ship

import (
	"errors"
	"slices"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// An EachEntry is called with each entry of a machine.
type EachEntry func(m document.Machine, e audit.Entry) error

// entries calls each with the entries of a stretch that is proven.
func (s stretch) entries(m document.Machine, each EachEntry) error {
	apart := func(at int64) bool { // as bytes of an interrupted append
		return slices.ContainsFunc(s.gaps, func(g audit.Gap) bool { return g.Holds(at) })
	}
	for e, err := range audit.Entries(s.dir, audit.Filter{Codec: codec}) {
		var bad *audit.BadEntry
		switch {
		case errors.As(err, &bad) && apart(bad.Offset), err == nil && apart(e.Offset):
			continue
		case err != nil:
			return err
		}
		if err := each(m, e); err != nil {
			return err
		}
	}
	return nil
}
