package permit

import (
	"fmt"
	"os"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/state"
)

// NewKey makes this user's key for signing answers, sealed when the passphrase is not empty. The
// error is fs.ErrExist when there is one.
func (p *Approvals) NewKey(name, passphrase string) (approval.Key, error) {
	if _, err := p.May(approval.Enrol, approval.ChannelTadactl); err != nil {
		return approval.Key{}, err
	}
	key, err := approval.NewKey(name, p.dir.Random)
	if err != nil {
		return approval.Key{}, err
	}
	text, err := key.Text(passphrase, p.dir.Random)
	if err == nil {
		err = approval.SaveKey(p.dir.Key(), text)
	}
	if err == nil { // the public half beside it, so that showing it needs no passphrase
		err = state.Replace(p.dir.Key()+".pub", []byte(key.TrustLine()+"\n"))
	}
	return key, err
}

// A PublicKey is what others need to trust a key.
type PublicKey struct {
	ID   string // by which answers name it
	Line string // of a trust list
}

// PublicKey returns the public half of this user's key; the error is fs.ErrNotExist without one.
func (p *Approvals) PublicKey() (PublicKey, error) {
	text, err := os.ReadFile(p.dir.Key() + ".pub")
	if err != nil {
		return PublicKey{}, err
	}
	list, err := approval.ParseTrust(text)
	if err != nil || len(list) != 1 {
		return PublicKey{}, fmt.Errorf("key file %q: %w", p.dir.Key()+".pub", approval.ErrKey)
	}
	return PublicKey{ID: approval.KeyID(list[0].Public), Line: strings.TrimSpace(string(text))}, nil
}
