package push

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/ecdh"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"testing"
)

// A device is a browser that has subscribed. It opens messages by its own reading of RFC 8291.
type device struct {
	private *ecdh.PrivateKey
	secret  []byte
}

func newDevice(t testing.TB) *device {
	t.Helper()
	private, err := ecdh.P256().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	d := &device{private, make([]byte, 16)}
	_, _ = rand.Read(d.secret)
	return d
}

// subscription is what the browser's PushSubscription.toJSON returns.
func (d *device) subscription(endpoint string) []byte {
	text, _ := json.Marshal(map[string]any{"endpoint": endpoint, "expirationTime": nil,
		"keys": map[string]string{"p256dh": encode(d.private.PublicKey().Bytes()),
			"auth": encode(d.secret)}})
	return text
}

// mac is HMAC-SHA256.
func mac(key []byte, text ...[]byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write(bytes.Join(text, nil))
	return h.Sum(nil)
}

var errOpen = errors.New("it does not open")

// open returns the text of a message: RFC 8291 §3.4 step by step, and RFC 8188 §2.
func (d *device) open(body []byte) (string, error) {
	if len(body) < 16+4+1+65 || body[20] != 65 {
		return "", errOpen
	}
	salt, size, theirs := body[:16], binary.BigEndian.Uint32(body[16:20]), body[21:86]
	public, err := ecdh.P256().NewPublicKey(theirs)
	if err != nil || int(size) < len(body)-86 {
		return "", errOpen
	}
	shared, err := d.private.ECDH(public)
	if err != nil {
		return "", errOpen
	}
	one := []byte{1}
	ours := d.private.PublicKey().Bytes()
	input := mac(mac(d.secret, shared), []byte("WebPush: info\x00"), ours, theirs, one)
	from := mac(salt, input)
	block, err := aes.NewCipher(mac(from, []byte("Content-Encoding: aes128gcm\x00"), one)[:16])
	if err != nil {
		return "", err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return "", err
	}
	text, err := gcm.Open(nil, mac(from, []byte("Content-Encoding: nonce\x00"), one)[:12],
		body[86:], nil)
	if err != nil {
		return "", errOpen
	}
	text = bytes.TrimRight(text, "\x00")
	if len(text) == 0 || text[len(text)-1] != 2 {
		return "", errOpen
	}
	return string(text[:len(text)-1]), nil
}
