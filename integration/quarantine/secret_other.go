//go:build !linux

package quarantine

import (
	"crypto/sha256"
	"io"
)

type secret struct{}

func newSecret(io.Reader) (*secret, error) { return nil, ErrUnsupported }

func (*secret) sum([]byte) (mac [sha256.Size]byte, err error) { return mac, ErrUnsupported }
func (*secret) destroy()                                      {}

// Harden returns ErrUnsupported here.
func Harden() error { return ErrUnsupported }
