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
	"github.com/tada-run/tada-run/integration/fleet/document"
	"github.com/tada-run/tada-run/launcher"
	"github.com/tada-run/tada-run/launcher/upkeep"
)

// witnessWait is how long a witness may take.
const witnessWait = 20 * time.Second

// cosigned returns a checkpoint with the cosignatures of the witnesses that gave one, and why the
// others did not.
func cosigned(ctx context.Context, l *launcher.Launcher, by []document.Witness, signed []byte,
	key upkeep.LogKey) (with []byte, refused []error) {
	with = signed
	for _, w := range by {
		lines, err := askWitness(ctx, l, w, signed, key)
		if err == nil {
			with, err = audit.AddCosignatures(with, lines)
		}
		if err != nil {
			refused = append(refused, fmt.Errorf("witness %q did not cosign the checkpoint, which "+
				"is shipped without: %w", w.URL, err))
		}
	}
	return with, refused
}

// askWitness asks one witness.
func askWitness(ctx context.Context, l *launcher.Launcher, w document.Witness, signed []byte,
	key upkeep.LogKey) ([]byte, error) {
	k, err := audit.NewWitnessKey(w.Key)
	if err != nil {
		return nil, err
	}
	c := witness.Client{URL: w.URL, HTTP: &http.Client{Timeout: witnessWait}}
	defer c.HTTP.CloseIdleConnections()
	lines, err := c.Add(ctx, 0, nil, signed)
	var conflict *witness.ConflictError
	if errors.As(err, &conflict) && conflict.Size > 0 {
		proof, proofErr := l.ProveGrowth(conflict.Size, signed, key)
		if proofErr != nil {
			return nil, fmt.Errorf("%w, and this log did not grow out of them: %w", conflict,
				proofErr)
		}
		lines, err = c.Add(ctx, conflict.Size, proof, signed)
	}
	if err != nil {
		return nil, err
	}
	with, err := audit.AddCosignatures(signed, lines)
	if err != nil {
		return nil, err
	}
	log, err := note.NewVerifier(key.Public)
	if err != nil {
		return nil, err
	}
	found, err := audit.Cosignatures(with, log, []*audit.WitnessKey{k})
	if err == nil && len(found) == 0 {
		err = errors.New("the answer has no signature of it")
	}
	return lines, err
}
