package witness

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// algCosignature is the signature type of a timestamped Ed25519 cosignature.
const algCosignature = 4

// A Cosigner signs checkpoints with the time at which it saw them. It is a note.Signer whose
// signatures are cosignature/v1 lines.
type Cosigner struct {
	name string
	hash uint32
	key  ed25519.PrivateKey
	now  func() time.Time
}

const secretPrefix = "TADA+WITNESS+KEY+"

// GenerateKey makes a key for a witness of that name: the secret, for NewCosigner, and the public
// key, for verifiers. A name has no spaces and no plus; it is usually a host name.
func GenerateKey(rand io.Reader, name string) (secret, vkey string, err error) {
	if name == "" || strings.ContainsAny(name, "+ \t\n") {
		return "", "", fmt.Errorf("witness name %q: it is empty, or has a space or plus in it",
			name)
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(rand, seed); err != nil {
		return "", "", fmt.Errorf("no randomness for a key: %w", err)
	}
	secret = secretPrefix + name + "+" + base64.StdEncoding.EncodeToString(seed)
	c, err := NewCosigner(secret, nil)
	if err != nil {
		return "", "", err
	}
	return secret, c.PublicKey(), nil
}

// NewCosigner reads a secret made by GenerateKey. The error never contains it.
func NewCosigner(secret string, now func() time.Time) (*Cosigner, error) {
	rest, ok1 := strings.CutPrefix(strings.TrimSpace(secret), secretPrefix)
	name, encoded, ok2 := strings.Cut(rest, "+")
	seed, err := base64.StdEncoding.DecodeString(encoded)
	if !ok1 || !ok2 || err != nil || len(seed) != ed25519.SeedSize || name == "" {
		return nil, errors.New("witness secret: not one that was made here")
	}
	return CosignerOf(name, ed25519.NewKeyFromSeed(seed), now), nil
}

// CosignerOf returns the cosigner of a name with a key that is not only for this.
func CosignerOf(name string, key ed25519.PrivateKey, now func() time.Time) *Cosigner {
	return &Cosigner{name, keyHash(name, key.Public().(ed25519.PublicKey)), key, now}
}

func encoded(public ed25519.PublicKey) []byte {
	return append([]byte{algCosignature}, public...)
}

func keyHash(name string, public ed25519.PublicKey) uint32 {
	sum := sha256.Sum256(append([]byte(name+"\n"), encoded(public)...))
	return binary.BigEndian.Uint32(sum[:])
}

// PublicKey returns the key for verifiers: NAME+HASH+KEY.
func (c *Cosigner) PublicKey() string {
	return VerifierKey(c.name, c.key.Public().(ed25519.PublicKey))
}

// VerifierKey returns the key of a witness of that name for verifiers: NAME+HASH+KEY.
func VerifierKey(name string, public ed25519.PublicKey) string {
	return fmt.Sprintf("%s+%08x+%s", name, keyHash(name, public),
		base64.StdEncoding.EncodeToString(encoded(public)))
}

// Name returns the witness's name.
func (c *Cosigner) Name() string { return c.name }

// KeyHash returns the key's short id in a signature line.
func (c *Cosigner) KeyHash() uint32 { return c.hash }

// Sign cosigns a checkpoint with the current time.
func (c *Cosigner) Sign(msg []byte) ([]byte, error) {
	if c.now == nil {
		return nil, errors.New("cosign: no clock given")
	}
	t := uint64(c.now().Unix())
	sig := binary.BigEndian.AppendUint64(nil, t)
	return append(sig, ed25519.Sign(c.key,
		fmt.Appendf(nil, "cosignature/v1\ntime %d\n%s", t, msg))...), nil
}
