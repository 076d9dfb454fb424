package ship

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"filippo.io/age"

	"github.com/tada-run/tada-run/audit/zstandard"
)

// maxStored is the longest object that is read: one that cannot be compressed, what age adds, and
// the keys of the recipients.
const maxStored = maxObject + maxObject/64 + 64<<10

// Recipients reads public keys of age: age1...
func Recipients(texts []string) ([]age.Recipient, error) {
	var list []age.Recipient
	for _, text := range texts {
		r, err := age.ParseX25519Recipient(text)
		if err != nil {
			return nil, fmt.Errorf("recipient %q: %w; it must be age1..., which age-keygen prints",
				text, err)
		}
		list = append(list, r)
	}
	return list, nil
}

// Identities reads a file of age-keygen.
func Identities(text []byte) ([]age.Identity, error) {
	list, err := age.ParseIdentities(bytes.NewReader(text))
	if err != nil { // which may have a part of the text in it
		return nil, errors.New("not a file of identities as age-keygen writes it")
	}
	return list, nil
}

// NewIdentity returns a new identity, one line, and its public key.
func NewIdentity() (secret, public string, err error) {
	i, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", err
	}
	return i.String() + "\n", i.Recipient().String(), nil
}

// own returns the identity of this machine, and its public key.
func own(secret string) (*age.X25519Identity, error) {
	i, err := age.ParseX25519Identity(strings.TrimSpace(secret))
	if err != nil {
		return nil, errors.New("the machine's own key for its manifests is damaged")
	}
	return i, nil
}

// seal compresses a text, and encrypts it.
func seal(text []byte, to []age.Recipient) ([]byte, error) {
	encode, done, err := zstandard.Encoder(maxObject)
	if err != nil {
		return nil, err
	}
	defer done()
	var out bytes.Buffer
	w, err := age.Encrypt(&out, to...)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(encode(text, nil)); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil { // writes the end
		return nil, err
	}
	return out.Bytes(), nil
}

// errSealed is returned for what none of the identities can read.
var errSealed = errors.New("it is not encrypted to this identity")

// unseal returns the text of what seal has made, at most limit bytes.
func unseal(sealed []byte, limit int, with []age.Identity) ([]byte, error) {
	r, err := age.Decrypt(bytes.NewReader(sealed), with...)
	var none *age.NoIdentityMatchError
	if errors.As(err, &none) {
		return nil, errSealed
	}
	if err != nil {
		return nil, err
	}
	packed, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	decode, done, err := zstandard.Decoder(limit)
	if err != nil {
		return nil, err
	}
	defer done()
	return decode(packed, nil)
}
