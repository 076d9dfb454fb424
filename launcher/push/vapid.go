package push

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"syscall"
	"time"

	"github.com/tada-run/tada-run/approval/private"
	"github.com/tada-run/tada-run/launcher/state"
)

const (
	// tokenLife is how long a relay may take a token; RFC 8292 allows a day.
	tokenLife = 12 * time.Hour
	// contact is where the owner of a relay finds out what sends this.
	contact = "https://github.com/tada-run/tada-run"
	// maxKey is the maximum length of the file of the key.
	maxKey = 256
)

// Public returns the key that browsers subscribe to, for pushManager.subscribe. It is made when it
// is asked for the first time.
func (b *Book) Public() (string, error) {
	key, err := b.key()
	if err != nil {
		return "", err
	}
	public, err := key.PublicKey.Bytes()
	return encode(public), err
}

// key returns the key of this machine.
func (b *Book) key() (*ecdsa.PrivateKey, error) {
	key, err := b.readKey()
	if !errors.Is(err, fs.ErrNotExist) {
		return key, err
	}
	lock, err := b.dir.Lock("push", syscall.LOCK_EX)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	if key, err := b.readKey(); !errors.Is(err, fs.ErrNotExist) {
		return key, err // another process has made it
	}
	if key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader); err != nil {
		return nil, err
	}
	secret, err := key.Bytes()
	if err != nil {
		return nil, err
	}
	// whole at once: others read it without the lock
	return key, state.Replace(b.dir.PushKey(), []byte(encode(secret)+"\n"))
}

func (b *Book) readKey() (*ecdsa.PrivateKey, error) {
	text, err := private.Read(b.dir.PushKey(), maxKey)
	if err != nil {
		return nil, err
	}
	secret, err := decode(strings.TrimSuffix(string(text), "\n"))
	if err != nil {
		return nil, fmt.Errorf("push.key: %w", err)
	}
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), secret)
	if err != nil {
		return nil, fmt.Errorf("push.key: %w", err)
	}
	return key, nil
}

// authorization returns the header by which a relay knows who sends (RFC 8292).
func authorization(key *ecdsa.PrivateKey, relay *url.URL, now time.Time) (string, error) {
	claims, err := json.Marshal(map[string]any{"aud": relay.Scheme + "://" + relay.Host,
		"exp": now.Add(tokenLife).Unix(), "sub": contact})
	if err != nil {
		return "", err
	}
	token := encode([]byte(`{"typ":"JWT","alg":"ES256"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(token))
	r, s, err := ecdsa.Sign(rand.Reader, key, sum[:])
	if err != nil {
		return "", err
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	public, err := key.PublicKey.Bytes()
	if err != nil {
		return "", err
	}
	return "vapid t=" + token + "." + encode(signature[:]) + ", k=" + encode(public), nil
}
