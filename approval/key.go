package approval

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/ed25519"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/tada-run/tada-run/approval/plan"
	"github.com/tada-run/tada-run/approval/private"
)

// A Key signs answers on another machine. Its zero value signs nothing.
type Key struct {
	Name    string // of the person; letters, digits and .@_+-
	private ed25519.PrivateKey
}

// ErrPassphrase is returned for a sealed key and the wrong passphrase, or none.
var ErrPassphrase = errors.New("passphrase is missing or wrong")

// ErrKey is returned for a text that is not a key file.
var ErrKey = errors.New("not a key file")

// NewKey makes a key from a cryptographic source of randomness.
func NewKey(name string, random io.Reader) (Key, error) {
	if !isName(name) {
		return Key{}, fmt.Errorf(
			"approval: key name %q: it must be 1 to 64 of letters, digits and .@_+-", name)
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil {
		return Key{}, fmt.Errorf("approval: reading randomness: %w", err)
	}
	return Key{Name: name, private: ed25519.NewKeyFromSeed(seed)}, nil
}

// Public returns the public half; nil for the zero Key.
func (k Key) Public() ed25519.PublicKey {
	if len(k.private) != ed25519.PrivateKeySize {
		return nil
	}
	return k.private.Public().(ed25519.PublicKey)
}

// ID returns the id of the key: see [KeyID].
func (k Key) ID() string { return KeyID(k.Public()) }

// TrustLine returns the line of a trust list that trusts this key.
func (k Key) TrustLine() string {
	return TrustedKey{Public: k.Public(), Name: k.Name, MaxRisk: plan.MaxRisk}.Line()
}

const (
	keyHead = "tada-private-key-v1"

	// OWASP's figure of 2023 for PBKDF2 with HMAC-SHA-256: about half a second on this hardware.
	keyRounds   = 600_000
	keySaltSize = 16

	maxKeyFile = 4 << 10
)

// Text returns the key file, one line: tada-private-key-v1 NAME plain SEED, or, with a passphrase,
// tada-private-key-v1 NAME pbkdf2-aes256gcm SALT+NONCE+SEALED, in base64. random is read only if
// there is a passphrase.
func (k Key) Text(passphrase string, random io.Reader) ([]byte, error) {
	if k.Public() == nil {
		return nil, fmt.Errorf("approval: %w: it has no key in it", ErrKey)
	}
	seed := k.private.Seed()
	how := "plain"
	if passphrase != "" {
		salt := make([]byte, keySaltSize)
		if _, err := io.ReadFull(random, salt); err != nil {
			return nil, fmt.Errorf("approval: reading randomness: %w", err)
		}
		box, err := keyBox(passphrase, salt)
		if err != nil {
			return nil, err
		}
		how = "pbkdf2-aes256gcm"
		// A fresh salt makes a fresh key that is used only once, so a nonce of zeros does not
		// repeat.
		seed = box.Seal(salt, make([]byte, box.NonceSize()), seed, []byte(k.Name))
	}
	return []byte(keyHead + " " + k.Name + " " + how + " " +
		base64.StdEncoding.EncodeToString(seed) + "\n"), nil
}

func keyBox(passphrase string, salt []byte) (cipher.AEAD, error) {
	key, err := pbkdf2.Key(sha256.New, passphrase, salt, keyRounds, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// ParseKey reads a key file. For a sealed one it calls passphrase. If passphrase is nil, or returns
// the wrong one, the error is ErrPassphrase.
func ParseKey(text []byte, passphrase func() (string, error)) (Key, error) {
	bad := func(why string) (Key, error) {
		return Key{}, fmt.Errorf("approval: %w: %s", ErrKey, why)
	}
	line, more, _ := strings.Cut(string(text), "\n")
	f := strings.Split(line, " ")
	switch {
	case len(text) > maxKeyFile:
		return bad("it is too long")
	case more != "" || len(f) != 4 || f[0] != keyHead || !isName(f[1]):
		return bad("it must be one line of four words that begins with " + keyHead)
	}
	data, err := base64.StdEncoding.Strict().DecodeString(f[3])
	if err != nil {
		return bad("its last word is not base64")
	}
	switch f[2] {
	case "plain":
	case "pbkdf2-aes256gcm":
		if data, err = openSeed(data, f[1], passphrase); err != nil {
			return Key{}, err
		}
	default:
		return bad(fmt.Sprintf("unknown way to seal a key: %q", f[2]))
	}
	if len(data) != ed25519.SeedSize {
		return bad("the key has the wrong length")
	}
	return Key{Name: f[1], private: ed25519.NewKeyFromSeed(data)}, nil
}

func openSeed(data []byte, name string, passphrase func() (string, error)) ([]byte, error) {
	if passphrase == nil || len(data) < keySaltSize {
		return nil, fmt.Errorf("approval: key of %q: %w", name, ErrPassphrase)
	}
	p, err := passphrase()
	if err != nil {
		return nil, err
	}
	box, err := keyBox(p, data[:keySaltSize])
	if err != nil {
		return nil, err
	}
	seed, err := box.Open(nil, make([]byte, box.NonceSize()), data[keySaltSize:], []byte(name))
	if err != nil {
		return nil, fmt.Errorf("approval: key of %q: %w", name, ErrPassphrase)
	}
	return seed, nil
}

// SaveKey writes a new key file of mode 0600. It never replaces one: the error is fs.ErrExist.
func SaveKey(path string, text []byte) error { return private.Create(path, text) }

// LoadKey reads the key file at path, which must belong to this user alone: otherwise the error is
// ErrMeddled in a *[FileError].
func LoadKey(path string, passphrase func() (string, error)) (Key, error) {
	text, err := private.Read(path, maxKeyFile)
	if err != nil {
		return Key{}, err
	}
	return ParseKey(text, passphrase)
}
