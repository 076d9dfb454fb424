// Package passkeytest is a device with a passkey, in software, for tests.
package passkeytest

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/asn1"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math/big"
	"testing"
)

// The flags of authenticator data.
const (
	Present  = 0x01
	Verified = 0x04
	Attested = 0x40
)

// A Device holds one passkey. It does what it is asked for, also what a real device would refuse.
type Device struct {
	t       testing.TB
	ID      []byte
	Key     []byte // public, in COSE
	Counter uint32 // raised with each answer unless it is 0
	signer  crypto.Signer
}

// New returns a device with an ES256 key, or with an EdDSA key.
func New(t testing.TB, edDSA bool) *Device {
	t.Helper()
	d := &Device{t: t, ID: make([]byte, 32), Counter: 1}
	if _, err := rand.Read(d.ID); err != nil {
		t.Fatal(err)
	}
	if edDSA {
		public, private, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		d.signer, d.Key = private, cborMap(cborInt(1), cborInt(1), cborInt(3), cborInt(-8),
			cborInt(-1), cborInt(6), cborInt(-2), cborBytes(public))
		return d
	}
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	point, err := private.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	d.signer, d.Key = private, cborMap(cborInt(1), cborInt(2), cborInt(3), cborInt(-7),
		cborInt(-1), cborInt(1), cborInt(-2), cborBytes(point[1:33]), cborInt(-3),
		cborBytes(point[33:]))
	return d
}

// A Ceremony is what a device is about to say, for tests to change.
type Ceremony struct {
	Type, Challenge, Origin string
	Client                  map[string]any // further members of the client data
	RP                      string
	Flags                   byte
	Counter                 uint32
	Format                  string // of the attestation
	Statement               []byte // of the attestation, in CBOR
	Key                     []byte // in COSE
	Tail                    []byte // after the authenticator data
}

func (d *Device) begin(options []byte, origin, kind string, change []func(*Ceremony)) Ceremony {
	d.t.Helper()
	var o struct {
		Challenge, RPID string
		RP              struct{ ID string }
	}
	if err := json.Unmarshal(options, &o); err != nil {
		d.t.Fatal(err)
	}
	c := Ceremony{Type: kind, Challenge: o.Challenge, Origin: origin, RP: o.RPID + o.RP.ID,
		Client: map[string]any{"crossOrigin": false}, Flags: Present | Verified, Format: "none",
		Statement: cborMap(), Key: d.Key}
	if d.Counter > 0 {
		d.Counter++
	}
	c.Counter = d.Counter
	for _, f := range change {
		f(&c)
	}
	return c
}

func (d *Device) client(c Ceremony) []byte {
	members := map[string]any{"type": c.Type, "challenge": c.Challenge, "origin": c.Origin}
	for name, value := range c.Client {
		members[name] = value
	}
	text, err := json.Marshal(members)
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

func (c Ceremony) authData(attested []byte) []byte {
	sum := sha256.Sum256([]byte(c.RP))
	b := binary.BigEndian.AppendUint32(append(sum[:], c.Flags), c.Counter)
	return append(append(b, attested...), c.Tail...)
}

// Create answers navigator.credentials.create, as PublicKeyCredential.toJSON writes it.
func (d *Device) Create(options []byte, origin string, change ...func(*Ceremony)) []byte {
	d.t.Helper()
	change = append([]func(*Ceremony){func(c *Ceremony) { c.Flags |= Attested }}, change...)
	c := d.begin(options, origin, "webauthn.create", change)
	attested := binary.BigEndian.AppendUint16(make([]byte, 16), uint16(len(d.ID)))
	attested = append(append(attested, d.ID...), c.Key...)
	object := cborMap(cborText("fmt"), cborText(c.Format), cborText("attStmt"), c.Statement,
		cborText("authData"), cborBytes(c.authData(attested)))
	return d.json(map[string]any{"clientDataJSON": Encode(d.client(c)),
		"attestationObject": Encode(object), "transports": []string{"internal"}})
}

// Get answers navigator.credentials.get, as PublicKeyCredential.toJSON writes it.
func (d *Device) Get(options []byte, origin string, change ...func(*Ceremony)) []byte {
	d.t.Helper()
	c := d.begin(options, origin, "webauthn.get", change)
	client, data := d.client(c), c.authData(nil)
	return d.json(map[string]any{"clientDataJSON": Encode(client),
		"authenticatorData": Encode(data), "signature": Encode(d.sign(data, client)),
		"userHandle": nil})
}

// sign signs what every assertion signs.
func (d *Device) sign(data, client []byte) []byte {
	d.t.Helper()
	sum := sha256.Sum256(client)
	message, hash := append(append([]byte{}, data...), sum[:]...), crypto.Hash(0)
	if _, ok := d.signer.(*ecdsa.PrivateKey); ok {
		digest := sha256.Sum256(message)
		message, hash = digest[:], crypto.SHA256
	}
	signature, err := d.signer.Sign(rand.Reader, message, hash)
	if err != nil {
		d.t.Fatal(err)
	}
	return signature
}

func (d *Device) json(response map[string]any) []byte {
	text, err := json.Marshal(map[string]any{"id": Encode(d.ID), "rawId": Encode(d.ID),
		"type": "public-key", "clientExtensionResults": map[string]any{},
		"authenticatorAttachment": "platform", "response": response})
	if err != nil {
		d.t.Fatal(err)
	}
	return text
}

// Encode is base64url without padding.
func Encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// Twin returns the second signature that every signature of ES256 has.
func Twin(t testing.TB, signature []byte) []byte {
	t.Helper()
	var s struct{ R, S *big.Int }
	if _, err := asn1.Unmarshal(signature, &s); err != nil {
		t.Fatal(err)
	}
	s.S.Sub(elliptic.P256().Params().N, s.S)
	twin, err := asn1.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return twin
}

// head begins a CBOR item of a major type.
func head(major byte, n uint64) []byte {
	switch {
	case n < 24:
		return []byte{major<<5 | byte(n)}
	case n < 1<<8:
		return []byte{major<<5 | 24, byte(n)}
	}
	return binary.BigEndian.AppendUint16([]byte{major<<5 | 25}, uint16(n))
}

func cborInt(n int64) []byte {
	if n < 0 {
		return head(1, uint64(-1-n))
	}
	return head(0, uint64(n))
}

func cborBytes(b []byte) []byte { return append(head(2, uint64(len(b))), b...) }

func cborText(s string) []byte { return append(head(3, uint64(len(s))), s...) }

// cborMap makes a map of keys and values in turn.
func cborMap(items ...[]byte) []byte {
	b := head(5, uint64(len(items)/2))
	for _, item := range items {
		b = append(b, item...)
	}
	return b
}
