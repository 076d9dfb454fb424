package ship

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/witness"
	"github.com/tada-run/tada-run/integration/fleet/cosign"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// Seen is what one of the fleet's witnesses says of the last checkpoint, or another machine that
// has cosigned it.
type Seen struct {
	Witness string           // its name; of a machine, its id
	Machine document.Machine // the zero Machine if it is none
	Time    time.Time        // zero: it has not cosigned it
	Entries int64            // with Check.Ask, how many it has seen since; 0 if no more
	Silent  error            // with Check.Ask, why that is not known
}

// seen says which witnesses cosigned the checkpoint of a manifest. With ask, they are asked too.
func seen(ctx context.Context, m manifest, f document.Fleet, ask bool) (list []Seen,
	err error) {
	by := f.Ship.Witnesses
	log, err := note.NewVerifier(m.Log)
	if err != nil {
		return nil, err
	}
	var keys []*audit.WitnessKey
	for _, w := range by {
		k, err := audit.NewWitnessKey(w.Key)
		if err != nil {
			return nil, fmt.Errorf("the fleet document: %w", err)
		}
		keys = append(keys, k)
	}
	found, err := audit.Cosignatures([]byte(m.Checkpoint), log, keys)
	if err != nil {
		return nil, err
	}
	for i, k := range keys {
		s := Seen{Witness: k.Name()}
		for _, c := range found {
			if c.Witness == k.Name() {
				s.Time = c.Time
			}
		}
		if ask {
			s.Entries, s.Silent = latest(ctx, by[i].URL, log, k, m)
		}
		list = append(list, s)
	}
	machines, err := cosign.Cosigned(f, m.Machine, []byte(m.Checkpoint), log, m.By)
	for _, w := range machines {
		list = append(list, Seen{Witness: w.ID, Machine: w.Machine, Time: w.Time})
	}
	return list, err
}

// latest is how many entries a witness has seen, if more than a manifest covers.
func latest(ctx context.Context, url string, log note.Verifier, by *audit.WitnessKey,
	m manifest) (int64, error) {
	c := witness.Client{URL: url, HTTP: &http.Client{Timeout: witnessWait}}
	defer c.HTTP.CloseIdleConnections()
	signed, err := c.Latest(ctx, log.Name())
	if err != nil {
		return 0, err
	}
	if found, err := audit.Cosignatures(signed, log, []*audit.WitnessKey{by}); err != nil {
		return 0, err
	} else if len(found) == 0 {
		return 0, errors.New("what it has is not cosigned")
	}
	p, err := audit.CheckpointPoint(signed, note.VerifierList(log))
	if err != nil {
		return 0, err
	}
	covered, err := m.point()
	switch {
	case err != nil, p.Count < covered.Count:
		return 0, err
	case p.Count == covered.Count && p != covered:
		return 0, &BrokenError{m.Machine, "the witness has seen another history"}
	case p.Count == covered.Count:
		return 0, nil
	}
	return p.Count, nil
}
