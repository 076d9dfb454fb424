package registrar

import (
	"maps"
	"slices"

	"github.com/tada-run/tada-run/integration/fleet/document"
)

// inForce returns what administrators have ordered for a machine with labels, so that it holds from
// the beginning: freezes that have not ended, and bundles in force. The machine checks the
// signatures itself.
func (o orders) inForce(fleet document.Fleet, labels document.Labels) (freezes, bundles []string) {
	for _, id := range slices.Sorted(maps.Keys(o.freezes)) {
		f, err := fleet.Freeze([]byte(o.freezes[id]))
		if err == nil && o.ended[id] == "" && f.Machines.Selects(labels) {
			freezes = append(freezes, o.freezes[id])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(o.bundles)) {
		if b := o.bundles[name]; b.Text != "" && b.Machines.Selects(labels) {
			bundles = append(bundles, b.text)
		}
	}
	return freezes, bundles
}
