package replay

import (
	"iter"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/plans"
	"github.com/tada-run/tada-run/pathguard"
)

// Bundle begins a replay of runs of other machines under a text alone, as a bundle of a fleet: the
// files of a machine could only be stricter. The error is of a text that is refused.
func Bundle(a pathguard.Account, name string, text []byte, o Options) (*Replaying, error) {
	file := pathguard.ConfigFile{Path: name, Layer: pathguard.FleetLayer,
		Draft: append([]byte{}, text...)}
	if _, err := pathguard.Load(a, file); err != nil {
		return nil, err
	}
	none := pathguard.ConfigFile{Path: name, Layer: pathguard.FleetLayer, Draft: []byte{}}
	return replaying(o, Judge{bundle: &file}, Judge{bundle: &none}), nil
}

// A Copy is the record of another machine, or a part of it: the folders of its log and plans.
type Copy struct{ Machine, Log, Plans string }

// Entries returns the entries of the log, oldest first. It reads and does not prove.
func (c Copy) Entries(f audit.Filter) iter.Seq2[audit.Entry, error] {
	return audit.Entries(c.Log, f)
}

// Add judges the runs of a copy again. Its log was verified before.
func (t *Replaying) Add(c Copy) error {
	return t.add(c, plans.All(c.Plans, audit.Codec{}), c.Machine)
}
