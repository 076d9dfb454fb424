package pairing

import (
	"bytes"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/approval/passkey"
	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/launcher/state"
)

// tokenLife is how long a link can be used.
const tokenLife = 10 * time.Minute

// maxPending is the maximum length of the file.
const maxPending = 4 << 10

// ErrToken is returned for a token that was used, is too old, or was never given.
var ErrToken = errors.New("this link was used or is too old; on the machine, try: tadactl key pair")

// A pending is a pairing that a person asked for at the terminal.
type pending struct {
	Token   string // SHA-256, hexadecimal
	Origin  string // of the console
	Name    string
	MaxRisk int
	From    time.Time
	Until   time.Time
}

func hashOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// parsePending reads the file of a pending pairing.
func parsePending(text []byte) (p pending, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&p); err != nil || d.More() || len(p.Token) != 2*sha256.Size {
		return pending{}, fmt.Errorf("the pending pairing cannot be read: %w",
			approval.ErrMalformed)
	}
	if _, err := passkey.Host(p.Origin); err != nil {
		return pending{}, err
	}
	return p, approval.CheckPerson(p.Name, p.MaxRisk)
}

// pendingFor returns what a token of a page is for; the error is ErrToken if it is for nothing.
func pendingFor(d *state.Directory, token, origin string) (pending, error) {
	text, err := private.Read(d.Pairing(), maxPending)
	if errors.Is(err, fs.ErrNotExist) {
		return pending{}, ErrToken
	}
	if err != nil {
		return pending{}, err
	}
	p, err := parsePending(text)
	if err != nil {
		return pending{}, err
	}
	now := d.Now()
	switch {
	case subtle.ConstantTimeCompare([]byte(p.Token), []byte(hashOf(token))) != 1,
		now.Before(p.From), !now.Before(p.Until):
		return pending{}, ErrToken
	case p.Origin != origin:
		return pending{}, fmt.Errorf("the link is for %q, and this page is of %q: %w", p.Origin,
			origin, ErrToken)
	}
	return p, nil
}
