package document

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/approval/plan"
)

// A Holder is what proves which machine has signed a note.
type Holder struct {
	Record string            // the machine's record, which the registrar has signed
	Key    ed25519.PublicKey // of the machine's certificate: the record has its hash
}

// HolderOf is the holder that signs with a key.
func HolderOf(record []byte, key ed25519.PrivateKey) Holder {
	return Holder{string(record), key.Public().(ed25519.PublicKey)}
}

// Fields are the holder as a part of a larger text.
func (h Holder) Fields() map[string]any {
	return map[string]any{"key": base64.StdEncoding.EncodeToString(h.Key), "record": h.Record}
}

// ReadHolder reads what Fields has made.
func ReadHolder(f plan.Fields) (Holder, error) {
	key, err := base64.StdEncoding.Strict().DecodeString(f.Text("key"))
	if err == nil && len(key) != ed25519.PublicKeySize {
		err = errors.New("it is not an Ed25519 key")
	}
	if err != nil {
		return Holder{}, fmt.Errorf("the key of a machine: %w", err)
	}
	return Holder{Record: f.Text("record"), Key: key}, nil
}

// SignNote returns a text as a note that a machine signs with the key of its certificate.
func SignNote(id string, key ed25519.PrivateKey, text string) ([]byte, error) {
	public, err := note.NewEd25519VerifierKey(id, key.Public().(ed25519.PublicKey))
	if err != nil {
		return nil, err
	}
	s, err := note.NewSigner("PRIVATE+KEY+" + id + "+" + strings.Split(public, "+")[1] + "+" +
		base64.StdEncoding.EncodeToString(append([]byte{algEd25519}, key.Seed()...)))
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: text}, s)
}

// Held returns the machine that a holder is. That the machine is revoked is no error: what it has
// signed stays what it was. Nor is that an earlier registrar has let it in.
func (f Fleet) Held(h Holder) (Machine, error) {
	m, err := f.machine([]byte(h.Record), append(slices.Clone(f.Earlier), f.Registrar)...)
	switch {
	case err != nil && !errors.Is(err, ErrRevoked):
		return m, fmt.Errorf("the record of its machine: %w", err)
	case !m.Holds(h.Key):
		return m, fmt.Errorf("its key is not that of machine %q", m.ID)
	}
	return m, nil
}

// OpenNote checks that the machine with an id, which the holder must be, has signed a note.
func (f Fleet) OpenNote(text []byte, id string, h Holder) (Machine, error) {
	m, err := f.Held(h)
	if err == nil && m.ID != id {
		err = fmt.Errorf("its key is not that of machine %q", id)
	}
	if err != nil {
		return m, err
	}
	public, err := note.NewEd25519VerifierKey(id, h.Key)
	if err != nil {
		return m, err
	}
	v, err := note.NewVerifier(public)
	if err == nil {
		_, err = note.Open(text, note.VerifierList(v))
	}
	return m, err
}

// Unverified returns the text of a note whose signatures are not checked yet.
func Unverified(text []byte) (string, error) { return unverified(text) }
