package member

import (
	"fmt"

	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/integration/fleet/registrar"
)

// obey writes down what holds for a machine that joins, before it is a member: from then on until
// its agent reaches etcd it is frozen if the fleet is, and under the same policy.
func (f Folder) obey(w registrar.Welcome, fleet document.Fleet, labels document.Labels) error {
	for _, text := range w.Freezes {
		o, err := fleet.Freeze([]byte(text))
		if err == nil && o.Machines.Selects(labels) {
			_, _, err = f.Freeze(o, []byte(text))
		}
		if err != nil {
			return fmt.Errorf("a freeze that the registrar names: %w", err)
		}
	}
	for _, text := range w.Bundles {
		b, err := fleet.Bundle([]byte(text))
		if err == nil {
			_, err = f.Keep(b, labels)
		}
		if err != nil {
			return fmt.Errorf("a bundle that the registrar names: %w", err)
		}
	}
	return nil
}
