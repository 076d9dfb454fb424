package member

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/launcher/state"
)

// The files by which the record is shipped.
const (
	shipKeyFile  = "ship.key"      // of the bucket
	identityFile = "ship.identity" // with which the machine reads its own manifests
	shippedFile  = "shipped"       // what was shipped last
	witnessDir   = "witness"       // what it has cosigned
)

// ShipKey returns the key of the bucket that was set here; "" if none was.
func (f Folder) ShipKey() (id, secret string, err error) {
	text, err := private.Read(f.path(shipKeyFile), 4<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return "", "", nil
	}
	lines := strings.Fields(string(text))
	if err == nil && len(lines) != 2 {
		err = fmt.Errorf("%q: not a key and a secret; try: tadactl fleet ship-key",
			f.path(shipKeyFile))
	}
	if err != nil {
		return "", "", err
	}
	return lines[0], lines[1], nil
}

// SetShipKey stores the key of the bucket.
func (f Folder) SetShipKey(id, secret string) error {
	return state.Replace(f.path(shipKeyFile), []byte(id+"\n"+secret+"\n"))
}

// Identity returns the key with which the machine reads its own manifests again; "" before
// KeepIdentity.
func (f Folder) Identity() (string, error) {
	text, err := private.Read(f.path(identityFile), 4<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}

// KeepIdentity stores that key. It never replaces one.
func (f Folder) KeepIdentity(text string) error {
	return private.Create(f.path(identityFile), []byte(text))
}

// Shipped returns the file that says what was shipped.
func (f Folder) Shipped() string { return f.path(shippedFile) }

// Witness returns the folder in which the machine remembers which checkpoints of others it has
// cosigned.
func (f Folder) Witness() string { return f.path(witnessDir) }

// Key returns the key of the machine's certificate, which signs what it ships.
func (f Folder) Key() (ed25519.PrivateKey, error) {
	cert, err := f.certificate()
	if err != nil {
		return nil, err
	}
	key, ok := cert.PrivateKey.(ed25519.PrivateKey)
	if !ok {
		return nil, fmt.Errorf("%q: not an Ed25519 key", f.path(keyFile))
	}
	return key, nil
}
