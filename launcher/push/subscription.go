package push

import (
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// A Subscription is where one browser receives messages.
type Subscription struct {
	Endpoint string // its address at the relay, which is a secret of the browser
	Key      []byte // of the browser: a point of P-256, not compressed
	Secret   []byte // of the browser
	Passkey  []byte // the id of the passkey that confirmed it
	Added    time.Time
}

// The lengths of a subscription, in bytes.
const (
	maxSubscription = 4 << 10 // as JSON
	MaxEndpoint     = 1 << 10
	keySize         = 65
	secretSize      = 16
)

// Read reads what PushSubscription.toJSON returns in the browser. The error is one for the person.
func Read(text []byte) (Subscription, error) {
	if len(text) > maxSubscription {
		return Subscription{}, errors.New("the subscription is too long")
	}
	var b struct {
		Endpoint string `json:"endpoint"`
		Keys     struct {
			Key    string `json:"p256dh"`
			Secret string `json:"auth"`
		} `json:"keys"`
	}
	if err := json.Unmarshal(text, &b); err != nil {
		return Subscription{}, errors.New("the subscription is not what browsers send")
	}
	key, err := decode(b.Keys.Key)
	if err != nil {
		return Subscription{}, errors.New("the browser's key cannot be read")
	}
	secret, err := decode(b.Keys.Secret)
	if err != nil {
		return Subscription{}, errors.New("the browser's secret cannot be read")
	}
	s := Subscription{Endpoint: b.Endpoint, Key: key, Secret: secret}
	return s, s.check()
}

// check returns why nothing can be sent to a subscription. It does not look at the passkey.
func (s Subscription) check() error {
	if _, err := s.url(); err != nil {
		return err
	}
	if len(s.Secret) != secretSize {
		return errors.New("the browser's secret has the wrong length")
	}
	if _, err := ecdh.P256().NewPublicKey(s.Key); err != nil || len(s.Key) != keySize {
		return errors.New("the browser's key is not on the curve P-256")
	}
	return nil
}

// url returns the address of the relay, if it is one.
func (s Subscription) url() (*url.URL, error) {
	strange := func(r rune) bool { return r <= ' ' || r > '~' }
	u, err := url.Parse(s.Endpoint)
	switch {
	case len(s.Endpoint) > MaxEndpoint:
		return nil, fmt.Errorf("the relay's address has more than %d bytes", MaxEndpoint)
	case err != nil, strings.ContainsFunc(s.Endpoint, strange), u.Opaque != "":
		return nil, errors.New("the relay's address cannot be read")
	case u.Scheme != "https":
		return nil, errors.New("the relay's address is not https")
	case u.User != nil || strings.Contains(s.Endpoint, "#"):
		return nil, errors.New("the relay's address has a user or a fragment")
	case u.Hostname() == "" || isAddress(u.Hostname()):
		return nil, errors.New("the relay's address has no name")
	}
	return u, nil
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}

// Relay returns the name of the relay, for a person.
func (s Subscription) Relay() string {
	u, err := s.url()
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// Name is what a passkey signs of a subscription: its relay, and the SHA-256 of all of it.
func (s Subscription) Name() string {
	sum := sha256.Sum256([]byte(s.Endpoint + "\n" + encode(s.Key) + "\n" + encode(s.Secret)))
	return s.Relay() + " " + hex.EncodeToString(sum[:])
}

func decode(text string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
