package ship

import (
	"errors"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

var (
	errManifest = errors.New("it is not a manifest")
	errVersion  = errors.New("another version of tada-fleet has made it, or somebody else; try " +
		"the newest version")
)

// maxBy is how many machines can have cosigned a checkpoint.
const maxBy = 16

// holders are the machines that have cosigned a checkpoint, as a manifest has them.
func holders(list []document.Holder) []any {
	var all []any
	for _, h := range list {
		all = append(all, h.Fields())
	}
	return all
}

func readHolders(all []plan.Fields) (list []document.Holder, err error) {
	if len(all) > maxBy {
		return nil, errManifest
	}
	for _, f := range all {
		h, err := document.ReadHolder(f)
		if err != nil {
			return nil, err
		}
		list = append(list, h)
	}
	return list, nil
}
