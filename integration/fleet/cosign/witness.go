package cosign

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/audit"
	"github.com/tada-run/tada-run/audit/witness"
	"github.com/tada-run/tada-run/integration/fleet/document"
)

// A Self is the machine that cosigns.
type Self struct {
	ID string
	document.Holder
	Key ed25519.PrivateKey
	Now func() time.Time
}

// A Witness answers the requests of other machines.
type Witness struct {
	Self
	seen *witness.Witness
}

// Open opens the folder in which a machine remembers what it has seen. It is made if it is not
// there. The error is witness.ErrBusy while another process has it open.
func Open(dir string, self Self) (*Witness, error) {
	w, err := witness.Open(dir, witness.Options{
		Signer: witness.CosignerOf(self.ID, self.Key, self.Now)})
	return &Witness{self, w}, err
}

// Close lets another process open the folder.
func (w *Witness) Close() error { return w.seen.Close() }

// Answer answers what is stored as the request of the machine with an id. The error is for what is
// no request of that machine to this one.
func (w *Witness) Answer(f document.Fleet, id string, text []byte) (Answer, error) {
	r, err := OpenRequest(text, f)
	if err == nil && (r.Machine != id || r.Witness != w.ID) {
		err = errRequest
	}
	if err != nil {
		return Answer{}, err
	}
	log, err := note.NewVerifier(r.Log)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: the key of its log: %w", errRequest, err)
	}
	a := Answer{Holder: w.Holder, Time: w.Now().UTC()}
	a.Lines, err = w.seen.Cosign(r.Machine, log, r.Add)
	if a.Refused, err = refusalOf(err, r.Add, log); err != nil {
		return Answer{}, err
	}
	a.Entries, err = w.seen.Seen(r.Machine)
	return a, err
}

// refusalOf is why a log is not the one that was seen before. It is "" where the machine only did
// not know how much was seen; everything else that is wrong is an error.
func refusalOf(err error, add []byte, log note.Verifier) (string, error) {
	var other *witness.ConflictError
	var refused *witness.RefusedError
	switch {
	case errors.As(err, &other):
		p, err := audit.CheckpointPoint(witness.CheckpointOf(add), note.VerifierList(log))
		if err != nil || p.Count >= other.Size {
			return "", err
		}
		return fmt.Sprintf("its log has %s, and had %d: it was cut, or an old copy was put back",
			audit.Plural(p.Count, "entry"), other.Size), nil
	case errors.As(err, &refused) && (refused.Status == http.StatusConflict ||
		refused.Status == http.StatusUnprocessableEntity):
		return "its log is another one than before: " + refused.Text, nil
	}
	return "", err
}
