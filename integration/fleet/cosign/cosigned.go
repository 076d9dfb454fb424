package cosign

import (
	"slices"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/witness"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A Witnessed is a machine that has cosigned a checkpoint, and when, by its clock.
type Witnessed struct {
	document.Machine
	Time time.Time
}

// Cosigned returns which machines of the fleet have cosigned a checkpoint of the machine with an
// id. by are the machines that may have: one that is none of the fleet, or the machine itself, does
// not count. That a machine is revoked is no error. An invalid cosignature is one.
func Cosigned(f document.Fleet, id string, signed []byte, log note.Verifier,
	by []document.Holder) ([]Witnessed, error) {
	var keys []*audit.WitnessKey
	var list []Witnessed
	for _, h := range by {
		m, err := f.Held(h)
		if err != nil || m.ID == id || slices.ContainsFunc(list,
			func(w Witnessed) bool { return w.ID == m.ID }) {
			continue
		}
		k, err := audit.NewWitnessKey(witness.VerifierKey(m.ID, h.Key))
		if err != nil {
			return nil, err
		}
		keys, list = append(keys, k), append(list, Witnessed{Machine: m})
	}
	found, err := audit.Cosignatures(signed, log, keys)
	if err != nil {
		return nil, err
	}
	for _, c := range found {
		i := slices.IndexFunc(list, func(w Witnessed) bool { return w.ID == c.Witness })
		if i >= 0 {
			list[i].Time = c.Time
		}
	}
	return slices.DeleteFunc(list, func(w Witnessed) bool { return w.Time.IsZero() }), nil
}
