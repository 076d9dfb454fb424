package document

import (
	"fmt"

	"golang.org/x/mod/sumdb/note"

	"github.com/tada-run/tada-run/approval"
)

// Cosign adds an administrator's signature to a document that another one has signed.
func (f Fleet) Cosign(text []byte, key approval.Key) ([]byte, error) {
	list, err := verifiers(f.Admins())
	if err != nil {
		return nil, err
	}
	n, err := note.Open(text, list)
	if err != nil {
		return nil, reasonOf(err)
	}
	for _, sig := range n.Sigs {
		if sig.Name == key.Name {
			return nil, fmt.Errorf("%q has signed it already; another administrator must", key.Name)
		}
	}
	return note.Sign(&note.Note{Text: n.Text, Sigs: n.Sigs}, signer{key})
}
