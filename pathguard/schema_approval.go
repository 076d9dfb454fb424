package pathguard

import (
	"strconv"

	"go.yaml.in/yaml/v3"
)

// maxPeople is far more than can be found in an hour.
const maxPeople = 16

func whole(least, most int, field func(*Approval) *int) func(*decoder, *yaml.Node) error {
	return func(d *decoder, n *yaml.Node) error {
		v, err := strconv.Atoi(n.Value)
		if n.Kind != yaml.ScalarNode || err != nil || v < least || v > most {
			return d.fail(n, "must be a number from %d to %d, not %q", least, most, shown(n))
		}
		*field(&d.set.Approval) = v
		return nil
	}
}
