package document

import (
	"fmt"
	"strings"

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

// CosignThaw adds an administrator's signature to the end of the freeze with this id, which another
// one has signed. Whoever stored it may have put the end of another freeze there.
func (f Fleet) CosignThaw(text []byte, id string, key approval.Key) ([]byte, error) {
	t, err := f.thaw(text)
	if err != nil {
		return nil, err
	}
	if t.ID != id {
		return nil, fmt.Errorf("what is stored as the end of freeze %q is the end of %q, signed "+
			"by %s; it is not signed", id, t.ID, strings.Join(t.By, ", "))
	}
	return f.Cosign(text, key)
}
