package launcher

import (
	"fmt"
	"os"
	"strings"

	"github.com/tada-run/tada-run/approval"
	"github.com/tada-run/tada-run/launcher/state"
)

// NewKey makes this user's key for signing answers, sealed when the passphrase is not empty. The
// error is fs.ErrExist when there is one.
func (l *Launcher) NewKey(name, passphrase string) (approval.Key, error) {
	if _, err := l.May(approval.Enrol, approval.ChannelTadactl); err != nil {
		return approval.Key{}, err
	}
	key, err := approval.NewKey(name, l.state.Random)
	if err != nil {
		return approval.Key{}, err
	}
	text, err := key.Text(passphrase, l.state.Random)
	if err == nil {
		err = approval.SaveKey(l.state.Key(), text)
	}
	if err == nil { // the public half beside it, so that showing it needs no passphrase
		err = state.Replace(l.state.Key()+".pub", []byte(key.TrustLine()+"\n"))
	}
	return key, err
}

// A PublicKey is what others need to trust a key.
type PublicKey struct {
	ID   string // by which answers name it
	Line string // of a trust list
}

// PublicKey returns the public half of this user's key; the error is fs.ErrNotExist without one.
func (l *Launcher) PublicKey() (PublicKey, error) {
	text, err := os.ReadFile(l.state.Key() + ".pub")
	if err != nil {
		return PublicKey{}, err
	}
	list, err := approval.ParseTrust(text)
	if err != nil || len(list) != 1 {
		return PublicKey{}, fmt.Errorf("key file %q: %w", l.state.Key()+".pub", approval.ErrKey)
	}
	return PublicKey{ID: approval.KeyID(list[0].Public), Line: strings.TrimSpace(string(text))}, nil
}
